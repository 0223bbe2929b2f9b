// @ts-check
'use strict';

// A client over a transport of the program's own.

const { begun, checked, senders } = require('./environment');

class Session {
    #native;
    #sender;
    #closed;
    /** @type {Promise<void> | undefined} */
    #closing;

    /**
     * @param {import('../native').NativeServer} server
     * @param {(message: string) => void} send
     * @param {() => void} closed called when nothing is sent any more
     */
    constructor(server, send, closed) {
        this.#sender = senders.add(send);
        this.#closed = closed;
        try {
            this.#native = checked(() => server.connect(this.#sender));
        } catch (thrown) {
            senders.take(this.#sender);
            throw thrown;
        }
    }

    /** @param {string | Uint8Array} message */
    receive(message) {
        if (typeof message !== 'string' && !(message instanceof Uint8Array)) {
            throw new TypeError('receive(message): message is the JSON text of one message, or its bytes');
        }
        const text = typeof message === 'string' ? message : Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString();
        checked(() => this.#native.receive(text));
    }

    /** @param {string | undefined} principal */
    setPrincipal(principal) {
        checked(() => this.#native.setPrincipal(principal));
    }

    /** @returns {Promise<void>} */
    close() {
        return this.#closing ??= begun(promise => this.#native.close(promise)).then(() => {
            senders.take(this.#sender);
            this.#closed();
        });
    }
}

exports.Session = Session;
