"""Kills a server again and again, or its disk, or lets it live for hours: arguments of torture.py and soak.py."""

import argparse
import random
import sys

from every_write import EveryWrite
from soak import Soak
from torture import Torture


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
    parser.add_argument(
        "--disk", choices=("full", "sync", "power"),
        help="what the disk does beside it: no room from some write on, a sync that fails, or the loss of what was not synchronised at each kill")
    parser.add_argument(
        "--every-write", action="store_true", help="no kills at random: a short load whose every write is the first that does not fit")
    parser.add_argument("--drain", type=float, default=300, help="seconds to wait at the most for the last events; 0 waits for none (default 300)")
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="kill nothing: the same load for so long, and watch the server (scripts/soak)")
    parser.add_argument("--every", type=float, default=10, help="seconds between two looks at it (default 10)")
    parser.add_argument("--samples", help="the file of what was seen, a line of JSON each")
    parser.add_argument("--keep", action="store_true", help="keep the data")
    options = parser.parse_args()
    if options.every_write:
        options.disk, options.threads = "full", 1
    if options.soak is not None and (options.soak < 40 * options.every or options.every <= 0 or options.disk):
        parser.error("--soak needs time for forty looks (--every), and a disk that works")
    kind = EveryWrite if options.every_write else Torture if options.soak is None else Soak
    sys.exit(kind(options).run())


main()
