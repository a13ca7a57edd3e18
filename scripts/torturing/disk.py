"""A disk that fills up, whose syncs fail, or whose power is lost: disk_faults.c between a program and its files."""

import errno
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
COUNTDOWN, LENGTH, ERROR, KINDS, FAILED, CALLS = range(6)
WRITES, SYNCS, TRUNCATIONS = 1, 2, 4
SECTOR = 512


class Disk:
    """The disk of the data in a folder. `environment` goes to every program that uses it."""

    def __init__(self, work, folder, remembers):
        self.folder, self.logs = pathlib.Path(folder), pathlib.Path(work) / "unsynced"
        library = pathlib.Path(work) / "disk_faults.so"
        subprocess.run(
            [shutil.which("cc") or "clang", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library,
             HERE / "disk_faults.c", "-ldl"], check=True)
        control = pathlib.Path(work) / "disk-control"
        control.write_bytes(bytes(64))
        self.logs.mkdir(exist_ok=True)
        with open(control, "r+b") as file:
            self.control = mmap.mmap(file.fileno(), 64)
        self.environment = {
            "LD_PRELOAD": str(library), "OKAERI_DISK_FOLDER": f"{self.folder}/", "OKAERI_DISK_CONTROL": str(control)}
        if remembers:
            self.environment["OKAERI_DISK_LOGS"] = str(self.logs)

    def _set(self, position, value):
        self.control[position * 8:position * 8 + 8] = struct.pack("=q", value)

    def read(self, position):
        return struct.unpack("=q", self.control[position * 8:position * 8 + 8])[0]

    @property
    def failed(self):
        return self.read(FAILED)

    def fill(self, after):
        """From the nth write on, none goes through until `heal`."""
        self._fail(after, 1 << 60, errno.ENOSPC, WRITES | TRUNCATIONS)

    def fail_sync(self, after):
        """The nth sync fails."""
        self._fail(after, 1, errno.EIO, SYNCS)

    def _fail(self, after, length, error, kinds):
        for position, value in ((LENGTH, length), (ERROR, error), (KINDS, kinds), (COUNTDOWN, after)):
            self._set(position, value)

    def heal(self):
        self._set(COUNTDOWN, 0)

    def lose_power(self, random):
        """After the program was killed: of what was not synchronised, each sector and each length is on the disk or not.

        Returns how many sectors went back to what they were."""
        files = {path.stat().st_ino: path for path in self.folder.rglob("*") if path.is_file()}
        lost = 0
        for log in sorted(self.logs.iterdir()):
            path, records = files.get(int(log.name)), list(self._records(log))
            log.unlink()
            if path is None or not records:
                continue
            before, synced = {}, records[0][2]
            for offset, old, size, length in records:
                for start in range(offset, offset + length, SECTOR):
                    before.setdefault(start, old[start - offset:start - offset + SECTOR])
            with open(path, "r+b") as file:
                written = file.seek(0, os.SEEK_END)
                size = random.choice((synced, written))
                for start, old in sorted(before.items()):
                    if start < size and random.random() < 0.5:
                        file.seek(start)
                        # Never written there: what another file left.
                        file.write((old + random.randbytes(SECTOR))[:min(SECTOR, size - start)] if start >= synced else old)
                        lost += 1
                if size > file.seek(0, os.SEEK_END) and written < synced:
                    for start, old in sorted(before.items()):
                        if start + len(old) > written:
                            file.seek(max(start, written))
                            file.write(old[max(0, written - start):])
                file.truncate(size)
        return lost

    @staticmethod
    def _records(log):
        content, position = log.read_bytes(), 0
        while position + 32 <= len(content):
            offset, length, kept, size = struct.unpack_from("=4q", content, position)
            # The program was killed while it remembered: the write itself had not begun.
            if position + 32 + kept > len(content):
                return
            yield offset, content[position + 32:position + 32 + kept], size, length
            position += 32 + kept


def lived_through(seed, synchronous):
    """A database of sqlite3's own program: a disk that fails, then a loss of power. Returns the rows that were answered and are
    not there, and whether the file is whole."""
    import random
    import tempfile
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as work:
        data = pathlib.Path(work) / "data"
        data.mkdir()
        disk = Disk(work, data, remembers=True)
        command, variables = ["sqlite3", "-bail", str(data / "a.db")], os.environ | disk.environment

        def run(words):
            return subprocess.run(command, input=words, capture_output=True, text=True, env=variables)

        begin = f"PRAGMA synchronous={synchronous};\n"
        made = run(f"PRAGMA journal_mode=WAL; {begin} CREATE TABLE t(n INTEGER PRIMARY KEY, x); SELECT 'made';")
        assert "made" in made.stdout, made
        if seed % 2:
            disk.fill(1 + seed)
        else:
            disk.fail_sync(1 + seed // 4)
        failing = run(begin + "".join(f"INSERT INTO t VALUES({n}, randomblob(900));" for n in range(40)))
        assert (failing.returncode != 0) == (disk.failed > 0), (seed, failing)
        disk.heal()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=variables)
        inserts = "".join(f"INSERT INTO t VALUES({n}, randomblob(700)); SELECT {n};\n" for n in range(100, 400))
        process.stdin.write(begin + inserts)
        process.stdin.flush()
        # The program may take long to begin. Nothing comes when it ends before.
        answered = {int(line) for line in process.stdout.readline().split()}
        time.sleep(0.01 + chance.random() * 0.04)
        process.kill()
        answered |= {int(line) for line in process.stdout.read().split()}
        process.wait()
        lost = disk.lose_power(chance)
        found = run("PRAGMA integrity_check; SELECT n FROM t WHERE n >= 100 ORDER BY n;")
        rows = found.stdout.split()
        print(f"seed {seed}, synchronous={synchronous}: {disk.failed} calls failed, {len(answered)} rows answered, "
              f"{len(rows) - 1} there, {lost} sectors lost")
        return answered - {int(row) for row in rows[1:] if row.isdigit()}, rows[:1] == ["ok"]


def self_test():
    """What was synchronised stays, and what was not can go: the second shows that the first was tried."""
    for seed in range(20):
        missing, is_whole = lived_through(seed, "FULL")
        assert not missing and is_whole, f"seed {seed}: {missing} missing, whole: {is_whole}"
    # Syncs that fail end nothing here, as there are none.
    outcomes = [lived_through(seed, "OFF") for seed in range(1, 20, 2)]
    assert any(missing or not is_whole for missing, is_whole in outcomes), "no loss of power took anything"


if __name__ == "__main__":
    self_test()
