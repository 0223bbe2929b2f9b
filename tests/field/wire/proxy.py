"""A TCP proxy that gives up connections on which nothing has come from the server for a while, as proxies on the way do."""

import select
import socket
import threading


class IdleProxy:
    """Listens on `port` and passes on to `target`; a connection silent for `patience` seconds is cut."""

    def __init__(self, target, patience):
        self._target = target
        self._patience = patience
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cut = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client):
        server = socket.create_connection(("127.0.0.1", self._target))
        try:
            while True:
                ready = select.select([client, server], [], [], self._patience)[0]
                if not ready:
                    self.cut += 1
                    return
                for source in ready:
                    data = source.recv(65536)
                    if not data:
                        return
                    (server if source is client else client).sendall(data)
        except OSError:
            pass
        finally:
            client.close()
            server.close()

    def close(self):
        self._listener.close()
