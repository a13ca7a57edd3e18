"""What scripts/check-import-pocketbase does: a PocketBase with users, the guide's commands, and a server that has taken them in.

usage: check_import_pocketbase.py PROGRAM POCKETBASE
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "scripts" / "fuzzing"))

from world import World

GUIDE = root / "docs" / "migrating" / "from-pocketbase.md"
PASSWORD = "eleven quiet rivers run"
SUPERUSER = ("root@example.com", "a long one for the superuser")
GOOGLE = "108123456789012345678"
# A field of each type that a value differs in between the database and the API.
FIELDS = [
    {"name": "username", "type": "text", "max": 40}, {"name": "score", "type": "number"}, {"name": "settings", "type": "json"},
    {"name": "birthday", "type": "date"}, {"name": "vip", "type": "bool"}, {"name": "home", "type": "geoPoint"},
    {"name": "team", "type": "select", "maxSelect": 1, "values": ["red", "1"]},
    {"name": "tags", "type": "select", "maxSelect": 3, "values": ["a", "b", "c"]},
]
# Of PocketBase itself, and what is no custom field of a user here.
NO_FIELDS = {"id", "collectionId", "collectionName", "created", "updated", "email", "emailVisibility", "verified", "name", "username"}
USERS = [
    {"email": "hana@example.com", "verified": True, "name": "Hana", "username": "hana", "score": 4.5, "vip": True, "team": "1",
     "settings": {"a": [1, 2], "ü": "日本"}, "birthday": "2001-02-03 00:00:00.000Z", "tags": ["a", "b"],
     "home": {"lon": 139.7, "lat": 35.6}},
    {"email": "jiro@example.com"},
    {"email": "gina@example.com", "verified": True, "settings": "a text", "score": 12, "team": "red"},
]


class PocketBase:
    """A server with an auth collection, as its own API makes it."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        data = ["--dir", str(folder / "pb_data")]
        subprocess.run([program, "superuser", "upsert", *SUPERUSER, *data], check=True, stdout=subprocess.DEVNULL)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(folder / "pocketbase.log", "wb") as log:
            self.server = subprocess.Popen(
                [program, "serve", "--http", f"127.0.0.1:{self.port}", *data], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        limit = time.monotonic() + 30
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                break
            if self.server.poll() is not None or time.monotonic() > limit:
                raise SystemExit("check_import_pocketbase: PocketBase does not start")
            time.sleep(0.05)
        self.token = None

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json"} | ({"Authorization": self.token} if self.token else {})
        connection.request(method, f"/api/collections{path}", json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path} was answered {answer.status} {content[:400]!r}")
        return json.loads(content)

    def fill(self):
        """The users as PocketBase shows them, and the one that Google leads to."""
        identity, password = SUPERUSER
        self.token = self.ask("POST", "/_superusers/auth-with-password", {"identity": identity, "password": password})["token"]
        collection = self.ask("GET", "/users")
        self.ask("PATCH", "/users", {"fields": collection["fields"] + FIELDS})
        secret = {"password": PASSWORD, "passwordConfirm": PASSWORD}
        users = [self.ask("POST", "/users/records", user | secret) for user in USERS]
        self.ask("POST", "/_externalAuths/records", {
            "collectionRef": collection["id"], "recordRef": users[2]["id"], "provider": "google", "providerId": GOOGLE})
        return users

    def stop(self):
        self.server.terminate()
        self.server.wait()


def commands():
    """The commands of the guide, in their order: each line that begins with a dollar sign, with the lines that go on from it."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        found += [command.strip() for command in re.split(r"^\$ ", block, flags=re.MULTILINE) if command.strip()]
    return found


class Check:
    def __init__(self, program, pocketbase):
        self.world = World(program)
        self.commands = self.world.folder / "bin"
        self.commands.mkdir()
        (self.commands / "okaeri").symlink_to(os.path.abspath(program))
        self.pocketbase = PocketBase(pocketbase, self.world.folder)
        self.faults, self.checks = [], 0

    def expect(self, holds, what):
        self.checks += 1
        if not holds:
            self.faults.append(what)

    def guide(self, command):
        """Runs a command as the guide has it; the application's id alone is another."""
        command = re.sub(r"(--application) \w+", rf"\1 {self.application}", command)
        environment = self.world.environment | {"PATH": f"{self.commands}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.world.folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.expect(done.returncode == 0, f"{command}: {done.returncode} {done.stdout} {done.stderr}")
        return done.stdout

    def run(self):
        world = self.world
        users = self.pocketbase.fill()
        export, rehearsal, take = [
            command for command in commands() if command.startswith(("sqlite3", "okaeri import pocketbase"))]
        self.application = json.loads(world.okaeri("application", "create", "My app", "--json").stdout)["id"]
        world.okaeri(
            "application", "provider", "set", self.application, "google", "--client", "123.apps.googleusercontent.com")
        self.guide(export)
        for command, words in [(rehearsal, "3 would be imported"), (take, "3 imported"), (take, "3 there already")]:
            printed = self.guide(command)
            self.expect(words in printed, f"{command}: {printed}")
        world.start()
        for user in users:
            self.compare(user)
        for name in ["hana", "hana@example.com", "jiro@example.com"]:
            for password, expected in [(PASSWORD, 200), (PASSWORD + "s", 401)]:
                status, _, _ = world.ask(
                    "POST", "/v1/log-in/password", {"identifier": name, "password": password},
                    {"Okaeri-Application": self.application})
                self.expect(status == expected, f"a log-in as {name} was answered {status}, not {expected}")

    def compare(self, user):
        """Whether a user here is what PocketBase shows."""
        shown = json.loads(
            self.world.okaeri("user", "show", user["id"], "--application", self.application, "--json").stdout)
        shown = shown.get("user", shown)
        for there, here in [("email", "email"), ("verified", "emailVerified"), ("name", "displayName"), ("username", "username")]:
            self.expect((user[there] or None) == (shown.get(here) or None), f"{there} of {user['email']} is {shown.get(here)}")
        self.expect(shown["createdAt"] == user["created"].replace(" ", "T"), f"created is {shown['createdAt']}")
        fields = {name: value for name, value in user.items() if name not in NO_FIELDS and value not in ("", None)}
        self.expect(shown["fields"] == fields, f"fields of {user['email']} are {shown['fields']}, not {fields}")
        linked = [identity["subject"] for identity in shown["identities"] if identity["provider"] == "google"]
        self.expect(linked == ([GOOGLE] if user["email"].startswith("gina") else []), f"{user['email']} has the identities {linked}")


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__.strip())
    check = Check(*sys.argv[1:])
    try:
        check.run()
    finally:
        check.world.stop()
        check.pocketbase.stop()
    for fault in check.faults:
        print(f"✘ {fault}", file=sys.stderr)
    if check.faults:
        raise SystemExit(f"check_import_pocketbase: {len(check.faults)} of {check.checks} checks failed; see {check.world.folder}")
    shutil.rmtree(check.world.folder)
    print(f"{check.checks} checks: users of PocketBase are here as they were there")


if __name__ == "__main__":
    main()
