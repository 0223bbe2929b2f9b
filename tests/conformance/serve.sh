#!/bin/bash
# Starts the conformance fixture server of a language, in the foreground.
#
#     tests/conformance/serve.sh LANG PORT     on http://127.0.0.1:PORT/mcp
#     tests/conformance/serve.sh LANG stdio
#
# LANG is c. What it needs is built first; the builders' words go to stderr.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

if [ $# -ne 2 ]; then
    echo "usage: serve.sh LANG PORT|stdio     (LANG: c)" >&2
    exit 2
fi
case $1 in
    c)
        make --silent -C "$root" target/c/conformance-server >&2
        exec "$root/target/c/conformance-server" "$2"
        ;;
    *)
        echo "serve.sh: there is no fixture server in '$1' (there is one in: c)" >&2
        exit 2
        ;;
esac
