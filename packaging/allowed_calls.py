#!/usr/bin/env python3
"""Says whether a unit's filter allows system calls: allowed_calls.py UNIT.service CALL…

Reads the lines SystemCallFilter= as systemd.exec(5) describes them: the first says whether what is named is allowed or
refused, a later one adds to it or, with "~", takes away. The groups come from `systemd-analyze syscall-filter`. Exit status 0:
all are allowed, 1: not."""
import pathlib
import subprocess
import sys


def members(name):
    """The calls of a group, of those inside it too."""
    if not name.startswith("@"):
        return {name}
    text = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    lines = (line.strip() for line in text.splitlines()[1:])
    return set().union(*(members(line) for line in lines if line and not line.startswith("#")))


def main():
    lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
    filters = [line.split("=", 1)[1].strip() for line in lines if line.startswith("SystemCallFilter=")]
    if not filters or filters[0].startswith("~"):
        sys.exit(f"{sys.argv[1]}: the first filter must name what is allowed")
    # systemd allows these beside any list, so that a program can be started and ended.
    allowed = members("@default")
    for words in filters:
        calls = set().union(*(members(name.split(":")[0]) for name in words.removeprefix("~").split()))
        allowed = allowed - calls if words.startswith("~") else allowed | calls
    refused = [call for call in sys.argv[2:] if call not in allowed]
    if refused:
        sys.exit(f"{sys.argv[1]}: the filter refuses {', '.join(refused)}")


main()
