"""Connections that no decent client makes: broken framing, heads at their limits, readers that never read, writers that never end."""

import random
import socket
import time


def heads(host, path, generator):
    """Bytes that are no request, or hardly one. All of them are answered with 4xx or a closed connection."""
    get = b"GET %s HTTP/1.1\r\nHost: %s\r\n" % (path, host)
    post = b"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n" % (path, host)
    junk = bytes(generator.randrange(256) for _ in range(generator.randrange(1, 400)))
    return [
        b"", b"\r\n" * 100, b"\x00" * 200, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + get + b"\r\n", junk, junk + b"\r\n\r\n", b"GET", b"GET /", b"GET / HTTP/1.1",
        b"GET / HTTP/1.1\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/0.9\r\n\r\n", b"GET /\r\n\r\n", b"get / http/1.1\r\n\r\n",
        b"GET  /  HTTP/1.1\r\n\r\n", b"GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n", b"GET * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", b"GET //a//b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /?" + b"a&" * 4_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /" + b"/a" * 4_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"A" * 70_000, b"A" * 300 + b" / HTTP/1.1\r\nHost: x\r\n\r\n",
        get + b"A: " + b"b" * 80_000 + b"\r\n\r\n", get + b"A: b\r\n" * 5_000 + b"\r\n", get + b"A" * 9_000 + b": b\r\n\r\n",
        get + b": b\r\n\r\n", get + b"A\r\n\r\n", get + b"A : b\r\n\r\n", get + b"A: b\r\n c\r\n\r\n", get + b"A: b\x00c\r\n\r\n",
        get + b"\xff: b\r\n\r\n", get + b"Host: second\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: \r\n\r\n",
        get + b"Host: a b\r\n\r\n", get + b"Expect: 100-continue\r\n\r\n", get + b"Expect: x\r\n\r\n", get + b"Upgrade: h2c\r\n\r\n",
        get + b"Connection: close, keep-alive, x\r\n\r\n", get + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        post + b"Content-Length: -1\r\n\r\n{}", post + b"Content-Length: 9223372036854775807\r\n\r\n{}",
        post + b"Content-Length: 18446744073709551616\r\n\r\n{}", post + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
        post + b"Content-Length: 2, 2\r\n\r\n{}", post + b"Content-Length: +2\r\n\r\n{}", post + b"Content-Length: 0x2\r\n\r\n{}",
        post + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", post + b"Content-Length: 1048577\r\n\r\n{",
        post + b"Content-Length: 100\r\n\r\n{}", post + b"Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}", post + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n{}", post + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\n2;" + b"x" * 20_000 + b"\r\n{}\r\n0\r\n\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n{\r\n" * 20_000 + b"0\r\n\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 3_000 + b"\r\n",
        post + b"Transfer-Encoding: " + "\u0301\u0316".encode() * 1_900 + b", chunked\r\n\r\n0\r\n\r\n",
        post + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", post + b"Transfer-Encoding: x\r\n\r\n{}",
        post + b"Transfer-Encoding: chunked\r\n\r\n" + b"100000\r\n" + b"a" * 0x100000 + b"\r\n100000\r\n" + b"a" * 100,
    ]


class Attacks:
    """Plays them against a server, one after the other."""

    def __init__(self, seed, world, tell):
        self.generator = random.Random(f"attacks {seed}")
        self.port, self.host = world["port"], world["url"].split("//")[1].encode()
        self.paths = [b"/health/live", b"/v1/sign-up", b"/parse/users", b"/2013-09-01/login", b"/api/oauth2/token", b"/dashboard/log-in",
                      b"/a/%s/log-in" % world["facts"]["application"].encode(), b"/nowhere"]
        self.tell, self.asked = tell, 0

    def connect(self, timeout=5):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def round(self):
        """All kinds once."""
        for content in heads(self.host, self.generator.choice(self.paths), self.generator):
            self.one(content)
        self.crowd()
        self.drip()

    def one(self, content):
        """Sends bytes, says that no more come, and reads what there is to read."""
        self.asked += 1
        received = b""
        try:
            with self.connect() as client:
                client.sendall(content)
                if self.generator.random() < 0.7:
                    client.shutdown(socket.SHUT_WR)
                while len(received) < 65_536:
                    part = client.recv(65_536)
                    if not part:
                        break
                    received += part
                    if b"\r\nconnection: close" not in received.lower() and b"HTTP/1.1 2" in received[:12]:
                        break
        except OSError:
            pass  # The server may hang up as it likes.
        if received[:10] == b"HTTP/1.1 5" and received[9:12] not in (b"501", b"505", b"503"):
            self.tell(("finding", "answer", f"a broken head: {received[9:12].decode()}", [content], received[:300]))

    def crowd(self):
        """Many connections at once that say nothing, then one that asks."""
        clients = []
        try:
            for _ in range(200):
                clients.append(self.connect())
        except OSError:
            pass  # A limit on connections is right.
        for client in clients[::3]:
            client.close()
        for client in clients:
            client.close()
        self.asked += len(clients)

    def drip(self):
        """A body that comes byte by byte, and is given up."""
        self.asked += 1
        try:
            with self.connect() as client:
                client.sendall(b"POST /v1/sign-up HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n" % self.host)
                for _ in range(20):
                    client.sendall(b"{")
                    time.sleep(0.01)
        except OSError:
            pass

    def never_read(self, requests, megabytes, seconds):
        """Pipelines requests and reads none of the answers; returns the bytes that the server took."""
        self.asked += 1
        taken, content = 0, b"".join(requests)
        try:
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.settimeout(1)
                client.connect(("127.0.0.1", self.port))
                deadline = time.monotonic() + seconds
                while taken < megabytes << 20 and time.monotonic() < deadline:
                    try:
                        taken += client.send(content)
                    except TimeoutError:
                        continue
        except OSError:
            pass  # Cut by the server: good.
        return taken
