"""Builds the copy with the planted faults, and runs tests with one of them active."""
import concurrent.futures
import os
import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

ERROR = re.compile(r"(Server/Sources/Domain/[^\s:]+\.swift):(\d+):\d+: error:")
# The quickest suites that reach a fault run first, then as many of the others as take this long.
FIRST_SUITES = 3
LONGEST_REST_SECONDS = 60


@dataclass(frozen=True)
class Outcome:
    is_caught: bool
    words: str


class Runner:
    def __init__(self, copy, scratch, work):
        self.copy, self.scratch, self.work = copy, scratch, work
        self.log = work / "build.log"
        self.reaches, self.seconds = {}, {}

    def command(self, verb, *arguments):
        return [
            "swift", verb, "--package-path", str(self.copy / "Server"), "--scratch-path", str(self.scratch),
            "--disable-build-manifest-caching", *arguments,
        ]

    def build(self, arguments):
        """Builds; returns where the errors in the domain are, or one made-up line for another error."""
        command = self.command("build", *arguments)
        with open(self.log, "w") as log:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).returncode
        if status == 0:
            return set()
        text = self.log.read_text(errors="replace")
        return {(path, int(line)) for path, line in ERROR.findall(text)} or {("elsewhere", 0)}

    @property
    def program(self):
        # Once more what SwiftPM names: the tests of all modules are one program.
        found = sorted(self.scratch.glob("debug/*PackageTests.xctest"))
        return str(next(path for path in found if "server" in path.name))

    def run(self, suites, seconds, **environment):
        """Runs suites; returns "passed", or how it failed, and the time that it took."""
        pattern = "^(" + "|".join(re.escape(suite) for suite in suites) + ")/"
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="test-of-tests-") as folder, tempfile.TemporaryFile() as output:
            variables = os.environ | environment | {
                "TMPDIR": folder, "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "16", "NO_COLOR": "1",
                "SWIFT_BACKTRACE": "enable=no",
            }
            process = subprocess.Popen(
                [self.program, "--testing-library", "swift-testing", "--filter", pattern], cwd=self.copy / "Server",
                env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                return "never ends", time.monotonic() - begin
            output.seek(0)
            text = output.read().decode(errors="replace")
        taken = time.monotonic() - begin
        if status == 0:
            return "passed", taken
        failed = re.search(r"✘.*Test (.+?) (?:recorded|failed)", text)
        return ("crashes" if status < 0 else f"test {failed.group(1)[:90]}" if failed else "fails"), taken

    def suites(self, modules):
        listing = subprocess.run(
            [self.program, "--testing-library", "swift-testing", "--list-tests"], cwd=self.copy / "Server",
            capture_output=True, text=True, check=True).stdout
        names = {line.split("/")[0] for line in listing.splitlines() if "/" in line}
        return sorted(name for name in names if name.split(".")[0] in modules)

    def measure(self, modules, jobs):
        """Runs each suite without a fault: how long it takes, and which faults it reaches. Suites that fail are left out."""

        def one(suite):
            with tempfile.NamedTemporaryFile() as reached:
                result, seconds = self.run([suite], 300, OKAERI_REACHED_FAULTS=reached.name)
                marks = reached.read()
            if result != "passed":
                print(f"left out, it fails without a fault: {suite} ({result})", flush=True)
                return
            self.seconds[suite] = seconds
            self.reaches[suite] = {number for number, byte in enumerate(marks) if byte}

        suites = self.suites(modules)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, suites))
        print(f"{len(self.seconds)} of {len(suites)} suites pass without a fault", flush=True)

    def outcomes(self, faults, jobs, end):
        """Runs every fault until the time is up; the ones that were not run are missing in the result."""
        results, lock = {}, threading.Lock()

        def one(number):
            if time.monotonic() > end:
                return
            outcome = self.outcome(number)
            with lock:
                results[number] = outcome
                if len(results) % 20 == 0:
                    caught = sum(result.is_caught for result in results.values())
                    print(f"{len(results)} of {len(faults)} faults, {caught} caught", flush=True)

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, faults))
        return results

    def outcome(self, number):
        reaching = sorted((suite for suite in self.seconds if number in self.reaches[suite]), key=self.seconds.get)
        if not reaching:
            return Outcome(False, "no test reaches it")
        rest, total = [], 0.0
        for suite in reaching[FIRST_SUITES:]:
            total += self.seconds[suite]
            if total > LONGEST_REST_SECONDS:
                break
            rest.append(suite)
        for group in (reaching[:FIRST_SUITES], rest):
            if not group:
                continue
            limit = 30 + 4 * sum(self.seconds[suite] for suite in group)
            result, _ = self.run(group, limit, OKAERI_PLANTED_FAULT=str(number))
            if result != "passed":
                return Outcome(True, result)
        return Outcome(False, f"{len(reaching)} suites reach it")
