#!/usr/bin/env python3
"""Writes a manual page for each command from what the program says of itself: manuals.py PROGRAM DATE FOLDER"""
import json
import pathlib
import subprocess
import sys
import textwrap


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def block(text):
    """Prose is filled, lines that are laid out by two blanks stay as they are."""
    lines = []
    for part in text.strip("\n").split("\n\n"):
        lines.append(".PP")
        plain = [line for line in part.split("\n") if not line.startswith("  ")]
        laid_out = [line for line in part.split("\n") if line.startswith("  ")]
        lines += [escaped(line) for line in plain]
        if laid_out:
            lines += [".RS 2", ".nf", escaped(textwrap.dedent("\n".join(laid_out))), ".fi", ".RE"]
    return lines


def spelled(argument):
    names = sorted(argument.get("names", []), key=lambda name: name["kind"] != "short")
    flags = [("-" if name["kind"] == "short" else "--") + name["name"] for name in names]
    value = "" if argument["kind"] == "flag" else f"<{argument.get('valueName', 'value')}>"
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value)}\\fR" + (" ..." if argument.get("isRepeating") else "")
    shown = ", ".join(f"\\fB{escaped(flag)}\\fR" for flag in flags)
    return f"{shown} \\fI{escaped(value)}\\fR" if value else shown


def synopsis(argument):
    text = spelled({**argument, "names": argument.get("names", [])[:1]})
    return f"[{text}]" if argument.get("isOptional") else text


def page(command, path, date, version):
    name = "-".join(path)
    arguments = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    children = [
        child for child in command.get("subcommands", [])
        if child["commandName"] != "help" and child.get("shouldDisplay", True)
    ]
    lines = [f'.TH "{name.upper()}" 1 "{date}" "okaeri {version}" "Okaeri"', ".SH NAME"]
    lines.append(escaped(f"{name} - {command.get('abstract', '').rstrip('.')}"))
    lines += [".SH SYNOPSIS", f".B {escaped(' '.join(path))}"] + [synopsis(argument) for argument in arguments]
    if children:
        lines.append("\\fIcommand\\fR")
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + block(command["discussion"])
    if children:
        lines.append(".SH COMMANDS")
        for child in children:
            lines += [".TP", f".BR {escaped(name)}\\-{escaped(child['commandName'])} (1)"]
            lines.append(escaped(child.get("abstract", "")))
    if arguments:
        lines.append(".SH OPTIONS")
        for argument in arguments:
            lines += [".TP", spelled(argument)]
            about = [argument[key] for key in ("abstract", "discussion") if argument.get(key)]
            if argument.get("allValues"):
                about.append("Values: " + ", ".join(argument["allValues"]) + ".")
            if argument.get("defaultValue"):
                about.append(f"Default: {argument['defaultValue']}.")
            lines.append(escaped(" ".join(about)))
    if len(path) > 1:
        lines += [".SH SEE ALSO", f".BR {escaped('-'.join(path[:-1]))} (1)"]
    yield name, "\n".join(lines) + "\n"
    for child in children:
        yield from page(child, path + [child["commandName"]], date, version)


def main():
    program, date, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    told = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True).stdout
    version = subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.strip()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in page(json.loads(told)["command"], ["okaeri"], date, version):
        (folder / f"{name}.1").write_text(text)


main()
