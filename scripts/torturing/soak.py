"""Hours of mixed load without a kill: memory, files, latency and the sizes of the database, and whether they stay flat."""

import json
import os
import pathlib
import random
import statistics
import shutil
import sys
import threading
import time

from torture import Torture

from person import Client, Difference, Lost

# So much may change after the first quarter, which fills caches and pools.
MEMORY_SHARE, MEMORY_BYTES = 0.10, 8 << 20
MORE_FILES = 8
SLOWER, SLOWER_SECONDS = 1.5, 0.010
LOG_BYTES = 128 << 20


class TimedClient(Client):
    """Notes how long each request takes."""

    def _ask(self, *arguments):
        begin = time.monotonic()
        answer = super()._ask(*arguments)
        self.target.latencies.append(time.monotonic() - begin)
        return answer


def slope(samples, name):
    """By how much it grows from the first sample to the last, as the line through all of them has it."""
    times, values = [one["seconds"] for one in samples], [one[name] for one in samples]
    middle, mean = statistics.fmean(times), statistics.fmean(values)
    spread = sum((at - middle) ** 2 for at in times)
    rise = sum((at - middle) * (value - mean) for at, value in zip(times, values)) / spread if spread else 0
    return rise * (times[-1] - times[0])


def verdict(samples):
    """What does not stay flat, in words."""
    quarter = max(1, len(samples) // 4)
    rest, last = samples[quarter:], samples[-quarter:]
    faults = []
    growth, mean = slope(rest, "memory"), statistics.fmean(one["memory"] for one in rest)
    if growth > max(MEMORY_SHARE * mean, MEMORY_BYTES):
        faults.append(f"memory grows by {growth / 1e6:.1f} MB of {mean / 1e6:.1f} MB")
    before = max(one["files"] for one in samples[:2 * quarter])
    files = max(one["files"] for one in last)
    if files > before + MORE_FILES:
        faults.append(f"files grow from {before} to {files}")
    early = statistics.median(one["p99"] for one in rest[:quarter])
    late = statistics.median(one["p99"] for one in last)
    if late > SLOWER * early + SLOWER_SECONDS:
        faults.append(f"p99 grows from {early * 1000:.1f} to {late * 1000:.1f} ms")
    log = max(one["log"] for one in samples)
    if log > LOG_BYTES:
        faults.append(f"the write-ahead log has {log / 1e6:.0f} MB")
    if any(one["requests"] == 0 for one in samples):
        faults.append("for one look and longer nothing was answered")
    return faults, (
        f"memory {mean / 1e6:.1f} MB, {growth / 1e6:+.1f} MB after the first quarter; files {files} (before {before}); "
        f"p99 {early * 1000:.1f} ms, then {late * 1000:.1f} ms; log at most {log / 1e6:.1f} MB; "
        f"database {samples[-1]['database'] / 1e6:.1f} MB")


class Soak(Torture):
    """The same people, for hours."""

    def __init__(self, options):
        super().__init__(options)
        self.latencies = []

    def client(self):
        return TimedClient(self)

    def run(self):
        # A small cache is full soon: what grows afterwards is a leak.
        self.prepare("--session-cache", "1000")
        path = pathlib.Path(self.options.samples or self.world.folder / "samples.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        threads = [threading.Thread(target=self.live, args=(number, self.random.random())) for number in range(self.options.threads)]
        begin, samples = time.monotonic(), []
        for thread in threads:
            thread.start()
        with open(path, "w", encoding="utf-8") as lines:
            while time.monotonic() - begin < self.options.soak and not self.faults:
                time.sleep(max(0, begin + (len(samples) + 1) * self.options.every - time.monotonic()))
                if self.world.server.poll() is not None:
                    self.faults.append(f"the server ended by itself with {self.world.server.returncode}")
                    break
                samples.append(self.look(time.monotonic() - begin))
                lines.write(json.dumps(samples[-1]) + "\n")
                lines.flush()
                if len(samples) % 6 == 0:
                    self.report(samples[-1])
        self.is_over = True
        for thread in threads:
            thread.join()
        faults, words = verdict(samples) if len(samples) > 8 else (["too few looks"], "")
        self.faults += faults
        self.compare_some()
        self.world.stop()
        return self.conclude(samples, words, path)

    def look(self, seconds):
        process = pathlib.Path("/proc") / str(self.world.process)
        memory = next(line for line in (process / "status").read_text().splitlines() if line.startswith("VmRSS:"))
        taken, self.latencies = sorted(self.latencies), []
        data = self.world.folder / "data"
        log = data / "okaeri.sqlite-wal"
        return {
            "seconds": round(seconds, 1), "memory": int(memory.split()[1]) * 1024, "files": len(os.listdir(process / "fd")),
            "requests": len(taken), "p50": taken[len(taken) // 2] if taken else 0.0,
            "p99": taken[len(taken) * 99 // 100] if taken else 0.0, "database": (data / "okaeri.sqlite").stat().st_size,
            "log": log.stat().st_size if log.exists() else 0, "users": self.all}

    def report(self, one):
        left = max(0, self.options.soak - one["seconds"])
        print(f"{one['seconds']:.0f} s: {one['memory'] / 1e6:.1f} MB, {one['files']} files, {one['requests']} requests, "
              f"p50 {one['p50'] * 1000:.1f} ms, p99 {one['p99'] * 1000:.1f} ms, database {one['database'] / 1e6:.1f} MB, "
              f"log {one['log'] / 1e6:.1f} MB, {one['users']} users; {left / 60:.0f} min left", flush=True)

    def compare_some(self):
        """A few hundred of the users are as was answered, and so are tables and audit log."""
        client = Client(self)
        people = [person for some in self.people for person in some if person.user and not person.is_merged]
        try:
            for person in random.Random(self.options.seed).sample(people, min(300, len(people))):
                person.verify(client, self.random)
        except (Difference, Lost) as fault:
            self.faults.append(str(fault))
        client.close()
        self.world.stop()
        self.examine_database()

    def conclude(self, samples, words, path):
        print(f"{len(samples)} looks, {self.counts['requests']} things done, {self.all} users (seed {self.options.seed}): {words}")
        for fault in self.faults[:20]:
            print(f"FAULT: {fault}", file=sys.stderr)
        if self.faults or self.options.keep or not self.options.samples:
            print(f"what was seen: {path}; the data is in {self.world.folder}")
        else:
            shutil.rmtree(self.world.folder)
        print("soak: " + ("FAILED" if self.faults else "flat"))
        return 1 if self.faults else 0


def self_test():
    """Flat samples are flat, and each thing that grows is found."""
    chance = random.Random(1)

    def samples(**growing):
        return [{
            "seconds": 10.0 * n, "memory": 80e6 + chance.random() * 2e6 + growing.get("memory", 0) * n,
            "files": 40 + chance.randrange(5) + growing.get("files", 0) * n // 10, "requests": 900,
            "p99": 0.02 + chance.random() * 0.004 + growing.get("p99", 0) * n, "log": 33e6 + growing.get("log", 0) * n,
            "database": 1e6 * n} for n in range(1, 721)]

    assert verdict(samples())[0] == [], verdict(samples())
    for name, step in (("memory", 30_000), ("files", 1), ("p99", 0.0001), ("log", 200_000)):
        assert len(verdict(samples(**{name: step}))[0]) == 1, name


if __name__ == "__main__":
    self_test()
    print("soak: the verdict finds what grows")
