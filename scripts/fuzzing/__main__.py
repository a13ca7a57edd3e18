"""The boundary fuzzer: hostile requests for every route of a server of its own. Started by scripts/fuzz."""

import argparse
import json
import multiprocessing
import pathlib
import queue
import random
import signal
import sys
import threading
import time

import outside
from attacks import Attacks
from connection import ask_alone
from grammar import Grammar
from record import Record
from report import Findings, table
from surfaces import Requests
from values import Values
from worker import work
from world import Figures, World
from yaml_subset import load

SURFACES = ["native", "admin", "ncmb", "parse", "kii", "envelope", "pages", "dashboard"]
FURTHER = ["connections", "imports", "providers", "mail", "sdk"]


def options():
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz", description="Sends hostile requests to a server of its own, by a seed, and tells what it finds: a server that "
        "ends, answers of 5xx, answers over a second, memory over a bound, /health/live that does not answer.")
    parser.add_argument("--program", default="okaeri", help="the program under test (default: the development build)")
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: 60)")
    parser.add_argument("--requests", type=int, default=1 << 62, help="how many requests at the most")
    parser.add_argument("--seed", type=int, default=1, help="the same seed sends the same requests (default: 1)")
    parser.add_argument("--surface", action="append", choices=SURFACES + FURTHER, help="only this; may be repeated")
    parser.add_argument("--workers", type=int, default=2, help="processes that ask (default: 2)")
    parser.add_argument("--findings", default=".build/fuzz", help="where reproducers are written (default: .build/fuzz)")
    parser.add_argument("--replay", metavar="FILE", help="send the bytes of a finding to a fresh server, and tell what happens")
    parser.add_argument("--resume", action="store_true", help="go on behind what runs of the same seed, surfaces and workers have sent")
    parser.add_argument("--total", action="store_true", help="print the sum over all runs, and end")
    parser.add_argument("--routes", metavar="FILE", help="the list of routes, for a program that has no command for it")
    parser.add_argument("--limits", action="store_true", help="leave the rate limits on")
    parser.add_argument("--database", help="a PostgreSQL database for the server, its tables made by okaeri migrate")
    parser.add_argument("--slow", type=float, default=1.0, help="seconds from which an answer is a finding (default: 1)")
    parser.add_argument("--memory", type=int, default=700, help="MiB that the server may grow by (default: 700)")
    parser.add_argument("--health", type=float, default=1.0, help="seconds within which /health/live answers (default: 1)")
    parser.add_argument("--expensive", type=float, default=0.004, help="share of requests that hash a password or mail (default: 0.004)")
    parser.add_argument("--big", type=float, default=0.01, help="share of batches that are one body of up to 1 MiB (default: 0.01)")
    return parser.parse_args()


class Stopped(Exception):
    """SIGTERM or Ctrl-C: the run ends with its summary."""


def stop_at_signals():
    def stop(number, _):
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, signal.SIG_IGN)
        raise Stopped(signal.Signals(number).name)

    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, stop)


class Run:
    def __init__(self, given):
        self.given = given
        self.surfaces = given.surface or SURFACES + FURTHER
        self.world = World(given.program, limits=given.limits, database=given.database)
        self.findings = Findings(given.findings, given.seed, self.world.facts)
        self.record = Record(
            given.findings, " ".join(["scripts/fuzz", *sys.argv[1:]]), given.program, given.seed, self.surfaces, given.workers)
        self.next_batch = self.record.resumed() if given.resume else [0] * given.workers
        self.ended = "whole"
        self.sums = {"requests": 0, "statuses": {}, "routes": {}}
        self.figures, self.base_memory, self.longest_health, self.most_memory = None, 0, 0.0, 0
        self.stopping = threading.Event()
        self.reports = queue.Queue()

    def start(self, *arguments):
        self.world.start(*arguments)
        self.figures = Figures(self.world.process)

    def facts(self):
        world = self.world
        return {"port": world.port, "url": world.url, "process": world.process, "facts": world.facts}

    def go(self):
        given = self.given
        root = pathlib.Path(__file__).resolve().parent.parent.parent
        grammar = Grammar(load((root / "openapi.yaml").read_text()))
        listed = given.routes and pathlib.Path(given.routes).read_bytes() or self.world.okaeri("routes", "--json").stdout
        routes = json.loads(listed)["routes"]
        routes = [route for route in routes if route["surface"] in self.surfaces]
        if given.database and json.loads(self.world.okaeri("application", "list", "--json").stdout):
            sys.exit("scripts/fuzz: the database has been used before; a run needs one that okaeri migrate has just made the tables of")
        self.start()
        self.world.set_up()
        begin = time.monotonic()
        self.base_memory = self.figures.resident()
        further = [name for name in FURTHER if name in self.surfaces and name != "connections"]
        share = 0.25 if further and routes else 1.0
        watchers = [threading.Thread(target=self.watch, daemon=True)]
        if "connections" in self.surfaces:
            watchers.append(threading.Thread(target=self.attack, daemon=True))
        for watcher in watchers:
            watcher.start()
        try:
            if routes:
                self.flood(routes, grammar, begin + given.seconds * (1 - share if further else 1))
            elif "connections" in self.surfaces:
                time.sleep(given.seconds)
        except Stopped as stopped:
            self.ended = str(stopped)
        self.stopping.set()
        for watcher in watchers:
            watcher.join(30)
        self.drain()
        if self.figures.lives():
            self.last_words()
        try:
            for index, name in enumerate(further if self.ended == "whole" else []):
                left = max(begin + given.seconds - time.monotonic(), 2.0 * (len(further) - index))
                getattr(outside, name)(self, left / (len(further) - index))
                self.save()
        except Stopped as stopped:
            self.ended = str(stopped)
        seconds = time.monotonic() - begin
        print(table(self.sums, seconds))
        asked = {f"{route['method']} {route['path']}" for route in routes}
        print(f"routes asked: {len(asked & set(self.sums['routes']))} of {len(asked)}; memory at the most "
              f"{self.most_memory >> 20} MiB; /health/live at the slowest {self.longest_health * 1000:.0f} ms; seed {given.seed}")
        if not given.resume and self.sums["requests"] > 2 * len(asked) and asked - set(self.sums["routes"]):
            self.findings.add("not asked", f"{sorted(asked - set(self.sums['routes']))[:5]}")
        return self.end()

    def save(self, more=(), ended=None):
        """Notes how far the run is, with what the workers have reported since."""
        requests = self.sums["requests"] + sum(one["requests"] for one in more if one)
        self.record.save(requests, len(self.findings.known), self.next_batch, ended)

    def end(self):
        self.save(ended=self.ended)
        if self.ended != "whole":
            print(f"ended early, by {self.ended}")
        print(self.record.total())
        found = self.findings.summary()
        if not found:
            print("found nothing")
            return 0
        print(f"found {len(found)}:")
        for line in found:
            print(f"  {line}")
        return 1

    def flood(self, routes, grammar, deadline):
        """Lets the workers ask; after a death of the server finds out by what, and goes on."""
        given, next_batch = self.given, self.next_batch
        while time.monotonic() < deadline and len(self.findings.known) < self.findings.maximum:
            messages, sums = multiprocessing.Queue(), [None] * given.workers
            maximum = (given.requests - self.sums["requests"]) // given.workers
            if maximum <= 0:
                return
            workers = [multiprocessing.Process(target=work, daemon=True, args=(
                number, given, self.facts(), routes, grammar, messages, next_batch[number], deadline, maximum))
                for number in range(given.workers)]
            for worker in workers:
                worker.start()
            suspects, ended = [], set()
            try:
                while len(ended) < given.workers:
                    try:
                        kind, *rest = messages.get(timeout=1)
                    except queue.Empty:
                        ended |= {number for number, worker in enumerate(workers) if not worker.is_alive()}
                        if time.monotonic() > deadline + 60:
                            break
                        continue
                    if kind == "finding":
                        self.findings.add(*rest)
                    elif kind == "facts":
                        self.know(rest[0])
                    elif kind == "dead":
                        suspects.append(rest[1])
                    elif kind == "broken":
                        raise RuntimeError(rest[1])
                    else:
                        number, next_batch[number], sums[number] = rest
                        if kind != "sums":
                            ended.add(number)
                            next_batch[number] += 1
                        self.save(sums)
            finally:
                for worker in workers:
                    worker.join(0 if len(ended) < given.workers else 5)
                    worker.kill()
                for one in sums:
                    self.add(one)
            self.drain()
            if not self.figures.lives():
                self.died(suspects)
            elif all(one is None for one in sums):
                return

    def know(self, lists):
        """People whom a worker made, for the sake of replays."""
        for name, values in lists.items():
            known = self.world.facts.setdefault(name, [])
            known += values[len(values) - 3:] if name.endswith(("sessions", "tokens", "users")) else []
            del known[:-300]

    def add(self, sums):
        if not sums:
            return
        self.sums["requests"] += sums["requests"]
        for name in ("statuses", "routes"):
            for key, count in sums[name].items():
                self.sums[name][key] = self.sums[name].get(key, 0) + count

    def drain(self):
        while not self.reports.empty():
            self.findings.add(*self.reports.get()[1:])

    def died(self, suspects):
        """The server is gone: starts it anew on the same data, and asks for the suspects one by one."""
        status, log = self.world.stop(), self.world.log.read_bytes()[-3000:]
        for contents in suspects:
            for name, content in contents:
                self.start()
                ask_alone(self.world.port, content.split(b" ")[0].decode("latin-1"), content, 20)
                time.sleep(0.2)
                if not self.figures.lives():
                    self.world.stop()
                    self.findings.add("server ended", name, [content], self.world.log.read_bytes()[-300:])
                    self.start()
                    return
                self.world.stop()
        self.findings.add("server ended", f"status {status}, by none of the suspects alone", [content for contents in suspects for _, content in contents], log[-600:])
        self.start()

    def watch(self):
        """Memory and health while the others ask."""
        slow = 0
        while not self.stopping.wait(0.25):
            figures = self.figures
            if not figures.lives():
                continue
            memory = figures.resident()
            self.most_memory = max(self.most_memory, memory)
            if memory - self.base_memory > self.given.memory << 20:
                self.reports.put(("finding", "memory", f"the server grew by more than {self.given.memory} MiB", []))
            answer, seconds = ask_alone(self.world.port, "GET", b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", 20)
            if answer is None:
                continue  # Between two lives of the server; those who asked report a death.
            self.longest_health = max(self.longest_health, seconds)
            slow = slow + 1 if seconds > self.given.health else 0
            if slow == 2:
                self.reports.put(("finding", "health", f"/health/live takes {seconds:.1f} s", []))

    def attack(self):
        """Hostile connections while the others ask."""
        attacks = Attacks(self.given.seed, self.facts(), self.reports.put)
        rounds = 0
        while not self.stopping.is_set():
            attacks.port = self.world.port
            attacks.round()
            if rounds % 10 == 0:
                before = self.figures.resident()
                attacks.never_read([b"GET /v1/openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n"] * 200, 8, 3)
                attacks.never_read([b"POST /v1/log-in/automatic HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"] * 200, 8, 3)
                grown = self.figures.resident() - before
                if grown > 300 << 20:
                    self.reports.put(("finding", "memory", f"answers that nobody reads hold {grown >> 20} MiB", []))
            rounds += 1
        self.sums["statuses"]["connections", 400] = attacks.asked
        self.sums["requests"] += attacks.asked

    def last_words(self):
        """Ends the server; its log must not tell of faults."""
        status = self.world.stop()
        if status != 0:
            self.findings.add("server ended", f"status {status} after SIGTERM")
        for line in self.world.log.read_text(errors="replace").splitlines():
            # Somebody else's server that does not answer, and work that waits for its turn, are declared.
            declared = any(word in line for word in ("error=providerUnavailable", "error=mailUnavailable", "error=busy"))
            if " error " in line and not declared and any(word in line for word in ("storage fault", "request failed", "Fatal error")):
                self.findings.add("log", line.split(" ", 1)[1].split("request_id=")[0][:160], [line.encode()])

    def replay(self, file):
        """One finding again, on a server that has what the set-up makes; keys and tokens in it are replaced."""
        self.start()
        self.world.set_up()
        requests = Requests([], None, self.world.facts, self.world.url, Values(random.Random(1).random))
        for number in range(3):
            requests.renew(self.world, f"replay {number}")
        content = outside.with_new_keys(file, self.world)
        answer, seconds = ask_alone(self.world.port, content.split(b" ")[0].decode("latin-1"), content, 60)
        time.sleep(0.3)
        lives = self.figures.lives()
        print(f"the server {'lives' if lives else 'is gone'}; "
              + (f"{answer.status} after {seconds:.2f} s: {answer.body[:400]!r}" if answer else f"no answer after {seconds:.2f} s"))
        self.world.stop()
        if not lives:
            print(self.world.log.read_text(errors="replace")[-1500:])
        return 0 if lives and answer and answer.status < 500 and seconds < self.given.slow else 1


def main():
    given = options()
    if given.total:
        print(Record(given.findings, "", given.program, 0, [], 0).total())
        return 0
    run, status = Run(given), None
    stop_at_signals()
    try:
        status = run.replay(given.replay) if given.replay else run.go()
    except Stopped as stopped:
        print(f"ended before it began, by {stopped}")
        return 1
    finally:
        World.leave(nothing_found=status == 0)
    return status


if __name__ == "__main__":
    sys.exit(main())
