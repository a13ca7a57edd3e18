"""A client that writes many requests before it reads, and reads answers as they stand on the wire (RFC 9112)."""

import socket
import time


class Gone(Exception):
    """The connection ended, or nothing came in time."""


class Answer:
    __slots__ = ("status", "head", "body")

    def __init__(self, status, head, body):
        self.status, self.head, self.body = status, head, body

    def header(self, name):
        """The value of a header by its name in small letters; empty when it is not there."""
        begin = self.head.lower().find(b"\r\n" + name + b":")
        if begin < 0:
            return b""
        begin += len(name) + 3
        return self.head[begin:self.head.find(b"\r\n", begin)].strip()


class Client:
    def __init__(self, port, timeout=60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.at = b"", 0
        self.closes = False

    def close(self):
        self.socket.close()

    def send(self, content):
        try:
            self.socket.sendall(content)
        except OSError as error:
            raise Gone(f"sending: {error}") from None

    def _more(self):
        try:
            part = self.socket.recv(262_144)
        except OSError as error:
            raise Gone("nothing comes in time" if isinstance(error, TimeoutError) else f"reading: {error}") from None
        if not part:
            raise Gone("the server closed the connection")
        self.buffer = self.buffer[self.at:] + part
        self.at = 0

    def answer(self, method):
        """The next answer."""
        while True:
            end = self.buffer.find(b"\r\n\r\n", self.at)
            while end < 0:
                self._more()
                end = self.buffer.find(b"\r\n\r\n", self.at)
            head = self.buffer[self.at:end + 2]
            if head[:5] != b"HTTP/":
                raise Gone(f"no answer: {head[:80]!r}")
            self.at = end + 4
            status = int(head[9:12])
            if status >= 200:
                break
        small = head.lower()
        if b"\r\nconnection: close" in small:
            self.closes = True
        if method == "HEAD" or status in (204, 304):
            return Answer(status, head, b"")
        start = small.find(b"\r\ncontent-length:")
        if start >= 0:
            length = int(small[start + 17:small.find(b"\r\n", start + 17)])
            return Answer(status, head, self._take(length))
        if b"\r\ntransfer-encoding: chunked" in small:
            parts = []
            while True:
                size = int(self._line().split(b";")[0], 16)
                parts.append(self._take(size))
                self._line()
                if size == 0:
                    return Answer(status, head, b"".join(parts))
        return Answer(status, head, self._rest())

    def _take(self, count):
        if len(self.buffer) - self.at < count:
            parts, have = [self.buffer[self.at:]], len(self.buffer) - self.at
            self.buffer, self.at = b"", 0
            while have < count:
                self._more()
                parts.append(self.buffer)
                have += len(self.buffer)
                self.buffer = b""
            whole = b"".join(parts)
            self.buffer, self.at = whole[count:], 0
            return whole[:count]
        taken = self.buffer[self.at:self.at + count]
        self.at += count
        return taken

    def _line(self):
        end = self.buffer.find(b"\r\n", self.at)
        while end < 0:
            self._more()
            end = self.buffer.find(b"\r\n", self.at)
        line = self.buffer[self.at:end]
        self.at = end + 2
        return line

    def _rest(self):
        try:
            while True:
                self._more()
        except Gone:
            self.closes = True
            rest, self.buffer, self.at = self.buffer[self.at:], b"", 0
            return rest


def ask_alone(port, method, content, timeout=60):
    """One request on a connection of its own: the answer or None, and how many seconds it took."""
    begin = time.monotonic()
    try:
        client = Client(port, timeout)
    except OSError:
        return None, time.monotonic() - begin
    try:
        client.send(content)
        return client.answer(method), time.monotonic() - begin
    except Gone:
        return None, time.monotonic() - begin
    finally:
        client.close()
