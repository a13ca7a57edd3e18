"""Plants faults, builds once, runs the tests for each fault, and writes the table. See scripts/test-of-tests."""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import rewriter  # noqa: E402
import self_test  # noqa: E402
from runner import Runner  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOMAIN = "Server/Sources/Domain"
WORK = ROOT / ".build/test-of-tests"
# Some faults do not compile and are left out: so many more are planted than asked for.
SPARE = 1.25


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/test-of-tests", description="Puts small faults into the domain and counts those that no test catches.")
    parser.add_argument("--count", type=int, default=250, help="how many faults (default 250)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the faults; the same seed, the same faults (default 1)")
    parser.add_argument("--only", type=int, action="append", metavar="N", help="run this fault alone; may be repeated")
    parser.add_argument("--list", action="store_true", help="tell the faults and build nothing")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default 2)")
    parser.add_argument("--minutes", type=float, default=60, help="stop running after this time (default 60)")
    parser.add_argument("--at-least", type=float, default=80, help="per cent that must be caught (default 80)")
    parser.add_argument(
        "--tests", default="DomainTests,NativeAPITests,NCMBAPITests,ForeignAPITests,StorageTests",
        help="modules of tests (default DomainTests,NativeAPITests,NCMBAPITests,ForeignAPITests,StorageTests)")
    parser.add_argument("--scratch", type=pathlib.Path, default=WORK / "build", help="the build folder")
    parser.add_argument("--skip-build", action="store_true", help="run what the last build left")
    parser.add_argument("--self-test", action="store_true", help="check the rewriter alone; needs no build")
    return parser.parse_args()


def tracked():
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
        text=True)
    return [name for name in sorted(set(listing.stdout.splitlines())) if (ROOT / name).is_file()]


def selection(options):
    """The chosen faults by number, and the sources of the domain."""
    sources = {name: (ROOT / name).read_text() for name in tracked() if name.startswith(DOMAIN) and name.endswith(".swift")}
    faults = [fault for name in sorted(sources) for fault in rewriter.faults_of(name, sources[name])]
    count = int(options.count * SPARE)
    return dict(enumerate(rewriter.chosen(faults, count, random.Random(options.seed)), 1)), sources


def lay_out(copy, faults, sources, modules):
    """Writes the copy of the repository with the faults planted; files that are right are left alone.

    Returns for each fault the lines of its file that it takes.
    """
    # The pins of the dependencies are not in git, and without them others would be fetched and built.
    pins = [name for name in ("Package.resolved", "Server/Package.resolved") if (ROOT / name).exists()]
    wanted = {name: (ROOT / name).read_bytes() for name in tracked() + pins}
    by_path = {}
    for number, fault in faults.items():
        by_path.setdefault(fault.path, []).append((number, fault))
    lines = {}
    for path, group in by_path.items():
        wanted[path] = rewriter.planted(sources[path], group).encode()
        grown = 0
        for number, fault in sorted(group, key=lambda pair: pair[1].start):
            first = fault.line + grown
            taken = fault.planted(number).count("\n")
            lines[number] = (path, first, first + taken)
            grown += taken - fault.original.count("\n")
    manifest = "Server/Package.swift"
    wanted[manifest] = rewriter.with_tests_of(modules, wanted[manifest].decode()).encode()
    wanted[f"{DOMAIN}/PlantedFault.swift"] = (pathlib.Path(__file__).parent / "PlantedFault.swift").read_bytes()
    for name, content in wanted.items():
        file = copy / name
        if not file.exists() or file.read_bytes() != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod((ROOT / name).stat().st_mode if (ROOT / name).exists() else 0o644)
    for file in copy.rglob("*"):
        if file.is_file() and str(file.relative_to(copy)) not in wanted:
            file.unlink()
    return lines


def key_of(fault):
    return (fault.path, fault.original, fault.faulty or "")


def build(options, faults, sources):
    """Builds all faults that compile, and returns them; the others are dropped by the lines of the errors, for good."""
    copy, memory = WORK / "copy", WORK / "uncompilable.json"
    runner = Runner(copy, options.scratch, WORK)
    known = {tuple(key) for key in json.loads(memory.read_text())} if memory.exists() else set()
    faults = {number: fault for number, fault in faults.items() if key_of(fault) not in known}
    for attempt in range(1, 12):
        lines = lay_out(copy, faults, sources, options.tests.split(","))
        errors = runner.build(["--target", "Domain"])
        if not errors:
            break
        bad = set()
        for path, line in errors:
            hit = {n for n, (name, first, last) in lines.items() if name == path and first <= line <= last}
            bad |= hit or {n for n, (name, first, last) in lines.items() if name == path and first - 3 <= line <= last + 3}
        print(f"build {attempt}: {len(bad)} faults do not compile", flush=True)
        if not bad:
            sys.exit(f"test-of-tests: the build fails elsewhere: {sorted(errors)[:5]}, see {runner.log}")
        known |= {key_of(faults[number]) for number in bad}
        memory.write_text(json.dumps(sorted(known)))
        faults = {number: fault for number, fault in faults.items() if number not in bad}
    else:
        sys.exit("test-of-tests: faults that do not compile remain")
    if runner.build(["--product", runner.product]):
        sys.exit(f"test-of-tests: the tests do not build, see {runner.log}")
    (WORK / "compiled.json").write_text(json.dumps(sorted(faults)))
    return faults


def main():
    options = arguments()
    if options.self_test:
        sys.exit(self_test.run())
    faults, sources = selection(options)
    if options.list:
        for number, fault in faults.items():
            print(f"{number}  {fault.path}:{fault.line}  {fault.kind}: {fault.description()}")
        return
    WORK.mkdir(parents=True, exist_ok=True)
    if options.skip_build:
        kept = set(json.loads((WORK / "compiled.json").read_text()))
        faults = {number: fault for number, fault in faults.items() if number in kept}
    else:
        faults = build(options, faults, sources)
    if options.only:
        faults = {number: faults[number] for number in options.only if number in faults}
    elif len(faults) > options.count:
        numbers = random.Random(options.seed).sample(sorted(faults), options.count)
        faults = {number: faults[number] for number in sorted(numbers)}
    begin = time.monotonic()
    runner = Runner(WORK / "copy", options.scratch, WORK)
    runner.measure(options.tests.split(","), options.jobs)
    outcomes = runner.outcomes(faults, options.jobs, begin + 60 * options.minutes)
    sys.exit(report(options, faults, outcomes, time.monotonic() - begin))


def report(options, faults, outcomes, seconds):
    """Writes the table, prints the survivors and the sum; the status is 1 when too few were caught."""
    caught = [n for n, outcome in outcomes.items() if outcome.is_caught]
    share = 100 * len(caught) / max(1, len(outcomes))
    rows = ["| number | line | kind | fault | outcome |", "| --- | --- | --- | --- | --- |"]
    for number, outcome in sorted(outcomes.items()):
        fault = faults[number]
        text = fault.description().replace("|", "\\|")
        rows.append(f"| {number} | {fault.path}:{fault.line} | {fault.kind} | `{text}` | {outcome.words} |")
    (WORK / "faults.md").write_text("\n".join(rows) + "\n")
    print("\nNot caught:")
    for number, outcome in sorted(outcomes.items()):
        if not outcome.is_caught:
            fault = faults[number]
            print(f"  {number}  {fault.path}:{fault.line}  {fault.description()[:160]}  ({outcome.words})")
    kinds = sorted({faults[number].kind for number in outcomes})
    for kind in kinds:
        of_kind = [n for n in outcomes if faults[n].kind == kind]
        print(f"  {kind}: {sum(n in caught for n in of_kind)} of {len(of_kind)}")
    print(
        f"{len(caught)} of {len(outcomes)} faults caught, {share:.1f} %, in {seconds / 60:.0f} min of runs"
        f" (seed {options.seed}; {len(faults) - len(outcomes)} not run). The table: {WORK.relative_to(ROOT)}/faults.md")
    return 0 if share >= options.at_least else 1


if __name__ == "__main__":
    main()
