"""What scripts/check-webhooks does: a server, a receiver, and the specification's library between them.

usage: check_webhooks.py PROGRAM
"""

import datetime
import http.server
import json
import pathlib
import queue
import shutil
import sys
import threading
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "fuzzing"))

import standardwebhooks.webhooks
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from world import World

PASSWORD = "eleven quiet rivers run"


class Receiver:
    """Keeps what comes, and decides for hooks that everything is allowed."""

    def __init__(self):
        self.came = queue.Queue()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.came.put((self.path, dict(self.headers.items()), body))
                response = b'{"decision": "allow"}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(response)))
                self.end_headers()
                self.wfile.write(response)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self, path):
        """Headers and body of the next request at a path; others are passed over."""
        while True:
            came, headers, body = self.came.get(timeout=300)
            if came == path:
                return headers, body


class Check:
    def __init__(self, program):
        self.world = World(program)
        self.world.environment["OKAERI_ALLOW_PRIVATE_NETWORKS"] = "127.0.0.0/8"
        self.receiver, self.faults, self.checks = Receiver(), [], 0

    def admin(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.key}"}
        status, _, answer = self.world.ask(method, f"/v1/admin/applications/{self.application}{path}", body, headers)
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path} was answered {status} {answer}")
        return json.loads(answer)

    def sign_up(self, name):
        for _ in range(4):
            status, _, answer = self.world.ask(
                "POST", "/v1/sign-up", {"username": name, "password": PASSWORD}, {"Okaeri-Application": self.application})
            if status != 503:
                break
            # A hook has five seconds at the most, which a machine that stands still may take: the question that came is of no use.
            self.receiver.next("/hook")
        if status != 201:
            raise RuntimeError(f"a sign-up was answered {status} {answer}")

    def expect(self, taken, what, secret, headers, body):
        """Whether the library takes a request."""
        self.checks += 1
        try:
            Webhook(secret).verify(body, headers)
            refusal = None
        except WebhookVerificationError as error:
            refusal = str(error)
        if (refusal is None) != taken:
            self.faults.append(f"{what}: {refusal or 'was taken'}")

    def verify(self, what, headers, body, good, bad):
        """A request that each of some secrets verifies, and others do not; changed or late, none does."""
        for number, secret in enumerate(good, 1):
            self.expect(True, f"{what}, secret {number}", secret, headers, body)
            self.expect(False, f"{what}, a changed body", secret, headers, body.replace(b'"id":"', b'"id":"x'))
            self.expect(False, f"{what}, another id", secret, headers | {"webhook-id": "another"}, body)
            stamp = str(int(headers["webhook-timestamp"]) - 60)
            self.expect(False, f"{what}, another time", secret, headers | {"webhook-timestamp": stamp}, body)
            for minutes, taken in [(4, True), (6, False), (-6, False)]:
                with mock.patch.object(standardwebhooks.webhooks, "datetime", clock(minutes)):
                    self.expect(taken, f"{what}, {minutes} minutes later", secret, headers, body)
        for secret in bad:
            self.expect(False, f"{what}, a secret that does not sign", secret, headers, body)

    def run(self):
        world = self.world
        world.start()
        made = json.loads(world.okaeri("application", "create", "Webhooks", "--json").stdout)
        self.application = world.application = made["id"]
        world.facts["admin_key"] = made["adminKey"]
        world._admin()
        self.key = world.facts["admin_session"]

        endpoint = self.admin("POST", "/event-endpoints", {"url": f"{self.receiver.url}/events"})
        hook = self.admin("PUT", "/hooks/sign-up", {
            "url": f"{self.receiver.url}/hook", "whenDown": "refuse", "timeoutMilliseconds": 5000})
        events, hooks = [endpoint["secret"]], [hook["secret"]]
        self.sign_up("hana")
        self.verify("a question", *self.receiver.next("/hook"), hooks, events)
        self.verify("an event", *self.receiver.next("/events"), events, hooks)

        events.append(self.admin("POST", f"/event-endpoints/{endpoint['id']}/rotate", {"overlapHours": 1})["secret"])
        hooks.append(self.admin("POST", "/hooks/sign-up/rotate", {"overlapHours": 1})["secret"])
        self.drain()
        self.sign_up("taro")
        self.verify("a question by two secrets", *self.receiver.next("/hook"), hooks, events)
        self.verify("an event by two secrets", *self.receiver.next("/events"), events, hooks)

        events.append(self.admin("POST", f"/event-endpoints/{endpoint['id']}/rotate", {"overlapHours": 0})["secret"])
        self.drain()
        self.sign_up("jiro")
        self.verify("an event after the overlap", *self.receiver.next("/events"), events[2:], events[:2])
        test = self.admin("POST", f"/event-endpoints/{endpoint['id']}/test")
        if "fault" in test:
            self.faults.append(f"the test was not delivered: {test}")
        world.stop()
        shutil.rmtree(world.folder)

    def drain(self):
        """Waits for the log-in that follows each sign-up, so that the next event is one of the next user."""
        self.receiver.next("/events")


def clock(minutes):
    """The library's clock, put forward."""

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return super().now(tz) + datetime.timedelta(minutes=minutes)

    return Clock


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__.strip())
    check = Check(sys.argv[1])
    try:
        check.run()
    finally:
        check.world.stop()
    for fault in check.faults:
        print(fault, file=sys.stderr)
    if check.faults:
        raise SystemExit(f"check-webhooks: {len(check.faults)} of {check.checks} verifications differ")
    print(f"check-webhooks: standardwebhooks agrees with the server in {check.checks} verifications")


main()
