// Prints the public names of the Node package as JSON: its exports, and the members of its classes as `Class.name`.

import * as libmcp from 'libmcp';

const names = [];
for (const [name, value] of Object.entries(libmcp)) {
    if (name === 'default') continue;
    names.push(name);
    if (typeof value !== 'function' || value.prototype === undefined) continue;
    for (const member of Object.getOwnPropertyNames(value.prototype)) {
        if (member !== 'constructor' && !member.startsWith('_')) names.push(`${name}.${member}`);
    }
}
console.log(JSON.stringify(names));
