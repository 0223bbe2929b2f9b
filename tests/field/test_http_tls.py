"""Topic 2, HTTP: the same over TLS. Versions, ALPN, certificates that are renewed, and clients that speak no TLS."""

import os
import shutil
import socket
import ssl
import subprocess
import time
import unittest

from wire.h2 import H2Connection
from wire.http import JSON, HttpServer, headers_of
from wire.patience import Deadline, bound, eventually
from wire.request import call, discover, encode
from wire.tls import P256, Certificates, TlsServer, openssl, secure

HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
LOG_DEBUG, LOG_WARNING = 0, 3


def closed_in_order(connection):
    """Whether the server says by a close_notify that it closes; waits for it."""
    connection.socket.settimeout(bound(10))
    try:
        return connection.socket.recv(1) == b""
    except (ssl.SSLEOFError, ConnectionResetError):
        return False


class Tls(unittest.TestCase):
    def setUp(self):
        self.certificates = Certificates()
        self.addCleanup(self.certificates.__exit__)
        self.pair = self.certificates.issue()

    def server(self, *arguments):
        return TlsServer(self.certificates, self.pair, *arguments)


class Protocols(Tls):
    def test_tls_12_and_13_carry_http1(self):
        with self.server() as server:
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                for alpn in ((), ("http/1.1",), ("spdy/1", "http/1.1")):
                    with self.subTest(version=version, alpn=alpn):
                        connection = server.connect(alpn=alpn, version=version)
                        self.assertEqual(connection.socket.version(), {771: "TLSv1.2", 772: "TLSv1.3"}[version])
                        self.assertEqual(connection.socket.selected_alpn_protocol(), alpn[-1] if alpn else None)
                        for id in (1, 2):
                            answer = server.post(call(id, "echo", {"n": id}), connection=connection)
                            self.assertIn(f'"n":{id}', answer.text)
                        connection.close()

    def test_tls_carries_http2_for_clients_that_ask_for_it_with_its_limits(self):
        with self.server("--option", "max_message_bytes=100000") as server:
            trust = self.certificates.trust(alpn=("h2", "http/1.1"))
            client = H2Connection(server.port, secure=lambda plain: secure(plain, trust))
            self.assertEqual(client._socket.selected_alpn_protocol(), "h2")
            authority = f"localhost:{server.port}"
            for body, status, wanted in (
                (encode(call(1, "echo", {"n": 1})), 200, b'\\"n\\":1'),
                (b"x" * (4 << 20), 413, b"100000 bytes"),
                (encode(call(2, "echo", {"n": 2})), 200, b'\\"n\\":2'),
            ):
                message = call(1, "echo")
                answer = client.finish(client.send(authority, headers_of(message), body))
                self.assertEqual(answer.status, status)
                self.assertIn(wanted, bytes(answer.body))
            # Streams at a time, the window of one, the bytes of its headers.
            limits = {number: client.settings.get(number) for number in (3, 4, 6)}
            self.assertEqual(limits, {3: 256, 4: 1 << 20, 6: 64 << 10})
            client.close()

    def test_tls_lets_pages_of_this_machine_in_by_their_https_origin(self):
        with self.server() as server:
            for origin, status in (
                (f"https://localhost:{server.port}", 200), ("https://127.0.0.1", 200), ("https://evil.example", 403),
            ):  # fmt: skip
                response, _ = server.bare("POST", headers_of(discover(1), {"Origin": origin}), encode(discover(1)))
                self.assertEqual(response.status, status, origin)

    def test_tls_keeps_the_order_of_a_stream_and_of_large_bodies(self):
        with self.server() as server:
            text = "z" * (3 << 20)
            self.assertEqual(len(server.post(call(1, "echo", {"t": text})).text), len(text) + len('{"t":""}'))
            values = [1, 2, 3]
            message = call(2, "progress", {"values": values, "ms": 20}, token="t")
            notes = server.post(message).messages[:-1]
            self.assertEqual([note["params"]["progress"] for note in notes], values)


class Endings(Tls):
    def test_tls_ends_with_a_close_notify(self):
        with self.server("--http", "idle_timeout_ms=400") as server:
            idle = server.connect()
            server.post(discover(1), connection=idle)
            self.assertTrue(closed_in_order(idle), "after a silence")
            used = server.connect()
            server.post(discover(1), connection=used)
            self.assertEqual(server.command("shutdown 500"), "done 0")
            self.assertTrue(closed_in_order(used), "at the end of the listener")
            server.still_serves = False

    def test_tls_does_not_end_half_a_response_as_if_it_were_whole(self):
        with self.server() as server:
            connection, response = server.open(call(1, "beat", {"tag": "a", "progress": True}, token="t"))
            response.event()
            self.assertEqual(server.command("shutdown 100"), "done 0")
            with self.assertRaises((ssl.SSLEOFError, ConnectionResetError)):
                while connection.socket.recv(4096):
                    pass
            server.still_serves = False

    def test_tls_a_client_that_goes_away_cancels_its_call(self):
        with self.server() as server:
            for tag, in_order in (("said", True), ("unsaid", False)):
                connection, _ = server.open(call(1, "beat", {"tag": tag, "progress": True}, token="t"))
                server.wait_event(f"beat {tag}")
                if in_order:
                    connection.socket.setblocking(False)
                    try:
                        connection.socket.unwrap()
                    except (ssl.SSLWantReadError, ssl.SSLError):
                        pass  # the alert is on its way
                else:
                    connection.close()
                server.wait_event(f"cancelled {tag}")

    def test_tls_a_body_that_is_too_large_is_refused_so_that_its_sender_can_read_why(self):
        with self.server("--option", "max_message_bytes=100000") as server:
            connection = server.connect()
            connection.request("POST", "/mcp", headers_of(call(1, "touch")), b"x" * (4 << 20))
            response = connection.response()
            self.assertEqual(response.status, 413)
            self.assertIn(b"100000 bytes", response.body())
            self.assertTrue(closed_in_order(connection))


class Renewal(Tls):
    QUICK = ("--http", "tls_check_ms=50")

    def serial(self, server):
        connection = server.connect()
        try:
            return connection.serial()
        finally:
            connection.close()

    def renewed(self, server, old):
        return eventually(lambda: self.serial(server) != old, bound(10), "a new certificate")

    def test_tls_a_renewed_certificate_is_taken_up_and_open_connections_go_on(self):
        places = self.certificates.path("fullchain.pem"), self.certificates.path("privkey.pem")
        for source, place in zip(self.pair, places):
            shutil.copyfile(source, place)
        self.pair = places
        with self.server(*self.QUICK) as server:
            open_one = server.connect()
            first = open_one.serial()
            self.assertEqual(server.post(call(1, "count"), connection=open_one).text, "0")
            for how in (shutil.copyfile, os.replace):
                old = self.serial(server)
                # The key first: for a moment the two do not belong together.
                for source, place in reversed(list(zip(self.certificates.issue(), places))):
                    how(source, place)
                self.renewed(server, old)
            self.assertEqual(server.post(call(2, "count"), connection=open_one).text, "0")
            self.assertEqual(open_one.serial(), first)
            self.assertEqual(server.events(f"log {LOG_WARNING} "), [])

    def test_tls_links_that_are_turned_are_followed(self):
        """certbot turns a link for each file; Kubernetes one for the folder, where each file is a link into that."""
        at = self.certificates.path
        for version, pair in (("v1", self.pair), ("v2", self.certificates.issue())):
            os.mkdir(at(version))
            for source, name in zip(pair, ("tls.crt", "tls.key")):
                os.replace(source, os.path.join(at(version), name))
        os.symlink("v1", at("..data"))
        for name in ("tls.crt", "tls.key"):
            os.symlink(f"..data/{name}", at(name))
        self.pair = at("tls.crt"), at("tls.key")
        with self.server(*self.QUICK) as server:
            first = self.serial(server)
            os.symlink("v2", at("..data_tmp"))
            os.rename(at("..data_tmp"), at("..data"))
            shutil.rmtree(at("v1"))
            self.renewed(server, first)
            second = self.serial(server)
            third = self.certificates.issue()
            for link, target in zip(self.pair, third):
                os.symlink(target, link + ".new")
                os.rename(link + ".new", link)
            self.renewed(server, second)

    def test_tls_a_bad_new_file_is_a_warning_and_the_certificate_stays(self):
        with self.server(*self.QUICK) as server:
            first = self.serial(server)
            other = self.certificates.issue()
            certificate, key = self.pair
            shutil.copyfile(other[1], key)
            said = server.wait_event(f"log {LOG_WARNING} ")
            self.assertIn("the certificate of before stays in use", said)
            self.assertIn(certificate, said)
            self.assertIn("does not belong to this certificate", said)
            with open(certificate, "w", encoding="ascii") as file:
                file.write("not a certificate")
            self.assertIn("has no certificate", server.wait_event(f"log {LOG_WARNING} ", count=2))
            os.remove(certificate)
            self.assertIn("there is no such file", server.wait_event(f"log {LOG_WARNING} ", count=3))
            self.assertEqual(self.serial(server), first)
            shutil.copyfile(other[0], certificate)
            self.renewed(server, first)
            self.assertEqual(len(server.events(f"log {LOG_WARNING} ")), 3, "each is said once")

    def test_tls_the_files_are_left_alone_where_that_is_asked_for(self):
        with self.server("--http", "tls_check_ms=0") as server:
            first = self.serial(server)
            for path in self.pair:
                os.remove(path)
            time.sleep(0.3)
            self.assertEqual(self.serial(server), first)
            self.assertEqual(server.events(f"log {LOG_WARNING} "), [])


class Strangers(Tls):
    def test_tls_a_client_of_plain_http_is_told_to_use_https(self):
        with self.server() as server:
            for body in (encode(discover(1)), b"x" * (4 << 20)):
                connection = server.plain()
                connection.request("POST", "/mcp", headers_of(discover(1)), body)
                response = connection.response()
                self.assertEqual(response.status, 400)
                self.assertIn(b"This port speaks HTTPS", response.body())
                self.assertEqual(connection.rest(Deadline(bound(10))), b"")
                connection.close()
            self.assertIn("plain HTTP", server.wait_event(f"log {LOG_DEBUG} ", count=2))

    def test_tls_a_handshake_has_a_bound_and_takes_a_place_among_the_connections(self):
        with self.server("--http", "head_timeout_ms=500", "--http", "max_connections=2") as server:
            silent, slow = server.raw(), server.raw(HELLO)
            began = time.monotonic()
            # There is no place for it until the two have run out of time.
            self.assertIn("supportedVersions", server.post(discover(1)).result)
            self.assertGreater(time.monotonic() - began, 0.3)
            for stranger in (silent, slow):
                stranger.settimeout(bound(10))
                try:
                    self.assertEqual(stranger.recv(1), b"")
                except ConnectionResetError:
                    pass
                stranger.close()

    def test_tls_failed_handshakes_are_debug_lines_and_leave_nothing_behind(self):
        with self.server() as server:
            server.post(discover(1))
            before = server.descriptors()
            for _ in range(50):
                for garbage in (HELLO + b"\xff" * 600, b"\x16garbage", b"\x80\x2e\x01\x00\x02", b"\x00" * 64):
                    stranger = server.raw(garbage)
                    stranger.shutdown(socket.SHUT_WR)
                    while stranger.recv(4096):
                        pass
                    stranger.close()
                server.raw().close()
            with Certificates() as others, self.assertRaises(ssl.SSLCertVerificationError):
                secure(server.raw(), others.trust())
            self.assertIn("no handshake with 127.0.0.1:", server.wait_event(f"log {LOG_DEBUG} ", count=201))
            eventually(lambda: server.descriptors() <= before, bound(10), "no descriptor is left")
            self.assertEqual(server.events(f"log {LOG_WARNING} "), [])


class Files(Tls):
    def refused(self, certificate, key):
        """What a server says that does not start."""
        command = [os.environ["FIELD_SERVER"], "--tls", certificate, key, "http"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=bound(20), check=False)
        self.assertEqual(done.returncode, 2, done.stdout)
        return done.stderr.decode()

    def test_tls_takes_every_usual_kind_of_key(self):
        at = self.certificates.path
        kinds = {
            "PKCS#8, P-256": P256,
            "PKCS#8, P-384": ("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"),
            "PKCS#8, Ed25519": ("genpkey", "-algorithm", "ED25519"),
            "PKCS#8, RSA": ("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
            "SEC1 behind its parameters": ("ecparam", "-name", "prime256v1", "-genkey"),
        }
        pairs = {name: self.certificates.issue(command) for name, command in kinds.items()}
        certificate, key = pairs["PKCS#8, RSA"]
        openssl("pkey", "-in", key, "-traditional", "-out", at("pkcs1.pem"))
        with open(at("pkcs1.pem"), encoding="ascii") as file:
            self.assertIn("BEGIN RSA PRIVATE KEY", file.read())
        pairs["PKCS#1, RSA"] = certificate, at("pkcs1.pem")
        with open(at("both.pem"), "wb") as both:
            for path in (pairs["SEC1 behind its parameters"][1], pairs["SEC1 behind its parameters"][0]):
                with open(path, "rb") as part:
                    both.write(part.read())
        pairs["one file"] = at("both.pem"), at("both.pem")
        for name, self.pair in pairs.items():
            with self.subTest(key=name), self.server("--bare", "1") as server:
                self.assertIn("supportedVersions", server.post(discover(1)).result)

    def test_tls_what_is_wrong_with_the_files_is_said_by_name(self):
        at = self.certificates.path
        certificate, key = self.pair
        other_certificate, other_key = self.certificates.issue()
        openssl("pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", at("locked.pem"))
        openssl("pkey", "-in", key, "-outform", "der", "-out", at("key.der"))
        _, odd_key = self.certificates.issue(("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"))
        for certificate_file, key_file, named, wanted in (
            (certificate, other_key, certificate, f'the key in "{other_key}" does not belong to this certificate'),
            (other_certificate, key, other_certificate, "does not belong to this certificate"),
            (key, certificate, key, "are the two files in each other's place?"),
            (at("none.pem"), key, at("none.pem"), "there is no such file"),
            (certificate, self.certificates.folder, self.certificates.folder, "it is no regular file"),
            (certificate, at("locked.pem"), at("locked.pem"), "the key has a passphrase"),
            (certificate, at("key.der"), at("key.der"), "it is not PEM but DER"),
            (certificate, odd_key, odd_key, "this key cannot be used"),
        ):
            with self.subTest(certificate=certificate_file, key=key_file):
                said = self.refused(certificate_file, key_file)
                self.assertIn(f'file "{named}": ', said)
                self.assertIn(wanted, said)

    def test_tls_a_port_without_a_certificate_is_plain_as_before(self):
        with HttpServer() as server:
            self.assertEqual(server.post(discover(1)).media_type, JSON)


if __name__ == "__main__":
    unittest.main()
