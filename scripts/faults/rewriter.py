"""Finds where in Swift sources a small fault can be planted, and plants them behind a switch.

Every fault is an expression or a statement that asks at run time whether its number is the active one. So all faults are
compiled at once, and a test run chooses one by an environment variable.
"""
import re
from dataclasses import dataclass

# A number without a meaning of its own elsewhere; the second form removes a statement.
EXPRESSION = "(PlantedFault.isActive({number}) ? ({faulty}) : ({original}))"
STATEMENT = "if !PlantedFault.isActive({number}) {{ {original} }}"

OPEN, CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Fault:
    """One fault: the text from `start` to `end` of a file becomes `faulty`; `None` removes the statement."""

    path: str
    start: int
    end: int
    line: int
    kind: str
    original: str
    faulty: str | None

    def planted(self, number):
        template = STATEMENT if self.faulty is None else EXPRESSION
        return template.format(number=number, faulty=self.faulty, original=self.original)

    def description(self):
        if self.faulty is None:
            return f"removed: {one_line(self.original)}"
        return f"{one_line(self.original)}  →  {one_line(self.faulty)}"


def one_line(text):
    return " ".join(text.split())


def masked(text):
    """The text at the same length, with comments and the insides of string literals replaced by spaces and `"`."""
    out, i, n = [], 0, len(text)

    def blank(piece):
        out.append(re.sub(r"[^\n]", "_", piece))

    while i < n:
        if text.startswith("//", i):
            end = text.find("\n", i)
            end = n if end < 0 else end
            out.append(" " * (end - i))
        elif text.startswith("/*", i):
            end = text.find("*/", i + 2)
            end = n if end < 0 else end + 2
            out.append(re.sub(r"[^\n]", " ", text[i:end]))
        elif string := re.compile(r'#*"').match(text, i):
            end = end_of_string(text, i, string.group())
            blank(text[i:end])
        else:
            end = i + 1
            out.append(text[i])
        i = end
    return "".join(out)


def end_of_string(text, start, opening):
    """Where the string literal that starts there ends; interpolations in it may hold strings."""
    hashes = opening.count("#")
    long = text.startswith('"""', start + hashes)
    close = ('"""' if long else '"') + "#" * hashes
    escape = "\\" + "#" * hashes
    i = start + hashes + (3 if long else 1)
    while i < len(text):
        if text.startswith(close, i):
            return i + len(close)
        if text.startswith(escape, i):
            i += len(escape)
            if text.startswith("(", i):
                depth = 0
                while i < len(text):
                    inner = re.compile(r'#*"').match(text, i)
                    if inner:
                        i = end_of_string(text, i, inner.group())
                        continue
                    depth += (text[i] == "(") - (text[i] == ")")
                    i += 1
                    if depth == 0:
                        break
            else:
                i += 1
        else:
            i += 1
    return len(text)


def until(mask, start, stops):
    """The first index from `start` on, outside of brackets, where one of `stops` begins; `None` past a closing bracket."""
    depth, i = 0, start
    while i < len(mask):
        if depth == 0:
            for stop in stops:
                if mask.startswith(stop, i) and (not stop.isalpha() or word_at(mask, i, stop)):
                    return i
        if mask[i] in OPEN:
            depth += 1
        elif mask[i] in CLOSE:
            depth -= 1
            if depth < 0:
                return None
        i += 1
    return None


def word_at(mask, i, word):
    before = mask[i - 1] if i else " "
    after = mask[i + len(word)] if i + len(word) < len(mask) else " "
    return not (before.isalnum() or before in "_.") and not (after.isalnum() or after == "_")


def clauses(mask, start, end):
    """The conditions between commas, as pairs of indices."""
    begin = start
    while begin < end:
        comma = until(mask, begin, [","])
        stop = comma if comma is not None and comma < end else end
        yield trimmed(mask, begin, stop)
        begin = stop + 1


def trimmed(mask, start, end):
    while start < end and mask[start].isspace():
        start += 1
    while end > start and mask[end - 1].isspace():
        end -= 1
    return start, end


# What cannot stand twice, or in a ternary without more.
UNFIT = re.compile(r"\b(try|await|let|var|case|return|throw|if|guard|switch|for|while|inout|is|as|self\.init)\b|&[a-z]|#available|//|^\s*\.")

COMPARISONS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
}
KINDS = {
    "<": "bound", "<=": "bound", ">": "bound", ">=": "bound", "==": "equality", "!=": "equality",
    "&&": "connective", "||": "connective", "+": "arithmetic", "-": "arithmetic",
}
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||<|>|\+|-)(?= )")


class Finder:
    """Finds the faults of one file."""

    def __init__(self, path, text):
        self.path, self.text, self.mask = path, text, masked(text)
        self.faults = []

    def found(self):
        self.conditions()
        self.returns()
        self.bodies()
        self.values()
        self.constants()
        self.statements()
        return self.faults

    def add(self, start, end, kind, faulty):
        line = self.text.count("\n", 0, start) + 1
        self.faults.append(Fault(self.path, start, end, line, kind, self.text[start:end], faulty))

    def expression(self, start, end, is_condition=False, may_negate=False):
        """Faults of an expression whose ends are known: each operator outside of inner braces, and the whole."""
        start, end = trimmed(self.mask, start, end)
        piece = self.mask[start:end]
        if not piece or UNFIT.search(piece) or "\n\n" in piece:
            return
        flat = without_braces(piece)
        operators = list(OPERATOR.finditer(flat))
        for match in operators:
            symbol = match.group(1)
            if KINDS[symbol] == "arithmetic" and '"' in self.text[start:end]:
                continue
            if KINDS[symbol] == "arithmetic" and "[" in piece:
                continue
            a, b = start + match.start(1), start + match.end(1)
            self.add(start, end, KINDS[symbol], self.text[start:a] + COMPARISONS[symbol] + self.text[b:end])
        if is_condition or (may_negate and piece not in ("true", "false", "nil")):
            self.add(start, end, "negation", f"!({self.text[start:end]})")

    def conditions(self):
        for match in re.finditer(r"\b(if|guard|while)\b", self.mask):
            word, begin = match.group(1), match.end()
            if not word_at(self.mask, match.start(), word):
                continue
            end = until(self.mask, begin, ["else"] if word == "guard" else ["{"])
            if end is None:
                continue
            for start, stop in clauses(self.mask, begin, end):
                piece = self.mask[start:stop]
                if UNFIT.search(piece):
                    continue
                self.expression(start, stop, is_condition=True)
                if word == "guard":
                    self.add(start, stop, "guard", "true")

    def returns(self):
        for match in re.finditer(r"\breturn ", self.mask):
            end = end_of_statement(self.mask, match.end())
            start, end = trimmed(self.mask, match.end(), end)
            piece = self.mask[start:end]
            if piece in ("true", "false"):
                self.add(start, end, "value", "false" if piece == "true" else "true")
            elif self.text[start:end] not in ("", "nil", "[]", '""'):
                self.expression(start, end)
                result = self.result_type(match.start())
                if UNFIT.search(piece) or piece.startswith(("{", ".")):
                    continue
                if result.endswith("?"):
                    self.add(start, end, "nothing", "nil")
                elif result.startswith("["):
                    self.add(start, end, "emptiness", "[:]" if ": " in result else "[]")

    def result_type(self, start):
        """The type that a `return` there gives, by the nearest header above with less indentation; "" when none is known."""
        lines = self.mask[:start].split("\n")
        indentation = len(lines[-1]) - len(lines[-1].lstrip())
        for line in reversed(lines[:-1]):
            if not line.strip() or len(line) - len(line.lstrip()) >= indentation or line.lstrip().startswith((")", "]")):
                if not re.search(r"-> .+ \{$", line) or len(line) - len(line.lstrip()) >= indentation:
                    continue
            header = re.search(r"(?:-> |var \w+: )([^{]+) \{$", line)
            if header:
                return header.group(1).strip()
            if re.search(r"\b(func|init|in)\b", line):
                return ""
        return ""

    def bodies(self):
        """Members and closures whose whole body is one expression on one line."""
        for match in re.finditer(r"\{ ([^{}\n]+) \}", self.mask):
            inner = self.mask[match.start(1):match.end(1)]
            if " in " in inner or ";" in inner or "=" in re.sub(r"[=!<>]=|=>", "", inner):
                continue
            before = self.mask[:match.start()].rstrip().rsplit("\n", 1)[-1]
            is_bool = re.search(r"(: |-> )Bool$", before) is not None
            if is_bool or OPERATOR.search(inner):
                self.expression(match.start(1), match.end(1), may_negate=is_bool)

    def values(self):
        for match in re.finditer(r"(?m)^ *(?:let|var) \w+(?:: [\w.<>?]+)? = (.+)$", self.mask):
            end = end_of_statement(self.mask, match.start(1))
            self.expression(match.start(1), end)

    def constants(self):
        for match in re.finditer(r"\.(?:milliseconds|seconds|minutes|hours|days)\((\d[\d_]*)\)", self.mask):
            number = match.group(1)
            if number != "0":
                self.add(match.start(1), match.end(1), "duration", f"{number} * 2")
        for match in re.finditer(r"(?m)static (?:let|var) \w+(?:: Int)? = (\d[\d_]*)$", self.mask):
            self.add(match.start(1), match.end(1), "constant", f"{match.group(1)} + 1")

    def statements(self):
        calls = r"(?m)^ *((?:try )?(?:transaction|entry\?|audit\w*\??|notices?|\w+)\.\w+\()"
        for match in re.finditer(calls, self.mask):
            start = match.start(1)
            if self.continues(start):
                continue
            end = end_of_statement(self.mask, start)
            if re.search(r"\bawait\b|\breturn\b", self.mask[start:end]) or "super." in self.mask[start:end]:
                continue
            self.add(start, end, "removal", None)
        for match in re.finditer(r"(?m)^ *((?!self\.)[a-z]\w*(?:\.\w+)+ \+?= )", self.mask):
            start = match.start(1)
            if not self.continues(start):
                end = end_of_statement(self.mask, start)
                if not re.search(r"\bawait\b", self.mask[start:end]):
                    self.add(start, end, "removal", None)

    def continues(self, start):
        """Whether what stands there is the rest of an earlier line."""
        before = self.mask[:start].rstrip()
        return not before or before[-1] in "(,=:?.&|+-" or before.endswith(("return", "try", " in"))


def without_braces(piece):
    """The piece with what stands in braces masked: an operator in there belongs to a closure."""
    out, depth = [], 0
    for character in piece:
        if character == "{":
            depth += 1
        out.append(" " if depth else character)
        if character == "}":
            depth -= 1
    return "".join(out)


def end_of_statement(mask, start):
    """Where the statement ends: the first end of a line outside of brackets that the next line does not continue."""
    depth, i = 0, start
    while i < len(mask):
        character = mask[i]
        if character in OPEN:
            depth += 1
        elif character in CLOSE:
            depth -= 1
            if depth < 0:
                return i
        elif character == ";" and depth == 0:
            return i
        elif character == "\n" and depth == 0:
            following = mask[i:].lstrip()
            before = mask[start:i].rstrip()
            if not following.startswith((".", "?", ": ", "&&", "||", "+ ", "- ", "==", "else")) and not before.endswith(
                ("=", "&&", "||", "+", "-", "?", ":", ",", "==", "!=", "return")
            ):
                return i
        i += 1
    return len(mask)


def faults_of(path, text):
    return Finder(path, text).found()


def chosen(faults, count, random):
    """At most `count` faults that do not overlap, of all kinds and files, in the order of the sources."""
    by_kind = {}
    for fault in faults:
        by_kind.setdefault(fault.kind, []).append(fault)
    for group in by_kind.values():
        random.shuffle(group)
    taken, spans = [], {}
    kinds = sorted(by_kind)
    while len(taken) < count and any(by_kind.values()):
        for kind in kinds:
            while by_kind[kind] and len(taken) < count:
                fault = by_kind[kind].pop()
                others = spans.setdefault(fault.path, [])
                if all(fault.end <= start or end <= fault.start for start, end in others):
                    others.append((fault.start, fault.end))
                    taken.append(fault)
                    break
    return sorted(taken, key=lambda fault: (fault.path, fault.start))


def planted(text, faults):
    """The text with the faults planted: pairs of a number and a fault of this text."""
    for number, fault in sorted(faults, key=lambda pair: -pair[1].start):
        text = text[: fault.start] + fault.planted(number) + text[fault.end :]
    return text


def with_tests_of(modules, manifest):
    """A manifest with the test targets of some modules alone: nothing is built that only others need."""
    head, *blocks = manifest.split("        .testTarget(")
    for block in blocks:
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(block[end], 0)
            end += 1
        name = block.split('name: "', 1)[1].split('"', 1)[0]
        head += "        .testTarget(" + block if name in modules else block[end:].removeprefix(",")
    return head
