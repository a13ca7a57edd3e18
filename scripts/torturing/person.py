"""A person with devices, and what a server has answered to them: what was acknowledged has to stay."""

import calendar
import http.client
import json
import socket
import time

from keys import DeviceKey

PASSWORD = "eleven quiet rivers run"


class Difference(Exception):
    """The server is not as it answered."""


class Lost(Exception):
    """The connection ended: nobody knows whether the request was carried out."""


class Unavailable(Lost):
    """The server says that its storage fails: the request was carried out or not."""


class Client:
    """A connection to the server as it is at present."""

    def __init__(self, target):
        self.target = target
        self.connection = None
        self.proofs = 0

    def ask(self, method, path, body=None, token=None, key=None, bearer=None):
        """Status and JSON of a response. A proof whose time the server refuses is made once more with the server's, as the
        SDK does."""
        status, answer = self._ask(method, path, body, token, key, bearer, time.time())
        if status == 401 and answer.get("code") == "clock_skew":
            server_time = time.strptime(answer["serverTime"][:19], "%Y-%m-%dT%H:%M:%S")
            status, answer = self._ask(method, path, body, token, key, bearer, calendar.timegm(server_time))
        return status, answer

    def _ask(self, method, path, body, token, key, bearer, now):
        headers = {"Okaeri-Application": self.target.application}
        if bearer or token:
            headers["Authorization"] = f"Bearer {bearer or token}"
        if key:
            self.proofs += 1
            name = f"{id(self)} {self.proofs} {time.monotonic_ns()}"
            headers["DPoP"] = key.proof(method, self.target.url + path, now, name, token).decode()
        content = None
        if body is not None:
            content, headers["Content-Type"] = json.dumps(body), "application/json"
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.target.port, timeout=60)
            self.connection.request(method, path, content, headers)
            response = self.connection.getresponse()
            bytes_ = response.read()
        except (OSError, http.client.HTTPException, socket.timeout) as fault:
            self.close()
            raise Lost(str(fault)) from fault
        if response.status in (503, 507) and self.target.may_fail:
            raise Unavailable(f"{method} {path} was answered {response.status}")
        if response.status >= 500:
            raise Difference(f"{method} {path} was answered {response.status}: {bytes_[:300]!r}")
        return response.status, json.loads(bytes_) if bytes_ else {}

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


class Person:
    """Everything that is known of one user. What is under way when the server is killed stands in `unknown`."""

    def __init__(self, name):
        self.name = name
        self.keys = [DeviceKey(f"{name} 0")]
        self.user = None
        self.key = None
        self.token = None
        self.username = None
        self.number = 0
        self.ended = []
        self.spent = []
        # The types of its events, and those of users that it has taken over, by their ids.
        self.events, self.taken = [], []
        self.is_deleted = False
        self.is_merged = False
        # Whether an operator's merge of it is under way.
        self.is_held = False
        self.unknown = None

    def __repr__(self):
        return f"{self.name} ({self.user})"

    def expect(self, holds, words):
        if not holds:
            raise Difference(f"{self}: {words}")

    def carry_out(self, client, what, *arguments):
        """Begins something that a kill may interrupt."""
        self.unknown = (what.__name__, arguments)
        what(client, *arguments)
        self.unknown = None

    # What people do

    def log_in(self, client, key=None):
        key = key or self.keys[-1]
        status, answer = client.ask("POST", "/v1/log-in/automatic", {}, key=key)
        if self.is_deleted:
            return self.expect(status == 403, f"a log-in after the deletion was answered {status} {answer}")
        self.expect(status in (200, 201), f"a log-in was answered {status} {answer}")
        if self.user is None:
            self.events.append("user.created")
        self.expect(self.user in (None, answer["user"]["id"]), f"the key leads to {answer['user']['id']}")
        self.user, self.token, self.key = answer["user"]["id"], answer["session"]["token"], key

    def log_in_freshly(self, client):
        """Guests are fresh by their key; users with a password show it."""
        self.confirm(client)
        self.log_in(client)
        if self.username:
            body = {"password": PASSWORD}
            status, answer = client.ask("POST", "/v1/user/reauthenticate", body, token=self.token, key=self.key)
            self.expect(status == 200, f"the password was answered {status} {answer}")
            self.ended.append(self.token)
            self.token = answer["session"]["token"]

    def confirm(self, client):
        """A guest's first phone acknowledges the devices that joined: until then they prove nothing of the owner."""
        if self.username or len(self.keys) < 2:
            return
        self.log_in(client, self.keys[0])
        status, answer = client.ask("GET", "/v1/user/notices", token=self.token)
        self.expect(status == 200, f"the notices were answered {status} {answer}")
        for notice in answer["notices"]:
            status, _ = client.ask("DELETE", f"/v1/user/notices/{notice['id']}", token=self.token)
            self.expect(status == 204, f"an acknowledgement was answered {status}")

    def change(self, client):
        self.unknown = ("change", (self.number + 1,))
        status, answer = client.ask("PATCH", "/v1/user", {"fields": {"n": self.number + 1}}, token=self.token)
        self.expect(status == 200, f"a change was answered {status} {answer}")
        self._has_changed(self.number + 1)

    def upgrade(self, client):
        self.confirm(client)
        body = {"username": self.name, "password": PASSWORD}
        status, answer = client.ask("POST", "/v1/user/upgrade", body, token=self.token, key=self.key)
        self.expect(status == 200, f"an upgrade was answered {status} {answer}")
        self._is_upgraded()

    def log_out(self, client):
        status, answer = client.ask("POST", "/v1/log-out", token=self.token)
        self.expect(status == 204, f"a log-out was answered {status} {answer}")
        self.ended.append(self.token)
        self.token = None

    def transfer(self, client):
        """To a new phone, by a code, which is worth nothing afterwards."""
        self.log_in_freshly(client)
        status, answer = client.ask("POST", "/v1/user/transfer-code", token=self.token, key=self.key)
        if status == 429:
            return
        self.expect(status == 201, f"a transfer code was answered {status} {answer}")
        code, key = answer["code"], DeviceKey(f"{self.name} {len(self.keys)}")
        self.unknown = ("transfer", (key,))
        status, answer = client.ask("POST", "/v1/log-in/transfer-code", {"code": code}, key=key)
        self.expect(status == 200, f"a transfer was answered {status} {answer}")
        self.expect(answer["user"]["id"] == self.user, "the code led elsewhere")
        self._has_device(key)
        self.spent.append(code)
        self.unknown = ("log_in", ())
        self.confirm(client)
        self.token, self.key = answer["session"]["token"], key

    def delete(self, client):
        self.log_in_freshly(client)
        status, answer = client.ask("DELETE", "/v1/user", token=self.token, key=self.key)
        self.expect(status == 202, f"a deletion was answered {status} {answer}")
        self._is_gone()

    def take_over(self, client, guest):
        """A guest becomes this user, by an operator."""
        path = f"/v1/admin/applications/{client.target.application}/users/{guest.user}/merge"
        status, answer = client.ask("POST", path, {"into": self.user}, bearer=client.target.admin_key)
        self.expect(status == 200, f"a merge of {guest} was answered {status} {answer}")
        self._has_taken(guest)

    # What became of it

    def settle(self, client, random):
        """After a start: what was under way did happen, or did not; everything else is as it was answered."""
        unknown, self.unknown = self.unknown, None
        if self.user is None:
            return self.log_in(client)
        if unknown:
            self._find_out(client, *unknown)
        self.verify(client, random)

    def _find_out(self, client, what, arguments):
        if what == "delete":
            status, answer = client.ask("POST", "/v1/log-in/automatic", {}, key=self.keys[-1])
            self.expect(status in (200, 403), f"a log-in was answered {status} {answer}")
            if status == 403:
                self._is_gone()
            else:
                self.token, self.key = answer["session"]["token"], self.keys[-1]
            return
        if what == "log_out":
            status, _ = client.ask("GET", "/v1/user", token=self.token)
            if status == 401:
                self.ended.append(self.token)
                self.token = None
        if what == "log_in":
            # The session before may have ended for the new one, whose token nobody has.
            self.token = None
        if what == "transfer":
            self.token = None
            if arguments:
                status, answer = client.ask("POST", "/v1/log-in/automatic", {}, key=arguments[0])
                self.expect(status in (200, 201), f"a log-in was answered {status} {answer}")
                if answer["user"]["id"] == self.user:
                    self._has_device(arguments[0])
        if what == "take_over":
            guest = arguments[0]
            status, answer = client.ask("POST", "/v1/log-in/automatic", {}, key=guest.keys[-1])
            self.expect(status == 200, f"a log-in of {guest} was answered {status} {answer}")
            if answer["user"]["id"] == self.user:
                self._has_taken(guest)
            else:
                guest.token, guest.key = answer["session"]["token"], guest.keys[-1]
        if what in ("change", "upgrade"):
            self.log_in(client)
            _, user = client.ask("GET", "/v1/user", token=self.token)
            if what == "change" and user.get("fields", {}).get("n") == arguments[0]:
                self._has_changed(arguments[0])
            if what == "upgrade" and user.get("username"):
                self._is_upgraded()

    def verify(self, client, random):
        for token in random.sample(self.ended, min(2, len(self.ended))):
            status, _ = client.ask("GET", "/v1/user", token=token)
            self.expect(status == 401, f"a session that had ended was answered {status}")
        for code in self.spent[-1:]:
            stranger = DeviceKey(f"stranger {self.name} {time.monotonic_ns()}")
            status, answer = client.ask("POST", "/v1/log-in/transfer-code", {"code": code}, key=stranger)
            self.expect(status == 403, f"a spent transfer code was answered {status} {answer}")
        if self.is_deleted:
            return self.log_in(client)
        if self.token is None:
            self.log_in(client)
        status, user = client.ask("GET", "/v1/user", token=self.token)
        self.expect(status == 200, f"a session was answered {status} {user}")
        self.expect(user["id"] == self.user, f"the session is of {user['id']}")
        found = user.get("fields", {}).get("n", 0)
        self.expect(found == self.number, f"the field is {found}, and was answered as {self.number}")
        self.expect(user.get("username") == self.username, f"the user name is {user.get('username')}")
        self.log_in(client, random.choice(self.keys))

    # What was carried out, whether it was answered or found afterwards. Its event was written with it.

    def _has_changed(self, number):
        self.number = number
        self.events.append("user.changed")

    def _is_upgraded(self):
        self.username = self.name
        self.events.append("user.upgraded")

    def _has_device(self, key):
        self.keys.append(key)
        self.events += ["transfer-code.issued", "transfer-code.redeemed"]

    def _is_gone(self):
        self.is_deleted = True
        self.events.append("user.deletion-requested")
        if self.token:
            self.ended.append(self.token)
        self.token = None

    def _has_taken(self, guest):
        self.keys.append(guest.keys[-1])
        self.events.append("user.merged")
        self.taken.append((guest.user, guest.events))
        if guest.token:
            self.ended.append(guest.token)
        guest.token, guest.user = None, self.user
        guest.is_merged = True
