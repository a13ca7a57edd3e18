"""Reads the part of YAML in which openapi.yaml is written: block mappings and lists, flow ones, plain and quoted scalars,
literal blocks. Python's own library has no reader for YAML."""


def load(text):
    """The document as dictionaries, lists, texts, numbers and flags."""
    lines = []
    for line in text.split("\n"):
        stripped = line.lstrip(" ")
        lines.append((len(line) - len(stripped), stripped.rstrip()))
    value, _ = _block(lines, 0, 0)
    return value


def _skip(lines, at):
    while at < len(lines) and (not lines[at][1] or lines[at][1].startswith("#")):
        at += 1
    return at


def _block(lines, at, indent):
    at = _skip(lines, at)
    if at == len(lines) or lines[at][0] < indent:
        return None, at
    return (_list if lines[at][1].startswith("- ") or lines[at][1] == "-" else _mapping)(lines, at, lines[at][0])


def _list(lines, at, indent):
    items = []
    while True:
        at = _skip(lines, at)
        if at == len(lines) or lines[at][0] != indent or not lines[at][1].startswith("-"):
            return items, at
        rest = lines[at][1][1:].lstrip(" ")
        inner = indent + len(lines[at][1]) - len(rest)
        if rest and _colon(rest) is not None and rest[0] not in "{[":
            lines[at] = (inner, rest)
            item, at = _mapping(lines, at, inner)
        elif rest:
            item, at = _value(lines, at, rest, indent)
        else:
            item, at = _block(lines, at + 1, indent + 1)
        items.append(item)


def _mapping(lines, at, indent):
    members = {}
    while True:
        at = _skip(lines, at)
        if at == len(lines) or lines[at][0] != indent or lines[at][1].startswith("- "):
            return members, at
        content = lines[at][1]
        colon = _colon(content)
        if colon is None:
            raise ValueError(f"line {at + 1}: no name: {content}")
        name, rest = _scalar(content[:colon]), content[colon + 1:].strip()
        members[str(name)], at = _value(lines, at, rest, indent)


def _value(lines, at, rest, indent):
    if rest[:1] in ("|", ">"):
        end, words = at + 1, []
        while end < len(lines) and (not lines[end][1] or lines[end][0] > indent):
            words.append(lines[end][1])
            end += 1
        return "\n".join(words), end
    if not rest:
        following = _skip(lines, at + 1)
        # A list may stand as far left as the name that it belongs to.
        same = following < len(lines) and lines[following][0] == indent and lines[following][1].startswith("- ")
        return _block(lines, at + 1, indent if same else indent + 1)
    opened = rest.count("{") + rest.count("[") - rest.count("}") - rest.count("]")
    while rest[0] in "{[" and opened > 0:
        at += 1
        rest += " " + lines[at][1]
        opened = rest.count("{") + rest.count("[") - rest.count("}") - rest.count("]")
    if rest[0] in "{[":
        return _flow(rest, 0)[0], at + 1
    # A plain text may go on in further lines.
    end = at + 1
    while rest[0] not in "'\"" and end < len(lines) and lines[end][1] and lines[end][0] > indent:
        rest += " " + lines[end][1]
        end += 1
    return _scalar(rest), end


def _colon(text):
    """Where the name of a member ends."""
    if text[:1] in ("'", '"'):
        end = text.index(text[0], 1)
        return end + 1 if text[end + 1:end + 2] == ":" else None
    at = text.find(": ")
    if at < 0 and text.endswith(":"):
        at = len(text) - 1
    return at if at >= 0 else None


def _flow(text, at):
    while text[at] == " ":
        at += 1
    if text[at] == "[":
        items, at = [], at + 1
        while True:
            while text[at] in " ,":
                at += 1
            if text[at] == "]":
                return items, at + 1
            item, at = _flow(text, at)
            items.append(item)
    if text[at] == "{":
        members, at = {}, at + 1
        while True:
            while text[at] in " ,":
                at += 1
            if text[at] == "}":
                return members, at + 1
            end = text.index(":", at)
            name = _scalar(text[at:end])
            members[str(name)], at = _flow(text, end + 1)
    if text[at] in "'\"":
        end = text.index(text[at], at + 1)
        return text[at + 1:end], end + 1
    end = at
    while end < len(text) and text[end] not in ",]}":
        end += 1
    return _scalar(text[at:end]), end


def _scalar(text):
    text = text.strip()
    if text[:1] in ("'", '"'):
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if " #" in text:
        text = text[:text.index(" #")].rstrip()
    if text in ("true", "false"):
        return text == "true"
    if text in ("null", "~", ""):
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
