"""What was found, once each, with the bytes that show it."""

import hashlib
import json
import pathlib
import re


class Findings:
    def __init__(self, folder, seed, facts, maximum=40):
        self.folder, self.seed, self.facts, self.maximum = pathlib.Path(folder), seed, facts, maximum
        self.known = {}

    def add(self, kind, words, contents=(), answer=b""):
        """Notes a finding unless one of the kind at the same path is known. True when it is new."""
        key = (kind, re.sub(r"[\d.]+ s", "", words))
        if key in self.known:
            self.known[key][0] += 1
            return False
        if len(self.known) >= self.maximum:
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{kind.replace(' ', '-')}-{hashlib.sha256(repr(key).encode()).hexdigest()[:12]}"
        file = self.folder / name
        file.write_bytes(b"".join(contents))
        # The keys and tokens in it, so that a replay can put its own in their place.
        file.with_name(f"{name}.facts").write_text(json.dumps(self.facts))
        self.known[key] = [1, words, file]
        print(f"FOUND {kind}: {words}")
        if answer:
            print(f"      {answer[-300:]!r}")
        print(f"      seed {self.seed}; again: scripts/fuzz --replay {file}", flush=True)
        return True

    def summary(self):
        return [f"{kind}: {words} ({count} times) {file}" for (kind, _), (count, words, file) in self.known.items()]


def table(sums, seconds):
    """Requests by surface and kind of answer."""
    surfaces, kinds = {}, ["2xx", "3xx", "4xx", "503", "5xx", "none"]
    for (surface, status), count in sums["statuses"].items():
        kind = "none" if status == 0 else "503" if status == 503 else f"{status // 100}xx"
        surfaces.setdefault(surface, dict.fromkeys(kinds, 0))[kind] += count
    lines = ["%-12s %10s %s" % ("surface", "requests", " ".join("%9s" % kind for kind in kinds))]
    for surface, row in sorted(surfaces.items()):
        lines.append("%-12s %10d %s" % (surface, sum(row.values()), " ".join("%9d" % row[kind] for kind in kinds)))
    total = sums["requests"]
    lines.append(f"{total} requests in {seconds:.0f} s, {total / max(seconds, 0.001):.0f} a second")
    return "\n".join(lines)
