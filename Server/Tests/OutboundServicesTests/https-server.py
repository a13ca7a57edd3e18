"""An HTTPS server for the tests of webhooks: responds 200 with a decision of a hook to every POST, and writes a line for each to a
file. At /marks, /hints and /trailers its headers are hostile ones, and at /hello they say what the client offers. Prints its port.

usage: https-server.py CERTIFICATE KEY FILE
"""

import http.server
import socket
import ssl
import sys

certificate, key, requests = sys.argv[1:]

# Marks that Swift sorts, in time by the square of their number, whenever it hashes, compares or splits a text.
marks = ("\u0301" * 900 + "\u0316" * 900).encode()
hostile = {
    "/marks": b"HTTP/1.1 200 OK\r\nX-Marks: %s\r\n" % marks
    + b"".join(b"%s%d: a\r\n" % (marks, number) for number in range(60)),
    "/hints": b"HTTP/1.1 103 Early Hints\r\n"
    + b"".join(b"X-%d: a\r\n" % number for number in range(80))
    + b"\r\nHTTP/1.1 200 OK\r\n",
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        with open(requests, "a", encoding="utf-8") as file:
            file.write(f"{self.path}\n")
        if self.path == "/hello":
            ciphers = ":".join(self.connection.offered)
            protocol = self.connection.selected_alpn_protocol()
            head = f"HTTP/1.1 200 OK\r\nX-Ciphers: {ciphers}\r\nX-Protocol: {protocol}\r\nContent-Length: 0\r\n\r\n"
            self.wfile.write(head.encode())
            return
        if self.path == "/trailers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"a: b\r\n" * 100_000 + b"\r\n")
            return
        if self.path in hostile:
            self.wfile.write(hostile[self.path] + b"Retry-After: 7\r\nContent-Length: 0\r\n\r\n")
            return
        body = b'{"decision": "allow"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
# It takes whatever is offered, also what it would not use.
context.set_ciphers("ALL:@SECLEVEL=0")
context.set_alpn_protocols(["h2", "http/1.1"])


names = {cipher["id"] & 0xFFFF: cipher["name"] for cipher in context.get_ciphers()}


def offered(request):
    """The names of the ciphers in the client's first message (RFC 8446 §4.1.2). `shared_ciphers` of Python 3.11.2 has the server's."""
    peek = socket.MSG_PEEK | socket.MSG_WAITALL
    length = int.from_bytes(request.recv(5, peek)[3:])
    hello = request.recv(5 + length, peek)[43:]
    rest = hello[1 + hello[0] :]
    ciphers = rest[2 : 2 + int.from_bytes(rest[:2])]
    numbers = [int.from_bytes(ciphers[start : start + 2]) for start in range(0, len(ciphers), 2)]
    return [names[number] for number in numbers if number in names]


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def finish_request(self, request, address):
        # The handshake is made in the connection's own thread: one that fails ends that thread alone.
        ciphers = offered(request)
        connection = context.wrap_socket(request, server_side=True)
        connection.offered = ciphers
        super().finish_request(connection, address)

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
