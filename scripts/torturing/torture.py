"""Kills a server again and again, or its disk, and compares it with what it answered."""

import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzzing"))

from disk import Disk
from person import Client, Difference, Lost, Person, Unavailable
from receiver import Receiver

from keys import DeviceKey
from world import World


class Torture:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.world = World(options.program)
        # What is looked up at the end has time: a busy machine may need more than searches usually get.
        self.world.environment |= {
            "OKAERI_ALLOW_PRIVATE_NETWORKS": "127.0.0.0/8", "OKAERI_SEARCH_TIME": "60000",
            "OKAERI_SEARCH_TIME_PER_ADDRESS": "3600", "OKAERI_SEARCH_TIME_PER_APPLICATION": "3600"}
        self.disk, self.may_fail, self.is_over = None, False, False
        if options.disk:
            self.disk = Disk(self.world.folder, self.world.folder / "data", remembers=options.disk == "power")
            self.world.environment |= self.disk.environment
        self.receiver = Receiver()
        self.people = [[] for _ in range(options.threads)]
        self.faults, self.expected_events = [], 0
        self.counts = {"requests": 0, "imported": 0, "interrupted": 0, "import kills": 0, "unavailable": 0, "lost sectors": 0}
        self.files = []

    # What clients read
    @property
    def url(self):
        return self.world.url

    @property
    def port(self):
        return self.world.port

    def client(self):
        return Client(self)

    def prepare(self, *arguments):
        self.world.start(*arguments)
        made = json.loads(self.world.okaeri("application", "create", "Torture", "--json").stdout)
        self.application, self.admin_key = made["id"], made["adminKey"]
        self.world.application = self.application
        status, answer = Client(self).ask(
            "POST", f"/v1/admin/applications/{self.application}/event-endpoints", {"url": self.receiver.url},
            bearer=self.admin_key)
        if status == 403:
            self.world._admin()
            self.admin_key = self.world.facts["full_key"]
            status, answer = Client(self).ask(
                "POST", f"/v1/admin/applications/{self.application}/event-endpoints", {"url": self.receiver.url},
                bearer=self.admin_key)
        if status != 201:
            raise Difference(f"the endpoint of events was answered {status} {answer}")

    def run(self):
        begin = time.monotonic()
        self.prepare()
        done = 0
        for done in range(1, self.options.kills + 1):
            if self.options.minutes and time.monotonic() - begin > self.options.minutes * 60:
                done -= 1
                break
            self.work(0.1 + self.random.random() * self.options.load)
            self.world.start()
            self.compare(done)
            if self.faults:
                break
            if done % 10 == 0 or done == self.options.kills:
                passed = time.monotonic() - begin
                left = passed / done * (self.options.kills - done)
                print(f"{done} of {self.options.kills} kills, {self.all} users, {self.counts['interrupted']} requests interrupted, "
                      f"{passed:.0f} s, {left:.0f} s left", flush=True)
        if not self.faults:
            self.finish()
        self.world.stop()
        return self.tell(done, time.monotonic() - begin)

    @property
    def all(self):
        return sum(len(people) for people in self.people)

    # Load until the kill

    def work(self, seconds):
        threads = [threading.Thread(target=self.live, args=(number, self.random.random())) for number in range(self.options.threads)]
        for thread in threads:
            thread.start()
        importer = self.begin_import() if self.random.random() < self.options.imports else None
        if self.options.disk in ("full", "sync"):
            self.disturb(seconds)
        else:
            time.sleep(seconds)
        if self.world.server.poll() is not None:
            self.faults.append(f"the server ended by itself with {self.world.server.returncode}")
        else:
            os.kill(self.world.process, signal.SIGKILL)
        self.world.server.wait()
        self.receiver.begin_life()
        for thread in threads:
            thread.join()
        if importer:
            self.stop_import(importer)
        if self.options.disk == "power":
            self.counts["lost sectors"] += self.disk.lose_power(self.random)
        if importer:
            self.repeat_import()

    def disturb(self, seconds):
        """The disk fails from one write or sync on, for a while, and is well again; then the server answers."""
        self.may_fail = True
        time.sleep(seconds * self.random.random() / 2)
        if self.options.disk == "full":
            self.disk.fill(1 + self.random.randrange(20))
        else:
            self.disk.fail_sync(1 + self.random.randrange(8))
        time.sleep(seconds * self.random.random() / 2)
        self.disk.heal()
        self.await_recovery()
        # Requests that wait may still hear of what failed.
        time.sleep(0.2)

    def await_recovery(self):
        """With a disk that is well again the server takes new users within ten seconds."""
        client, limit = Client(self), time.monotonic() + 10
        while True:
            try:
                status, answer = client.ask("POST", "/v1/log-in/automatic", {}, key=DeviceKey(f"after {time.monotonic_ns()}"))
                if status != 201:
                    self.faults.append(f"with a disk that is well again a first launch was answered {status} {answer}")
                break
            except Unavailable as fault:
                if time.monotonic() > limit:
                    self.faults.append(f"the disk is well again for ten seconds, and {fault}")
                    break
                time.sleep(0.02)
            except (Lost, Difference) as fault:
                self.faults.append(f"with a disk that is well again: {fault}")
                break
        client.close()

    def live(self, number, seed):
        chance, client, people = random.Random(seed), self.client(), self.people[number]
        try:
            while not self.is_over:
                try:
                    self.act(chance, client, people, number)
                    self.counts["requests"] += 1
                except Unavailable:
                    self.counts["unavailable"] += 1
                    time.sleep(0.01)
        except Lost:
            self.counts["interrupted"] += 1
        except Difference as fault:
            self.faults.append(str(fault))
        except Exception as fault:  # A fault of this program must not look like a success.
            self.faults.append(f"{type(fault).__name__}: {fault}")

    def act(self, chance, client, people, number):
        # Those of lately: what this program does for a request does not grow with the hours.
        living = [
            person for person in people[-400:]
            if person.user and not (person.is_deleted or person.is_merged or person.is_held or person.unknown)]
        draw = chance.random()
        if not living or draw < 0.12:
            person = Person(f"p{number}-{len(people)}-{self.options.seed}")
            people.append(person)
            return person.carry_out(client, person.log_in)
        person = chance.choice(living[-20:])
        if person.token is None or draw < 0.35:
            return person.carry_out(client, person.log_in)
        if draw < 0.65:
            return person.carry_out(client, person.change)
        if draw < 0.75:
            return person.carry_out(client, person.log_out)
        if draw < 0.82:
            return person.carry_out(client, person.transfer)
        if draw < 0.86 and person.username is None:
            return person.carry_out(client, person.upgrade)
        guests = [one for one in living if one is not person and one.username is None and one.number == 0]
        if draw < 0.91 and guests and person.username:
            guest = chance.choice(guests)
            guest.keys, guest.is_held = guest.keys[-1:], True
            return person.carry_out(client, person.take_over, guest)
        if draw < 0.93:
            return person.carry_out(client, person.delete)
        return person.carry_out(client, person.change)

    def begin_import(self):
        path = self.world.folder / f"import-{len(self.files)}.jsonl"
        names = [f"imported-{len(self.files)}-{number}" for number in range(self.options.rows)]
        path.write_text("".join(json.dumps({"id": name, "username": name, "fields": {"from": "file"}}) + "\n" for name in names))
        self.files.append((path, names))
        return self.start_import(path)

    def start_import(self, path):
        return subprocess.Popen(
            [self.world.program, "import", "users", str(path), "--application", self.application],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.world.environment)

    def stop_import(self, importer):
        if importer.poll() is None:
            importer.kill()
            self.counts["import kills"] += 1
        importer.communicate()

    def repeat_import(self):
        """What it had stored is passed over."""
        again = self.start_import(self.files[-1][0])
        words = again.communicate()[0].decode(errors="replace")
        if again.returncode != 0:
            self.faults.append(f"an import that was begun again ended with {again.returncode}: {words[-600:]}")
        self.counts["imported"] += self.options.rows

    # What became of it

    def compare(self, kill):
        client, self.may_fail = Client(self), False
        for people in self.people:
            under_way = [person for person in people if person.unknown]
            # In this order: what a merge under way did to a guest is known when its user was asked.
            others = [person for person in people if not person.unknown and person.user and not person.is_merged]
            try:
                for person in under_way:
                    person.settle(client, self.random)
                for person in self.random.sample(others, min(self.options.sample, len(others))):
                    if not person.is_merged:
                        person.verify(client, self.random)
            except Difference as fault:
                self.faults.append(f"after kill {kill}: {fault}")
            except Lost as fault:
                self.faults.append(f"after kill {kill} the server did not answer: {fault}")
            for person in people:
                person.is_held = False
        client.close()

    def finish(self):
        client = Client(self)
        # The last server is stopped, not killed.
        self.longest_life = self.receiver.longest_life
        print("every user is looked at", flush=True)
        try:
            for people in self.people:
                for person in people:
                    if person.user and not person.is_merged:
                        person.verify(client, self.random)
            self.find_imported(client)
        except (Difference, Lost) as fault:
            self.faults.append(f"at the end: {fault}")
        self.world.stop()
        self.receiver.begin_life()
        self.end_leases()
        self.world.start()
        self.await_events()
        self.world.stop()
        self.examine_database()

    def examine_database(self):
        """Tables and audit log are as the program wants them. The server is stopped."""
        for command in (["doctor", "--thorough"], ["audit", "verify"]):
            done = self.world.okaeri(*command, check=False, timeout=600)
            if done.returncode != 0:
                self.faults.append(f"okaeri {' '.join(command)}: {done.stdout.decode()[-600:]} {done.stderr.decode()[-600:]}")

    def find_imported(self, client):
        """Each is there once, however often its import was killed."""
        for _, names in self.files:
            for name in self.random.sample(names, min(5, len(names))):
                path = f"/v1/admin/applications/{self.application}/users?search={name}"
                status, answer = client.ask("GET", path, bearer=self.admin_key)
                found = [one for one in answer.get("users", []) if one["user"].get("username") == name]
                if status != 200 or len(found) != 1:
                    self.faults.append(f"the imported user {name} is there {len(found)} times: {status} {answer}")

    def end_leases(self):
        """Makes due what a killed server had taken, or was going to try again: its lease of two minutes is waited for by
        nobody."""
        now = int(time.time() * 1000)
        with sqlite3.connect(self.world.folder / "data" / "okaeri.sqlite", timeout=60) as database:
            database.execute("UPDATE event_deliveries SET next_try_at = ? WHERE next_try_at > ?", (now, now))
            database.execute("UPDATE event_endpoints SET failures = 0, resumes_at = 0")
        database.close()

    def await_events(self):
        expected = {}
        for people in self.people:
            for person in people:
                if person.user and not person.is_merged:
                    for user, events in [(person.user, person.events), *person.taken]:
                        expected.setdefault(user, []).extend(events)
        self.expected_events = sum(len(events) for events in expected.values())
        limit = time.monotonic() + self.options.drain
        while time.monotonic() < limit and self.receiver.missing(expected):
            time.sleep(0.5)
        left = self.receiver.missing(expected)
        if left and self.options.drain:
            self.faults.append(f"{len(left)} events did not come: {left[:5]}")
        # A kill between the sending of an event and the note of it makes it come once more, by a server that has been there for ten
        # seconds: so no repetition is hit by a kill. A storage that fails loses the note too, and its server goes on.
        if self.options.disk not in ("full", "sync") and self.longest_life < 10:
            often = [event for event, times in self.receiver.times.items() if times > 2]
            if often:
                self.faults.append(f"{len(often)} events came more than twice: {often[:5]}")
        if self.receiver.repeated and self.options.disk not in ("full", "sync"):
            self.faults.append(f"{len(self.receiver.repeated)} events came twice from one server: {self.receiver.repeated[:5]}")
        self.faults += self.receiver.disorder[:5]

    def tell(self, kills, seconds):
        twice, often = (sum(1 for times in self.receiver.times.values() if choose(times)) for choose in (
            lambda times: times == 2, lambda times: times > 2))
        print(f"{kills} kills in {seconds:.0f} s (seed {self.options.seed}): {self.all} users, {self.counts['requests']} things done, "
              f"{self.counts['interrupted']} requests interrupted, {len(self.files)} imports of {self.options.rows} users "
              f"({self.counts['import kills']} killed), {len(self.receiver.times)} events received, {twice} of them twice and {often} more often, "
              f"{self.expected_events} of them known to have been written")
        if self.disk:
            print(f"disk: {self.disk.failed} calls failed, {self.counts['unavailable']} requests were answered that the storage "
                  f"fails, {self.counts['lost sectors']} sectors were lost with the power")
        for fault in self.faults[:20]:
            print(f"DIFFERENCE: {fault}", file=sys.stderr)
        if self.faults or self.options.keep:
            print(f"the data is in {self.world.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.world.folder)
        print("torture: " + ("FAILED" if self.faults else "everything that was answered stayed, and nothing that ended came back"))
        return 1 if self.faults else 0
