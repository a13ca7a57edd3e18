"""What was run: a line for each run, so that a number of requests is reached over several, and a killed run still counts."""

import datetime
import json
import os
import pathlib
import subprocess
import time


class Record:
    """`record.jsonl` has the runs that ended; `running-PID.json` is written every few seconds while one lasts."""

    interval = 5

    def __init__(self, folder, command, program, seed, surfaces, workers):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "record.jsonl"
        self.adopt()
        self.running = self.folder / f"running-{os.getpid()}.json"
        self.begun, self.saved = time.monotonic(), 0.0
        self.line = {
            "begun": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "command": command,
            "program": str(program), "build": _build(program), "commit": _commit(), "seed": seed, "surfaces": sorted(surfaces), "workers": workers,
            "requests": 0, "findings": 0, "seconds": 0, "next": [0] * workers, "ended": "killed"}

    def adopt(self):
        """Runs that were killed go to the record with the last count that they saved."""
        for file in sorted(self.folder.glob("running-*.json")):
            if not pathlib.Path(f"/proc/{file.stem.split('-')[1]}").exists():
                with open(self.file, "a") as record:
                    record.write(file.read_text())
                file.unlink()

    def past(self):
        if not self.file.exists():
            return []
        return [json.loads(line) for line in self.file.read_text().splitlines() if line.strip()]

    def resumed(self):
        """Behind which batches runs of this seed, these surfaces and so many workers have come."""
        same = [line["next"] for line in self.past() if all(line[name] == self.line[name] for name in ("seed", "surfaces", "workers"))]
        return [max(numbers) for numbers in zip(*same)] or [0] * self.line["workers"]

    def save(self, requests, findings, next_batch, ended=None):
        """Writes how far the run is; with a word for its end, into the record."""
        now = time.monotonic()
        if ended is None and now - self.saved < self.interval:
            return
        self.saved = now
        self.line |= {"requests": requests, "findings": findings, "seconds": round(now - self.begun), "next": list(next_batch)}
        if ended is None:
            self._replace(self.running, json.dumps(self.line) + "\n")
            return
        self.line["ended"] = ended
        with open(self.file, "a") as record:
            record.write(json.dumps(self.line) + "\n")
        self.running.unlink(missing_ok=True)

    def total(self):
        """The sum over all runs, as a sentence."""
        runs = self.past()
        builds = {line["build"] for line in runs}
        return (f"{sum(line['requests'] for line in runs)} requests in {len(runs)} runs of {len(builds)} builds on record "
                f"({sum(line['findings'] for line in runs)} findings): {self.file}")

    @staticmethod
    def _replace(file, text):
        beside = file.with_suffix(".part")
        beside.write_text(text)
        beside.replace(file)


def _build(program):
    """When the program was linked."""
    try:
        made = datetime.datetime.fromtimestamp(pathlib.Path(program).stat().st_mtime, datetime.timezone.utc)
    except OSError:
        return "unknown"
    return made.isoformat(timespec="seconds")


def _commit():
    """What is checked out here, which is the program's own state only if it was built of it."""
    try:
        found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return found.stdout.strip() or "unknown"
