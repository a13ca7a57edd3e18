"""A process that sends requests in batches and checks every answer."""

import json
import random
import re
import signal
import time

from connection import Client, Gone, ask_alone
from surfaces import Requests
from values import JOINED, TAG, Values
from world import Figures, World

BATCH = 24
# The longest wait that openapi.yaml allows a reader of events to ask for.
_LONGEST_WAIT_SECONDS = 25


def _is_declared(answer, surface, method):
    """Kii's calls that docs/compatibility/kii.md says are not served. The answer to HEAD has no body to say so."""
    return surface == "kii" and answer.status == 501 and (method == "HEAD" or b'"OPERATION_NOT_IMPLEMENTED"' in answer.body)


def asked_to_wait(content):
    """The seconds for which a request for events asks to be held open when there are none (long polling)."""
    asked = re.match(rb"GET /v1/admin/applications/[^/ ]+/events\?[^ ]*\bwait=(\d{1,2})\b", content)
    return min(int(asked.group(1)), _LONGEST_WAIT_SECONDS) if asked else 0


def fault_of(answer, surface, method="GET"):
    """What is wrong with an answer, or None."""
    status = answer.status
    if status >= 500 and status != 503 and not _is_declared(answer, surface, method):
        return f"{status}"
    if status == 503 and b"retry-after" not in answer.head.lower() and surface in ("native", "admin"):
        # A search that was stopped takes as long the next time.
        if b'"search_too_slow"' not in answer.body:
            return "503 without Retry-After"
    if b"\r\nx-injected:" in answer.head.lower():
        return "a header of the request's making"
    body = answer.body
    if body[:1] in (b"{", b"["):
        if b"json" in answer.header(b"content-type"):
            # An export has a document on each line.
            parts = body.splitlines() if b"ndjson" in answer.header(b"content-type") else [body]
            try:
                for part in parts:
                    json.loads(part)
            except ValueError as error:
                return f"JSON that nobody can read: {error}"
            except RecursionError:
                return "JSON too deep to be read"
    elif (TAG.encode() in body or JOINED.encode() in body) and b"html" in answer.header(b"content-type"):
        return "a script of a stranger's stands in a page"
    return None


class Worker:
    """What one process does. Batches are numbered: seed, worker and number repeat the same requests."""

    def __init__(self, number, options, world, routes, grammar, tell):
        self.number, self.options, self.tell = number, options, tell
        self.world = World("")
        self.world.port = world["port"]
        self.port, self.process = world["port"], world["process"]
        self.random = random.Random()
        self.values = Values(self.random.random)
        self.requests = Requests(routes, grammar, world["facts"], world["url"], self.values, self.look)
        self.surfaces = {}
        self.routes = routes
        for route in routes:
            cheap = self.surfaces.setdefault(route["surface"], ([], []))
            cheap[Requests.is_expensive(route)].append(route)
        self.names = sorted(self.surfaces)
        self.clients = {}
        self.sums = {"requests": 0, "statuses": {}, "routes": {}}

    def run(self, first, deadline, maximum):
        batch = first
        reported = time.monotonic()
        while time.monotonic() < deadline and self.sums["requests"] < maximum:
            if (batch - first) % 400 == 0:
                self.random.seed(batch)
                self.requests.renew(self.world, f"{self.number} {batch} {time.time()}")
                self.tell(("facts", {name: value for name, value in self.requests.facts.items() if isinstance(value, list)}))
            if not self.one(batch):
                self.tell(("stopped", self.number, batch, self.sums))
                return
            batch += 1
            if time.monotonic() - reported > 2:
                self.tell(("sums", self.number, batch, self.sums))
                reported = time.monotonic()
        self.tell(("ended", self.number, batch, self.sums))

    def one(self, batch):
        """Makes a batch, sends it, and reads the answers; False when the server is gone."""
        self.random.seed((self.options.seed << 40) ^ (self.number << 34) ^ batch)
        if self.number == 0 and batch * BATCH < len(self.routes):
            # First of all every route once.
            routes = self.routes[batch * BATCH:(batch + 1) * BATCH]
            return self.exchange([(route, *self.requests.request(route)) for route in routes], batch % 4)
        if self.random.random() < self.options.big:
            return self.big()
        requests = [self.request() for _ in range(BATCH)]
        return self.exchange(requests, batch % 4)

    def request(self, expensive=None):
        values = self.values
        cheap, costly = self.surfaces[values.one(self.names)]
        wants = values.random() < self.options.expensive
        route = values.one(costly if wants and costly or not cheap else cheap)
        method, content = self.requests.request(route)
        return route, method, content

    def look(self, content):
        """The page that a request asks for, on a connection of its own that stays open; empty when none comes."""
        client, answer = self.clients.pop("look", None), None
        try:
            client = client or Client(self.port)
            client.send(content)
            answer = client.answer("GET")
        except (Gone, OSError):
            pass  # A server that is gone is found by the requests that are checked.
        if client and answer and not client.closes:
            self.clients["look"] = client
        elif client:
            client.close()
        return answer.body.decode(errors="replace") if answer and answer.status == 200 else ""

    def big(self):
        """A request with a body of up to a mebibyte, alone."""
        values = self.values
        cheap, costly = self.surfaces[values.one(self.names)]
        routes = [route for route in cheap + costly if route["method"] in ("POST", "PUT", "PATCH")]
        if not routes:
            return True
        route = values.one(routes)
        method, content = self.requests.request(route)
        head = content.split(b"\r\n\r\n")[0].split(b"\r\n")
        lines = [line for line in head if not line.lower().startswith((b"content-length:", b"transfer-encoding:"))]
        body = values.big()
        content = b"\r\n".join(lines + [b"Content-Length: %d" % len(body)]) + b"\r\n\r\n" + body
        answer, seconds = ask_alone(self.port, method, content)
        self.count(route, answer)
        if seconds > self.options.slow:
            self.slow(route, method, content, seconds)
        if answer is None:
            return self.is_alive([(route, method, content)])
        self.check(route, content, answer)
        return True

    def exchange(self, requests, slot):
        """A batch on a connection that stays open."""
        at = 0
        while at < len(requests):
            client = self.clients.get(slot)
            begin = time.monotonic()
            try:
                if client is None:
                    client = self.clients[slot] = Client(self.port)
                client.send(b"".join([content for _, _, content in requests[at:]]))
                while at < len(requests):
                    route, method, content = requests[at]
                    answer = client.answer(method)
                    at += 1
                    self.count(route, answer)
                    self.check(route, content, answer)
                    if client.closes:
                        # What was sent behind it is not answered, and is sent again.
                        raise Gone("the server said so")
            except (Gone, OSError) as gone:
                said = client is not None and client.closes
                if client:
                    client.close()
                self.clients.pop(slot, None)
                if not said:
                    if not self.is_alive(requests[max(0, at - 1):]):
                        return False
                    at = self.suspect(requests, at, str(gone))
                    if at is None:
                        return False
            if time.monotonic() - begin > self.options.slow:
                self.find_slow(requests)
        return True

    def suspect(self, requests, at, reason):
        """A connection ended without a word: asks for the request at hand once more, alone."""
        if at >= len(requests):
            return at
        route, method, content = requests[at]
        answer, seconds = ask_alone(self.port, method, content)
        self.count(route, answer)
        if answer is None and not self.is_alive(requests[at:at + 1]):
            return None
        if answer is None:
            self.tell(("finding", "no answer", f"{route['method']} {route['path']}: {reason}, twice", [content]))
        else:
            self.check(route, content, answer)
        return at + 1

    def find_slow(self, requests):
        """Asks for each request of a slow batch alone."""
        for route, method, content in requests:
            if Requests.is_expensive(route):
                continue
            answer, seconds = ask_alone(self.port, method, content)
            if seconds > self.options.slow + asked_to_wait(content):
                self.slow(route, method, content, seconds)

    def slow(self, route, method, content, seconds):
        """Reported only when it is slow a second time: a busy machine is slow once in a while."""
        figures = Figures(self.process)
        before = figures.processor_time()
        _, again = ask_alone(self.port, method, content)
        used = figures.processor_time() - before
        if again > self.options.slow + asked_to_wait(content) and used > self.options.slow / 2:
            self.tell(("finding", "slow", f"{route['method']} {route['path']}: {seconds:.1f} s, then {again:.1f} s "
                       f"({used:.1f} s of processor time)", [content]))

    def check(self, route, content, answer):
        fault = fault_of(answer, route["surface"], content.split(b" ", 1)[0].decode("latin-1"))
        if fault:
            words = f"{route['method']} {route['path']}: {fault}"
            self.tell(("finding", "answer", words, [content], answer.body[:300]))

    def count(self, route, answer):
        sums = self.sums
        sums["requests"] += 1
        status = answer.status if answer else 0
        key = (route["surface"], status)
        sums["statuses"][key] = sums["statuses"].get(key, 0) + 1
        name = f"{route['method']} {route['path']}"
        sums["routes"][name] = sums["routes"].get(name, 0) + 1

    def is_alive(self, suspects):
        for _ in range(4):  # It takes a moment to die.
            if not Figures(self.process).lives():
                break
            if ask_alone(self.port, "GET", b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", 5)[0]:
                return True
            time.sleep(0.1)
        else:
            return True
        self.tell(("dead", self.number, [(f"{route['method']} {route['path']}", content) for route, _, content in suspects]))
        return False


def work(number, options, world, routes, grammar, queue, first, deadline, maximum):
    """Where the process begins. A signal to all is the first process's to answer."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        Worker(number, options, world, routes, grammar, queue.put).run(first, deadline, maximum)
    except Exception as error:  # Reported where everything is printed.
        import traceback
        queue.put(("broken", number, f"{error!r}\n{traceback.format_exc()}"))
