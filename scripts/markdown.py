"""Markdown to HTML, as much of it as this repository's documents use: headings, paragraphs, lists, tables, fenced code, quotations, rules,
comments; code, emphasis, links, pictures and addresses in the text. Other HTML is shown as text.

`render(text, link)` gives a `Document`; `link(target, is_picture)` says where a target of the text leads in the output.
"""

import html
import re
import unicodedata


class Document:
    """A page in HTML, its title, and its sections: anchor, level, heading and plain text of each."""

    def __init__(self):
        self.html = ""
        self.title = ""
        self.sections = []

    def anchors(self):
        return {section["anchor"] for section in self.sections if section["anchor"]}


def slug(heading, taken):
    """The anchor that GitHub gives a heading."""
    text = "".join(
        sign for sign in heading.lower() if sign in " -_" or unicodedata.category(sign)[0] in "LN" or unicodedata.combining(sign))
    base = anchor = text.strip().replace(" ", "-")
    number = 0
    while anchor in taken:
        number += 1
        anchor = f"{base}-{number}"
    taken.add(anchor)
    return anchor


def plain(text):
    """Inline Markdown without its signs."""
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(\*\*|`|(?<!\w)[*_]|[*_](?!\w))", "", text)


class Renderer:
    def __init__(self, link):
        self.link = link
        self.document = Document()
        self.taken = set()

    # Inline

    def inline(self, text):
        """A line of text. Code comes first: nothing inside of it is Markdown."""
        pieces, position = [], 0
        for match in re.finditer(r"(`+)(.+?)(?<!`)\1(?!`)", text, re.S):
            pieces.append(text[position:match.start()])
            code = match.group(2)
            pieces.append(code[1:-1] if len(code) > 2 and code[0] == code[-1] == " " else code)
            position = match.end()
        pieces.append(text[position:])
        codes = pieces[1::2]
        # A private sign stands for each piece of code while links and emphasis are looked for.
        marked = "".join(piece if number % 2 == 0 else f"\ue000{number // 2}\ue001" for number, piece in enumerate(pieces))
        result = self.links(marked)
        return re.sub(
            "\ue000(\\d+)\ue001", lambda found: f"<code>{html.escape(codes[int(found.group(1))])}</code>", result)

    def links(self, text):
        result, position = [], 0
        pattern = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)|<(https?://[^>\s]+)>")
        for match in pattern.finditer(text):
            result.append(self.emphasis(text[position:match.start()]))
            position = match.end()
            picture, label, target, address = match.groups()
            if address:
                result.append(f'<a href="{html.escape(address)}">{html.escape(address)}</a>')
            elif picture:
                result.append(f'<img src="{html.escape(self.link(target, True))}" alt="{html.escape(plain(label))}" loading="lazy">')
            else:
                result.append(f'<a href="{html.escape(self.link(target, False))}">{self.links(label)}</a>')
        result.append(self.emphasis(text[position:]))
        return "".join(result)

    @staticmethod
    def emphasis(text):
        text = html.escape(text, quote=False)
        text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<strong>\1</strong>", text, flags=re.S)
        text = re.sub(r"(?<![\w*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\w*])", r"<em>\1</em>", text, flags=re.S)
        text = re.sub(r"(?<!\w)_(?=[^\s_])(.+?)(?<=[^\s_])_(?!\w)", r"<em>\1</em>", text, flags=re.S)
        return re.sub(r"\\([\\`*_{}\[\]()#+.!|<>-])", r"\1", text)

    # Blocks

    def note(self, text):
        if not self.document.sections:
            self.document.sections.append({"anchor": "", "level": 1, "heading": "", "text": []})
        self.document.sections[-1]["text"].append(text)

    def blocks(self, lines):
        result, number = [], 0
        while number < len(lines):
            line = lines[number]
            if not line.strip():
                number += 1
            elif line.startswith("<!--"):
                while number < len(lines) and "-->" not in lines[number]:
                    number += 1
                number += 1
            elif match := re.match(r"(```+|~~~+)\s*(\S*)\s*(.*)$", line):
                number = self.fence(lines, number, match, result)
            elif match := re.match(r"(#{1,6})\s+(.+?)\s*#*$", line):
                result.append(self.heading(len(match.group(1)), match.group(2)))
                number += 1
            elif re.match(r"([-*_])(\s*\1){2,}\s*$", line):
                result.append("<hr>")
                number += 1
            elif line.startswith(">"):
                quoted = []
                while number < len(lines) and lines[number].startswith(">"):
                    quoted.append(re.sub(r"^> ?", "", lines[number]))
                    number += 1
                result.append(f"<blockquote>{self.blocks(quoted)}</blockquote>")
            elif self.begins_list(line):
                number = self.list(lines, number, result)
            elif "|" in line and number + 1 < len(lines) and re.match(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$", lines[number + 1]):
                number = self.table(lines, number, result)
            else:
                paragraph = []
                while number < len(lines) and lines[number].strip() and not (paragraph and self.ends_paragraph(lines[number])):
                    paragraph.append(lines[number].strip())
                    number += 1
                text = self.joined(paragraph)
                self.note(plain(text))
                result.append(f"<p>{self.inline(text)}</p>")
        return "\n".join(result)

    @staticmethod
    def joined(lines):
        """Lines of a paragraph as one. Between two ideographs or kana a line's end is no space."""
        text = ""
        for line in lines:
            wide = text and line and all(
                unicodedata.east_asian_width(sign) in "WF" and not "\uac00" <= sign <= "\ud7a3" for sign in (text[-1], line[0]))
            text += ("" if not text or wide else " ") + line
        return text

    @staticmethod
    def begins_list(line):
        return re.match(r"([-*+]|\d{1,9}[.)])\s+\S", line) is not None

    def ends_paragraph(self, line):
        return line.startswith(("```", "~~~", "#", ">", "<!--")) or self.begins_list(line)

    def heading(self, level, text):
        words = plain(text)
        anchor = slug(words, self.taken)
        if level == 1 and not self.document.title:
            self.document.title = words
        self.document.sections.append({"anchor": anchor, "level": level, "heading": words, "text": []})
        return f'<h{level} id="{html.escape(anchor)}">{self.inline(text)}</h{level}>'

    def fence(self, lines, number, match, result):
        sign, language, rest = match.groups()
        number += 1
        code = []
        while number < len(lines) and not re.match(re.escape(sign[0]) + "{" + str(len(sign)) + r",}\s*$", lines[number]):
            code.append(lines[number])
            number += 1
        text = "\n".join(code)
        self.note(text)
        name = re.search(r"file=(\S+)", rest)
        caption = f"<figcaption>{html.escape(name.group(1))}</figcaption>" if name else ""
        result.append(f'<figure class="code">{caption}<pre tabindex="0"><code>{html.escape(text)}</code></pre></figure>')
        return number + 1

    def list(self, lines, number, result):
        ordered = lines[number][0].isdigit()
        marker = re.compile(r"(\d{1,9}[.)])(\s+)" if ordered else r"([-*+])(\s+)")
        first = re.match(r"\d+", lines[number])
        items, is_loose = [], False
        while number < len(lines) and (match := marker.match(lines[number])):
            indent = len(match.group(0))
            item = [lines[number][indent:]]
            number += 1
            while number < len(lines):
                line = lines[number]
                if not line.strip():
                    following = lines[number + 1] if number + 1 < len(lines) else ""
                    if following.startswith(" " * min(indent, 2)) and following.strip():
                        is_loose = True
                        item.append("")
                    elif marker.match(following):
                        is_loose = True
                        number += 1
                        break
                    else:
                        break
                elif line.startswith(" "):
                    item.append(line[min(indent, len(line) - len(line.lstrip(" "))):])
                elif self.ends_paragraph(line):
                    break
                else:
                    item.append(line)
                number += 1
            items.append(item)
        kind = "ol" if ordered else "ul"
        start = f' start="{first.group(0)}"' if ordered and first and first.group(0) != "1" else ""
        rows = []
        for item in items:
            content = self.blocks(item)
            if not is_loose:
                content = re.sub(r"^<p>(.*?)</p>", r"\1", content, count=1, flags=re.S)
            rows.append(f"<li>{content}</li>")
        result.append(f"<{kind}{start}>" + "\n".join(rows) + f"</{kind}>")
        return number

    def table(self, lines, number, result):
        def cells(line):
            line = line.strip()
            line = line[1:] if line.startswith("|") else line
            line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
            codes = []
            # A bar inside of code separates no cells.
            line = re.sub(r"`[^`]*`", lambda found: codes.append(found.group(0)) or f"\ue002{len(codes) - 1}\ue003", line)
            parts = re.split(r"(?<!\\)\|", line)
            return [
                re.sub("\ue002(\\d+)\ue003", lambda found: codes[int(found.group(1))].replace("\\|", "|"), part).strip().replace("\\|", "|")
                for part in parts]

        head = cells(lines[number])
        number += 2
        rows = []
        while number < len(lines) and "|" in lines[number]:
            rows.append(cells(lines[number]))
            number += 1
        self.note(" ".join(plain(cell) for row in [head, *rows] for cell in row))
        body = "".join(
            "<tr>" + "".join(f"<td>{self.inline(cell)}</td>" for cell in (row + [""] * len(head))[:len(head)]) + "</tr>" for row in rows)
        titles = "".join(f'<th scope="col">{self.inline(cell)}</th>' for cell in head)
        top = f"<thead><tr>{titles}</tr></thead>" if any(head) else ""
        result.append(f'<div class="table" tabindex="0"><table>{top}<tbody>{body}</tbody></table></div>')
        return number


def render(text, link):
    renderer = Renderer(link)
    renderer.document.html = renderer.blocks(text.splitlines())
    for section in renderer.document.sections:
        section["text"] = " ".join(" ".join(section["text"]).split())
    return renderer.document
