"""Certificates made by `openssl`, and a fixture server that serves HTTPS with one."""

import os
import socket
import ssl
import subprocess
import tempfile

from .http import Connection, HttpServer
from .patience import LONG

P256 = ("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")


def openssl(*arguments):
    """Runs the command; what it prints."""
    done = subprocess.run(["openssl", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 0, f"openssl {' '.join(arguments)}:\n{done.stderr.decode()}"
    return done.stdout


class Certificates:
    """A folder with an authority that the clients trust, and what it issues. Use as a context manager."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="libmcp-tls-")
        self.folder = self._folder.name
        self._count = 0
        self.root, self._root_key = self.path("root.pem"), self.path("root-key.pem")
        openssl(*P256, "-out", self._root_key)
        openssl("req", "-x509", "-key", self._root_key, "-subj", "/CN=libmcp tests", "-days", "2", "-out", self.root)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def issue(self, key=P256):
        """The paths of a new certificate for localhost and its key, which is made by this command of openssl."""
        self._count += 1
        certificate, key_file = self.path(f"cert-{self._count}.pem"), self.path(f"key-{self._count}.pem")
        request, names = self.path("request.pem"), self.path("names.txt")
        openssl(*key, "-out", key_file)
        openssl("req", "-new", "-key", key_file, "-subj", "/CN=localhost", "-out", request)
        with open(names, "w", encoding="ascii") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
        openssl(
            "x509", "-req", "-in", request, "-CA", self.root, "-CAkey", self._root_key,
            "-set_serial", str(1000 + self._count), "-days", "1", "-extfile", names, "-out", certificate,
        )  # fmt: skip
        return certificate, key_file

    def trust(self, alpn=(), version=None):
        """The context of a client that trusts the authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(self.root)
        if alpn:
            context.set_alpn_protocols(list(alpn))
        if version is not None:
            context.minimum_version = context.maximum_version = version
        return context


def secure(plain, context):
    """TLS on a connected socket. Where the other side closes without having said so, reading raises SSLEOFError."""
    return context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False)


class TlsConnection(Connection):
    """One connection over TLS."""

    def __init__(self, port, context):
        super().__init__(port)
        self.socket = secure(self.socket, context)

    def serial(self):
        """The serial number of the server's certificate."""
        return int(self.socket.getpeercert()["serialNumber"], 16)


class TlsServer(HttpServer):
    """A fixture server with a certificate and its key; clients trust as `certificates` says."""

    def __init__(self, certificates, pair, *arguments, **popen):
        self.certificates = certificates
        super().__init__("--tls", *pair, "--log", "1", *arguments, **popen)

    def connect(self, **trust):
        return TlsConnection(self.port, self.certificates.trust(**trust))

    def plain(self):
        """A connection without TLS."""
        return Connection(self.port)

    def raw(self, data=b""):
        """A socket on which `data` was sent."""
        plain = socket.create_connection(("127.0.0.1", self.port), LONG)
        plain.sendall(data)
        return plain
