#!/usr/bin/env python3
"""Writes the part of Foundation's ICU data that the program uses, as assembler, and prints the name of the symbol in whose
stead the linker takes it (--wrap): icu_data.py SWIFT_STATIC_FOLDER OUTPUT.s

Foundation brings 34 MB of tables for every language and character set. The program formats no dates, numbers or names by
language, so host names, the root locale and time zones are enough. `make lint` refuses what would ask for more: it may stop
the process (decision 0172). The file's form is ICU's "CmnD": a header whose length
is its first 16 bits; then the number of items, for each the offsets of its name and its bytes, counted from the number.
Ends with 1 and changes nothing when the toolchain's library has another form."""
import pathlib
import struct
import subprocess
import sys
import tempfile

KEPT = {
    "cnvalias.icu", "en.res", "icuver.res", "keyTypeData.res", "likelySubtags.res", "metaZones.res", "nfkc.nrm", "nfkc_cf.nrm",
    "numberingSystems.res", "plurals.res", "pool.res", "res_index.res", "root.res", "supplementalData.res", "timezoneTypes.res",
    "uts46.nrm", "windowsZones.res", "zoneinfo64.res",
}  # fmt: skip


def whole_data(static):
    archive, member = static / "linux/lib_FoundationICU.a", "icu_packaged_data.cpp.o"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["ar", "x", archive, member], cwd=folder, check=True)
        subprocess.run(
            ["objcopy", "-O", "binary", "--only-section=.rodata", member, "all.dat"], cwd=folder, check=True)
        return (pathlib.Path(folder) / "all.dat").read_bytes()


def items(data, begin):
    count = struct.unpack_from("<I", data, begin)[0]
    places = [struct.unpack_from("<II", data, begin + 4 + 8 * index) for index in range(count)]
    ends = [offset for _, offset in places[1:]] + [len(data) - begin]
    for (name, offset), end in zip(places, ends):
        text = data[begin + name : data.index(b"\0", begin + name)]
        yield text, data[begin + offset : begin + end]


def smaller(data):
    begin = struct.unpack_from("<H", data, 0)[0]
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        raise ValueError("this is no ICU data")
    kept = [(name, content) for name, content in items(data, begin) if name.split(b"/", 1)[1].decode() in KEPT]
    if len(kept) != len(KEPT):
        raise ValueError("the ICU data lacks what the program needs")
    names, bodies = bytearray(), bytearray()
    first_name = 4 + 8 * len(kept)
    first_body = first_name + sum(len(name) + 1 for name, _ in kept)
    first_body += -first_body % 16
    table = bytearray(struct.pack("<I", len(kept)))
    for name, content in kept:
        table += struct.pack("<II", first_name + len(names), first_body + len(bodies))
        names += name + b"\0"
        bodies += content + bytes(-len(content) % 16)
    head = data[:begin] + table + names
    symbol = kept[0][0].split(b"l/", 1)[0].decode() + "_dat"
    return symbol, head + bytes(begin + first_body - len(head)) + bodies


def main():
    static, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        symbol, data = smaller(whole_data(static))
        output.with_suffix(".dat").write_bytes(data)
        output.write_text(
            f"""    .section .rodata
    .global __wrap_{symbol}
    .balign 16
__wrap_{symbol}:
    .incbin "{output.with_suffix(".dat").resolve()}"
    .section .note.GNU-stack,"",@progbits
"""
        )
        print(symbol)
    except (OSError, ValueError, struct.error, subprocess.CalledProcessError) as error:
        sys.exit(f"icu_data: {error}")


main()
