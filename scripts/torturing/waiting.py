"""Lets very many events wait for a receiver that is down, and compares log-ins and memory with what they were before."""

import argparse
import json
import pathlib
import re
import shutil
import socket
import sqlite3
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzzing"))

from person import Client, Person
from world import World


class Waiting:
    def __init__(self, options):
        self.options = options
        self.world = World(options.program)
        self.world.environment["OKAERI_ALLOW_PRIVATE_NETWORKS"] = "127.0.0.0/8"
        # Its port is taken, and nobody listens there.
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.receiver = f"http://127.0.0.1:{self.socket.getsockname()[1]}/events"
        self.people = [Person(f"person {number}") for number in range(options.threads * 10)]

    # What clients read
    @property
    def url(self):
        return self.world.url

    @property
    def port(self):
        return self.world.port

    def run(self):
        self.prepare()
        before = self.measure("nothing waits")
        self.world.stop()
        self.fill()
        self.world.start()
        left = self.unordered()
        during = self.measure("events get their positions")
        begin = time.monotonic()
        while left and self.unordered():
            time.sleep(1)
        print(f"all {left} had a position after {time.monotonic() - begin:.0f} s more", flush=True)
        after = self.measure("all wait for a receiver that is down")
        self.world.stop()
        return self.tell(before, during, after)

    def prepare(self):
        self.world.start()
        made = json.loads(self.world.okaeri("application", "create", "Waiting", "--json").stdout)
        self.application = self.world.application = made["id"]
        path, bearer = f"/v1/admin/applications/{self.application}/event-endpoints", made["adminKey"]
        status, answer = Client(self).ask("POST", path, {"url": self.receiver}, bearer=bearer)
        if status == 403:
            self.world._admin()
            status, answer = Client(self).ask(
                "POST", path, {"url": self.receiver}, bearer=self.world.facts["full_key"])
        if status != 201:
            raise RuntimeError(f"the endpoint of events was answered {status} {answer}")
        client = Client(self)
        for person in self.people:
            person.log_in(client)

    def database(self):
        return sqlite3.connect(self.world.folder / "data" / "okaeri.sqlite", timeout=60)

    def fill(self):
        """Rows as the server writes them: each user has ten, and none has a position yet."""
        begin, now = time.monotonic(), int(time.time() * 1000)
        rows = (
            (self.application, f"waiting-{number:08}", "user.logged-in", f"user-{number // 10}", now, "{}", number % 10 + 1)
            for number in range(self.options.events))
        with self.database() as database:
            database.executemany(
                "INSERT INTO events (application_id, id, type, user_id, happened_at, details, user_number) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        print(f"{self.options.events} events written in {time.monotonic() - begin:.0f} s", flush=True)

    def unordered(self):
        with self.database() as database:
            return database.execute("SELECT COUNT(*) FROM events WHERE position IS NULL").fetchone()[0]

    def measure(self, words):
        """Milliseconds of automatic log-ins of known devices, and the most memory that the server has had, in MiB."""
        times, lock, end = [], threading.Lock(), time.monotonic() + self.options.seconds

        def log_in(people):
            client, own = Client(self), []
            while time.monotonic() < end:
                for person in people:
                    begin = time.monotonic()
                    person.log_in(client)
                    own.append((time.monotonic() - begin) * 1000)
            with lock:
                times.extend(own)

        threads = [threading.Thread(target=log_in, args=(self.people[number::self.options.threads],))
                   for number in range(self.options.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        status = pathlib.Path(f"/proc/{self.world.process}/status").read_text()
        memory = int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) / 1024
        cuts = statistics.quantiles(times, n=100)
        print(f"{words}: {len(times)} log-ins, median {cuts[49]:.2f} ms, 99 of 100 within {cuts[98]:.2f} ms, "
              f"at most {memory:.0f} MiB", flush=True)
        return {"median": cuts[49], "late": cuts[98], "memory": memory}

    def tell(self, before, during, after):
        faults = []
        for name, measured in [("while they get positions", during), ("while all wait", after)]:
            # They share the processors and the one writer with the ordering, in turns of 200 events.
            if measured["median"] > before["median"] * 2 + 5:
                faults.append(f"log-ins take {measured['median']:.1f} ms {name}, and {before['median']:.1f} ms before")
            if measured["memory"] > before["memory"] + 100:
                faults.append(f"{measured['memory'] - before['memory']:.0f} MiB more memory {name}")
        for fault in faults:
            print(f"DIFFERENCE: {fault}", file=sys.stderr)
        if faults or self.options.keep:
            print(f"the data is in {self.world.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.world.folder)
        print("waiting events: " + ("FAILED" if faults else "log-ins and memory are as without them"))
        return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/torture --waiting", description="Lets very many events wait, and measures log-ins and memory.")
    parser.add_argument("--program", help="the server; scripts/torture finds it", required=True)
    parser.add_argument("--waiting", dest="events", type=int, default=1_000_000, help="how many events (default 1000000)")
    parser.add_argument("--seconds", type=float, default=10, help="of each measurement (default 10)")
    parser.add_argument("--threads", type=int, default=4, help="clients at once (default 4)")
    parser.add_argument("--keep", action="store_true", help="keep the data")
    sys.exit(Waiting(parser.parse_args()).run())


main()
