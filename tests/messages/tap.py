"""Records what goes over a connection, as it passes it on unchanged.

    tap.py FILE COMMAND...     runs a server of stdio, and records what it and its client say

`Tap` does the same for a TCP port. A record is a line of JSON: the connection, who speaks, and the bytes.
"""

import base64
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading

MOST = 1 << 16


class Recorder:
    """Appends to a file of records; several processes may write one."""

    def __init__(self, path):
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def record(self, connection, speaker, data):
        line = {"connection": connection, "from": speaker, "data": base64.b64encode(data).decode()}
        os.write(self._file, json.dumps(line).encode() + b"\n")

    def close(self):
        os.close(self._file)


class Tap:
    """A port of its own, `port`, before the local port `target`."""

    def __init__(self, target, path):
        self._target = target
        self._recorder = Recorder(path)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._relays = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            relay = threading.Thread(target=self._relay, args=(client, len(self._relays)), daemon=True)
            self._relays.append(relay)
            relay.start()

    def _relay(self, client, connection):
        try:
            server = socket.create_connection(("127.0.0.1", self._target))
        except OSError:
            client.close()
            return
        for end in client, server:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(MOST)
                    if not data:
                        return
                    speaker, other = ("client", server) if source is client else ("server", client)
                    self._recorder.record(connection, speaker, data)
                    other.sendall(data)
        except OSError:
            pass
        finally:
            client.close()
            server.close()

    def close(self):
        """Once the server has ended, and its connections with it."""
        self._listener.close()
        for relay in self._relays:
            relay.join(10)
        self._recorder.close()


def fresh(folder):
    """An empty folder for records."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def run_stdio(path, command):
    """Runs a server of stdio between this process's own streams; its exit code."""
    recorder = Recorder(path)
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())

    def from_client():
        with child.stdin:
            pass_on("client", 0, child.stdin.fileno())

    def pass_on(speaker, source, sink):
        try:
            while data := os.read(source, MOST):
                recorder.record(os.getpid(), speaker, data)
                while data:
                    data = data[os.write(sink, data) :]
        except OSError:
            pass  # the other end has gone

    threading.Thread(target=from_client, daemon=True).start()
    pass_on("server", child.stdout.fileno(), 1)
    return child.wait()


if __name__ == "__main__":
    code = run_stdio(sys.argv[1], sys.argv[2:])
    sys.stdout.flush()
    os._exit(code if code >= 0 else 128 - code)  # a reader may still wait for the client
