#!/bin/bash
# Starts the conformance fixture server of a language, in the foreground.
#
#     tests/conformance/serve.sh LANG PORT     on http://127.0.0.1:PORT/mcp
#     tests/conformance/serve.sh LANG stdio
#
# LANG is c, python or node. What it needs is built first; the builders' words go to stderr.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

if [ $# -ne 2 ]; then
    echo "usage: serve.sh LANG PORT|stdio     (LANG: c, python, node)" >&2
    exit 2
fi
case $1 in
    c)
        make --silent -C "$root" target/c/conformance-server >&2
        exec "$root/target/c/conformance-server" "$2"
        ;;
    python)
        python=$(python3 "$root/tests/provision.py" python)
        exec "$python" "$root/tests/conformance/fixtures/python/server.py" "$2"
        ;;
    node)
        python3 "$root/tests/provision.py" node >&2
        exec node "$root/tests/conformance/fixtures/node/server.mjs" "$2"
        ;;
    *)
        echo "serve.sh: there is no fixture server in '$1' (there is one in: c, python, node)" >&2
        exit 2
        ;;
esac
