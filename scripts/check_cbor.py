"""Prints inputs for a reader of CBOR, one a line: its bytes in hexadecimal, a space, and the value that cbor2 reads; - for what
must be refused. Right ones, right ones with faults, and noise, the same for the same seed.

The form is CTAP2's (§8) as far as the server promises it: definite lengths, shortest numbers, no tags, no floats, names that are
numbers or texts, none twice, six levels, numbers of 64 bits with a sign. What cbor2 writes of a value is of that form, so an
input is of it when cbor2 reads a value of these kinds out of it and writes the same bytes again.

usage: check_cbor.py [--seed NUMBER] [--count NUMBER]
"""

import argparse
import json
import pathlib
import random
import sys

import cbor2

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "Server/Tests/OutboundServicesTests/Fixtures/webauthn-vectors.json"
LEVELS = 6
SMALLEST, GREATEST = -2**63, 2**63 - 1
EDGES = [0, 1, 23, 24, 25, 255, 256, 257, 65535, 65536, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1]


def is_of_form(value, level=1):
    if level > LEVELS:
        return False
    kind = type(value)
    if kind is int:
        return SMALLEST <= value <= GREATEST
    if kind is list:
        return all(is_of_form(element, level + 1) for element in value)
    if kind is dict:
        return all(
            type(name) in (int, str) and is_of_form(name, level + 1) and is_of_form(member, level + 1)
            for name, member in value.items())
    return kind in (bytes, str, bool) or value is None


def notation(value):
    """A value in letters that need no escapes, the members of a map in their order as text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return "h" + value.hex()
    if isinstance(value, str):
        return "t" + value.encode().hex()
    if isinstance(value, list):
        return "[" + ",".join(map(notation, value)) + "]"
    return "{" + ",".join(sorted(f"{notation(name)}:{notation(member)}" for name, member in value.items())) + "}"


def verdict(data):
    try:
        value = cbor2.loads(data)
    # Whatever it says of what it does not read: also of tags whose content is wrong.
    except (cbor2.CBORError, ValueError, TypeError, OverflowError, RecursionError, ArithmeticError):
        return "-"
    return notation(value) if is_of_form(value) and cbor2.dumps(value) == data else "-"


class Inputs:
    def __init__(self, seed):
        self.random = random.Random(seed)
        # Attestations and keys of authenticators, as the W3C publishes them.
        self.known = [
            bytes.fromhex(vector[name]) for vector in json.loads(VECTORS.read_text())["vectors"]
            for name in ("attestation", "key")]

    def number(self):
        number = self.random.choice(EDGES + [self.random.getrandbits(self.random.randrange(1, 65))])
        return number if self.random.random() < 0.6 else -1 - number

    def text(self):
        if self.random.random() < 0.1:
            # They look alike, and are two names.
            return self.random.choice(["\u00e9", "e\u0301", "\u00c5", "\u212b", "A\u030a"])
        points = [0x61, 0x7F, 0x80, 0xE9, 0x301, 0x7FF, 0x800, 0x3042, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF, 0]
        return "".join(chr(self.random.choice(points)) for _ in range(self.length()))

    def length(self):
        return self.random.choice([0, 1, 1, 2, 3, 4, 23, 24] if self.random.random() < 0.97 else [255, 256, 300])

    def value(self, level=1):
        kind = self.random.randrange(9 if level <= LEVELS else 6)
        if kind <= 1:
            return self.number()
        if kind == 2:
            return self.random.randbytes(self.length())
        if kind == 3:
            return self.text()
        if kind == 4:
            return self.random.choice([True, False, None])
        if kind == 5:
            return self.random.choice([1.5, cbor2.undefined, cbor2.CBORSimpleValue(19), cbor2.CBORTag(24, b"")]) \
                if self.random.random() < 0.05 else self.number()
        count = self.random.choice([0, 1, 1, 2, 3, 5])
        if kind == 6:
            return [self.value(level + 1) for _ in range(count)]
        return {
            self.random.choice([self.number, self.text])(): self.value(level + 1) for _ in range(count)}

    def deep(self):
        """As many levels as are allowed, or one more or less."""
        levels = self.random.randrange(LEVELS - 2, LEVELS + 2)
        data = cbor2.dumps(self.value(LEVELS + 1))
        for _ in range(levels):
            data = self.random.choice([b"\x81", b"\xa1\x00", b"\xa1\x61a"]) + data
        return data

    def head(self, major):
        """A head of any form, the shortest or not, and lengths that nothing follows."""
        number = self.random.choice(EDGES + [self.random.randrange(6)])
        widths = [(24, 1), (25, 2), (26, 4), (27, 8)]
        additional, count = self.random.choice(widths)
        if self.random.random() < 0.2:
            return bytes([major << 5 | self.random.randrange(32)])
        return bytes([major << 5 | additional]) + (number % 2**(8 * count)).to_bytes(count, "big")

    def with_fault(self, data):
        data = bytearray(data)
        for _ in range(self.random.choice([1, 1, 1, 2, 4])):
            at = self.random.randrange(len(data) + 1)
            change = self.random.randrange(7)
            if change == 0 and data:
                data[at % len(data)] ^= 1 << self.random.randrange(8)
            elif change == 1 and data:
                data[at % len(data)] = self.random.randrange(256)
            elif change == 2:
                del data[at:]
            elif change == 3:
                del data[at:at + self.random.randrange(1, 4)]
            elif change == 4:
                data[at:at] = self.random.randbytes(self.random.randrange(1, 4))
            elif change == 5:
                data[at:at + 1] = self.head(self.random.randrange(8))
            else:
                # A part twice: members of a map above all.
                data[at:at] = data[at:at + self.random.randrange(1, 12)]
        return bytes(data)

    def random_input(self):
        kind = self.random.randrange(8)
        if kind == 0:
            return self.random.randbytes(self.random.randrange(3, 12))
        if kind == 1:
            return self.deep()
        if kind == 2:
            return self.with_fault(self.random.choice(self.known))
        data = cbor2.dumps(self.value())
        return data if kind <= 4 else self.with_fault(data)

    def all(self, count):
        # No byte, each byte, and each byte of a head with each that may follow.
        yield b""
        for first in range(256):
            yield bytes([first])
            for second in range(256):
                yield bytes([first, second])
        yield from self.known
        for _ in range(count):
            yield self.random_input()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.strip().splitlines()[-1].removeprefix("usage: "))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30_000)
    options = parser.parse_args()
    sys.setrecursionlimit(2000)
    sys.stdout.writelines(f"{data.hex()} {verdict(data)}\n" for data in Inputs(options.seed).all(options.count))


main()
