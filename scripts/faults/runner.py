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
# Suites that share a word with the fault's file run first, then the quickest; then as many of the others as take this
# much processor time. Processor time, unlike the clock's, is the same on a busy machine.
FIRST_SUITES = 4
LONGEST_REST_SECONDS = 60
NO_SUITE = "No such suite"


@dataclass(frozen=True)
class Outcome:
    is_caught: bool
    words: str


def words_of(name):
    """The words of a name in capitals that say something: `LogInFailures` has `Failure`."""
    return {word.removesuffix("s") for word in re.findall(r"[A-Z][a-z]+|[A-Z]+(?![a-z])", name) if len(word) > 3}


def choice(path, seconds):
    """The suites to run for a fault in a file, of those that reach it with their times: the first ones, and the rest."""
    own = words_of(path.rsplit("/", 1)[-1].removesuffix(".swift"))
    ordered = sorted(seconds, key=lambda suite: (not own & words_of(suite.split(".")[-1]), seconds[suite], suite))
    first, rest, total = ordered[:FIRST_SUITES], [], 0.0
    for suite in ordered[FIRST_SUITES:]:
        if total + seconds[suite] <= LONGEST_REST_SECONDS:
            total += seconds[suite]
            rest.append(suite)
    return first, rest


def finish(process, seconds):
    """Waits for a process to end; returns its processor time."""
    end = time.monotonic() + seconds
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        if time.monotonic() > end:
            raise subprocess.TimeoutExpired(process.args, seconds)
        time.sleep(0.02)


class Runner:
    # What SwiftPM names the one program of all tests of a package.
    product = "okaeri-serverPackageTests"

    def __init__(self, copy, scratch, work):
        self.copy, self.scratch, self.work = copy, scratch, work
        self.log = work / "build.log"
        # For each suite: the faults that it reaches, its processor time without the program's start, and by the clock.
        self.reaches, self.seconds, self.elapsed = {}, {}, {}

    def command(self, verb, *arguments):
        return [
            "swift", verb, "--package-path", str(self.copy / "Server"), "--scratch-path", str(self.scratch),
            "--disable-build-manifest-caching", "--disable-index-store", *arguments,
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
        return str(self.scratch / f"debug/{self.product}.xctest")

    def run(self, suites, seconds, **environment):
        """Runs suites; returns "passed", or how it failed, and the processor time and the time that it took."""
        pattern = "^(" + "|".join(re.escape(suite) for suite in suites) + ")/"
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="test-of-tests-") as folder, tempfile.TemporaryFile() as output:
            # PostgreSQL, which runs as a user of its own, keeps its cluster in there.
            os.chmod(folder, 0o711)
            variables = os.environ | environment | {
                "TMPDIR": folder, "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "16", "NO_COLOR": "1",
                "SWIFT_BACKTRACE": "enable=no", "SWT_SWIFT_ERROR_BACKTRACING_ENABLED": "0",
            }
            process = subprocess.Popen(
                [self.program, "--testing-library", "swift-testing", "--filter", pattern], cwd=self.copy / "Server",
                env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                used = finish(process, seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                return "never ends", seconds, time.monotonic() - begin
            output.seek(0)
            text = output.read().decode(errors="replace")
        taken = time.monotonic() - begin
        if process.returncode == 0:
            return "passed", used, taken
        failed = re.search(r"✘.*Test (.+?) (?:recorded|failed)", text)
        how = "crashes" if process.returncode < 0 else f"test {failed.group(1)[:90]}" if failed else "fails"
        return how, used, taken

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
                result, used, elapsed = self.run([suite], 300, OKAERI_REACHED_FAULTS=reached.name)
                marks = reached.read()
            if result != "passed":
                print(f"left out, it fails without a fault: {suite} ({result})", flush=True)
                return
            self.seconds[suite], self.elapsed[suite] = max(0.0, used - start), elapsed
            self.reaches[suite] = {number for number, byte in enumerate(marks) if byte}

        suites = self.suites(modules)
        _, start, _ = self.run([NO_SUITE], 300)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, suites))
        print(f"{len(self.seconds)} of {len(suites)} suites pass without a fault", flush=True)

    def outcomes(self, faults, jobs, end):
        """Runs every fault until the time is up; the ones that were not run are missing in the result."""
        results, lock = {}, threading.Lock()

        def one(number):
            if time.monotonic() > end:
                return
            outcome = self.outcome(number, faults[number].path)
            with lock:
                results[number] = outcome
                if not outcome.is_caught:
                    print(f"not caught: {number}  {faults[number].description()[:120]}  ({outcome.words})", flush=True)
                if len(results) % 20 == 0:
                    caught = sum(result.is_caught for result in results.values())
                    print(f"{len(results)} of {len(faults)} faults, {caught} caught", flush=True)

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, faults))
        return results

    def outcome(self, number, path):
        reaching = {suite: seconds for suite, seconds in self.seconds.items() if number in self.reaches[suite]}
        if not reaching:
            return Outcome(False, "no test reaches it")
        first, rest = choice(path, reaching)
        for group in (first, rest):
            if not group:
                continue
            limit = 30 + 4 * sum(self.elapsed[suite] for suite in group)
            result, _, _ = self.run(group, limit, OKAERI_PLANTED_FAULT=str(number))
            if result != "passed":
                return Outcome(True, result)
        return Outcome(False, f"{len(reaching)} suites reach it, {len(first) + len(rest)} of them run")
