"""Kills a server again and again, and compares it with what it answered."""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzzing"))

from person import Client, Difference, Lost, Person
from receiver import Receiver
from world import World


class Torture:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.world = World(options.program)
        self.world.environment["OKAERI_ALLOW_PRIVATE_NETWORKS"] = "127.0.0.0/8"
        self.receiver = Receiver()
        self.people = [[] for _ in range(options.threads)]
        self.faults = []
        self.counts = {"requests": 0, "imported": 0, "interrupted": 0, "import kills": 0}
        self.files = []

    # What clients read
    @property
    def url(self):
        return self.world.url

    @property
    def port(self):
        return self.world.port

    def prepare(self):
        self.world.start()
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
        time.sleep(seconds)
        os.kill(self.world.process, signal.SIGKILL)
        self.world.server.wait()
        for thread in threads:
            thread.join()
        if importer:
            self.end_import(importer)

    def live(self, number, seed):
        chance, client, people = random.Random(seed), Client(self), self.people[number]
        try:
            while True:
                self.act(chance, client, people, number)
                self.counts["requests"] += 1
        except Lost:
            self.counts["interrupted"] += 1
        except Difference as fault:
            self.faults.append(str(fault))
        except Exception as fault:  # A fault of this program must not look like a success.
            self.faults.append(f"{type(fault).__name__}: {fault}")

    def act(self, chance, client, people, number):
        living = [person for person in people if person.user and not person.is_deleted and not person.is_merged]
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
            guest.keys = guest.keys[-1:]
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

    def end_import(self, importer):
        """Killed too, and begun again: what it had stored is passed over."""
        if importer.poll() is None:
            importer.kill()
            self.counts["import kills"] += 1
        importer.communicate()
        again = self.start_import(self.files[-1][0])
        words = again.communicate()[0].decode(errors="replace")
        if again.returncode != 0:
            self.faults.append(f"an import that was begun again ended with {again.returncode}: {words[-600:]}")
        self.counts["imported"] += self.options.rows

    # What became of it

    def compare(self, kill):
        client = Client(self)
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
        client.close()

    def finish(self):
        client = Client(self)
        print("every user is looked at", flush=True)
        try:
            for people in self.people:
                for person in people:
                    if person.user and not person.is_merged:
                        person.verify(client, self.random)
            self.find_imported(client)
        except (Difference, Lost) as fault:
            self.faults.append(f"at the end: {fault}")
        self.await_events()
        self.world.stop()
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

    def await_events(self):
        expected = {}
        for people in self.people:
            for person in people:
                if person.user and not person.is_merged:
                    expected.setdefault(person.user, []).extend(person.events)
        self.expected_events = sum(len(events) for events in expected.values())
        limit = time.monotonic() + self.options.drain
        if self.options.drain:
            print("waiting for the events that a killed server had taken: their lease is two minutes", flush=True)
        while time.monotonic() < limit and self.receiver.missing(expected):
            time.sleep(0.5)
        left = self.receiver.missing(expected)
        if left and self.options.drain:
            self.faults.append(f"{len(left)} events did not come: {left[:5]}")
        often = {name: times for name, times in self.receiver.times.items() if times > 2}
        if often:
            self.faults.append(f"{len(often)} events came more than twice: {list(often.items())[:5]}")
        self.faults += self.receiver.disorder[:5]

    def tell(self, kills, seconds):
        twice = sum(1 for times in self.receiver.times.values() if times == 2)
        print(f"{kills} kills in {seconds:.0f} s (seed {self.options.seed}): {self.all} users, {self.counts['requests']} things done, "
              f"{self.counts['interrupted']} requests interrupted, {len(self.files)} imports of {self.options.rows} users "
              f"({self.counts['import kills']} killed), {len(self.receiver.times)} events received, {twice} of them twice")
        for fault in self.faults[:20]:
            print(f"DIFFERENCE: {fault}", file=sys.stderr)
        if self.faults or self.options.keep:
            print(f"the data is in {self.world.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.world.folder)
        print("torture: " + ("FAILED" if self.faults else "everything that was answered stayed, and nothing that ended came back"))
        return 1 if self.faults else 0


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/torture", description="Kills a server with SIGKILL under mixed load and compares it with what it answered.",
        epilog="Example: CONFIGURATION=release scripts/torture --kills 1000 --seed 7")
    parser.add_argument("--program", help="the server; scripts/torture finds it", required=True)
    parser.add_argument("--kills", type=int, default=20, help="how often (default 20)")
    parser.add_argument("--minutes", type=float, help="begin no further one after so many minutes")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31), help="of the load; times differ each run")
    parser.add_argument("--threads", type=int, default=6, help="clients at once (default 6)")
    parser.add_argument("--load", type=float, default=1.2, help="seconds under load at the most (default 1.2)")
    parser.add_argument("--sample", type=int, default=6, help="users of each client that are looked at after each kill (default 6)")
    parser.add_argument("--imports", type=float, default=0.15, help="how likely an import runs meanwhile (default 0.15)")
    parser.add_argument("--rows", type=int, default=2000, help="users of an import (default 2000)")
    parser.add_argument("--drain", type=float, default=300, help="seconds to wait for the last events; 0 waits for none (default 300)")
    parser.add_argument("--keep", action="store_true", help="keep the data")
    sys.exit(Torture(parser.parse_args()).run())


main()
