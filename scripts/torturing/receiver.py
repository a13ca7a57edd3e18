"""A backend that gets the events of an application, and remembers them."""

import http.server
import json
import threading
import time


class Receiver:
    def __init__(self):
        self.lock = threading.Lock()
        self.times, self.of_user, self.positions, self.disorder = {}, {}, {}, []
        # How many servers there were before, which of them sent each event last, and what one of them sent twice.
        self.life, self.lives, self.repeated = 0, {}, []
        # The longest that one of them was there, with its start, in seconds.
        self.began, self.longest_life = time.monotonic(), 0
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.take(self.headers["webhook-id"], json.loads(body))
                self.send_response(204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            # Python's own five are fewer than the calls that come at once: the system drops the rest, to be tried again a second later.
            request_queue_size = 256

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A server that is killed breaks its connections.
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/events"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, identifier, event):
        user, position = event["data"]["user"], event["position"]
        with self.lock:
            self.times[identifier] = self.times.get(identifier, 0) + 1
            if self.lives.get(identifier) == self.life:
                self.repeated.append(identifier)
            self.lives[identifier] = self.life
            if self.times[identifier] > 1:
                return
            self.of_user.setdefault(user, []).append(event["type"])
            if position < self.positions.get(user, 0):
                self.disorder.append(f"{event['type']} of {user} came behind a later event")
            self.positions[user] = position

    def begin_life(self):
        """The server that sent until now has ended."""
        with self.lock:
            self.life += 1
            self.longest_life = max(self.longest_life, time.monotonic() - self.began)
            self.began = time.monotonic()

    def missing(self, expected):
        """What was acknowledged and has not come: (user, type) of lists by user."""
        with self.lock:
            came = {user: list(types) for user, types in self.of_user.items()}
        left = []
        for user, types in expected.items():
            for one in types:
                if one in came.get(user, []):
                    came[user].remove(one)
                else:
                    left.append((user, one))
        return left
