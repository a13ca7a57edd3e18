"""Writes DocC catalogues of the tutorials: one for each language, made from the pages below docs/tutorials, which stay the only source.

A section of a page is a section of the tutorial. Each item of a numbered list and each block of code is a step, with the paragraph before
it; other text and tables before the first step are the section's introduction. A block's file stands in the catalogue as it is in the page.
"""

import pathlib
import re
import shutil

root = pathlib.Path(__file__).resolve().parent.parent
tutorials = root / "docs" / "tutorials"
minutes = {"1-greeting": 10, "2-screens": 20, "3-sign-up-and-log-in": 20, "4-sign-in-with-apple": 30, "5-guest-and-devices": 20}
words = {
    "en": {"replace": "This is the whole file `{}` now.", "terminal": "Terminal", "try": "In a shell:", "code": "In the code:"},
    "ja": {"replace": "`{}` 全体は次のようになります。", "terminal": "ターミナル", "try": "シェルで実行します。", "code": "コードは次のとおりです。"},
    "ko": {"replace": "이제 `{}` 전체는 다음과 같습니다.", "terminal": "터미널", "try": "셸에서 실행합니다.", "code": "코드는 다음과 같습니다."},
}


class Element:
    """A paragraph, list item, picture, table or fenced block of a page; a quotation is a paragraph."""

    def __init__(self, kind, text, name=None, language=""):
        self.kind, self.text, self.name, self.language = kind, text, name, language


class Section:
    def __init__(self, title):
        self.title, self.elements = title, []


def sections(page):
    """The page's title with what stands below it, then each section."""
    result = [Section("")]
    lines = page.read_text(encoding="utf-8").splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        elements = result[-1].elements
        if not line.strip() or line.startswith("<!--"):
            number += 1
        elif line.startswith("# "):
            result[0].title = line[2:]
            number += 1
        elif line.startswith("## "):
            result.append(Section(re.sub(r"^\d+\. ", "", line[3:])))
            number += 1
        elif line.startswith("```"):
            end = lines.index("```", number + 1)
            name = re.search(r"file=(\S+)", line)
            text = "".join(f"{each}\n" for each in lines[number + 1:end])
            elements.append(Element("code", text, name.group(1) if name else None, line[3:].split()[0] if line[3:] else ""))
            number = end + 1
        else:
            block = [line]
            number += 1
            while number < len(lines) and lines[number].strip() and not re.match(r"```|#|\d+\. ", lines[number]):
                block.append(lines[number])
                number += 1
            elements.append(element("\n".join(block)))
    return result


def element(text):
    picture = re.fullmatch(r"!\[(.*)\]\((\S+)\)", text)
    if picture:
        return Element("picture", picture.group(1), picture.group(2))
    if re.match(r"\d+\. ", text):
        return Element("item", re.sub(r"\n +", "\n", re.sub(r"^\d+\. ", "", text)))
    if text.startswith("|"):
        return Element("table", text)
    return Element("text", re.sub(r"(?m)^> ?", "", text))


class Catalogue:
    """Collects the files of one language's catalogue in a folder."""

    def __init__(self, language, folder):
        self.language, self.folder = language, folder
        self.files = 0
        self.pages = sorted((tutorials / language).glob("[0-9]*.md"))

    def write(self):
        self.folder.mkdir(parents=True)
        chapters = [self.page(page) for page in self.pages]
        overview = sections(tutorials / self.language / "README.md")[0]
        first = next(each for each in overview.elements if each.kind == "text")
        self.save("Tutorials.tutorial", directive(
            'Tutorials(name: "Okaeri")',
            directive(f'Intro(title: "{overview.title}")', self.inline(first.text, tutorials / self.language / "README.md")) + "\n"
            + "\n".join(chapters)))

    def save(self, name, text):
        target = self.folder / name
        if target.exists():
            raise ValueError(f"{target} would be written twice")
        target.write_text(text, encoding="utf-8")

    def page(self, page):
        """Writes a tutorial; its chapter in the table of contents."""
        head, *rest = sections(page)
        intro = [self.inline(each.text, page) for each in head.elements]
        body = directive(f'Intro(title: "{head.title}")', "\n\n".join(intro))
        for number, section in enumerate(rest, 1):
            body += "\n" + self.section(page, number, section)
        self.save(f"{page.stem}.tutorial", directive(f"Tutorial(time: {minutes[page.stem]})", body))
        picture = next((each for section in rest for each in section.elements if each.kind == "picture"), None)
        picture = picture or Element("picture", head.title, f"../../images/log-in-{self.language}.png")
        image = f'@Image(source: "{self.picture((page.parent / picture.name).resolve())}", alt: "{picture.text}")'
        return directive(
            f'Chapter(name: "{head.title}")', f'{intro[0]}\n\n{image}\n\n@TutorialReference(tutorial: "doc:{page.stem}")')

    def section(self, page, number, section):
        text, aside, steps, waiting = [], [], [], []

        def leave():
            # Before the first step it is the section's text, afterwards a step of its own: DocC wants one paragraph in a step.
            (steps if steps else text).extend(waiting)
            waiting.clear()

        for each in section.elements:
            if each.kind == "text":
                leave()
                waiting.append(self.inline(each.text, page))
            elif each.kind == "table":
                # A step holds none.
                aside.extend(waiting + [self.inline(each.text, page)])
                waiting.clear()
            elif each.kind == "picture":
                source = self.picture((page.parent / each.name).resolve())
                picture = f'@Image(source: "{source}", alt: "{each.text}")'
                if waiting:
                    steps.append(f"{waiting.pop()}\n\n{picture}")
                elif steps:
                    steps[-1] += f"\n\n{picture}"
                else:
                    aside.append(picture)
            elif each.kind == "item":
                leave()
                steps.append(self.inline(each.text, page))
            else:
                steps.append(self.code_step(page, number, each, waiting.pop() if waiting else None))
        if not steps:
            leave()
            steps, text = text, []
        leave()
        return directive(
            f'Section(title: "{section.title}")',
            directive("ContentAndMedia", "\n\n".join(text + aside)) + "\n"
            + directive("Steps", "\n".join(directive("Step", step) for step in steps)))

    def code_step(self, page, number, block, paragraph):
        own = words[self.language]
        if block.name is None:
            title, ending = ("Swift", "swift") if block.language == "swift" else (own["terminal"], "sh")
            before = own["code"] if block.language == "swift" else own["try"]
        else:
            title, ending, before = block.name, block.name, own["replace"].format(block.name)
        self.files += 1
        file = f"{page.stem}-{number}-{self.files}-{ending}" if block.name else f"{page.stem}-{number}-{self.files}.{ending}"
        self.save(file, block.text)
        return f'{paragraph or before}\n\n@Code(name: "{title}", file: "{file}")'

    def picture(self, source):
        target = self.folder / source.name
        if not target.exists():
            shutil.copyfile(source, target)
        return source.name

    def inline(self, text, page):
        """Links between tutorials are DocC's; of other files of the repository, the label and the path."""
        def convert(match):
            label, target = match.groups()
            if re.match(r"https?:", target):
                return match.group(0)
            file = (page.parent / target.partition("#")[0]).resolve()
            if file in self.pages:
                return f"<doc:{file.stem}>"
            return f"{label} (`{file.relative_to(root)}`)"

        return re.sub(r"(?<!!)\[([^\]]*)\]\((\S+?)\)(?!`)", convert, text)


def directive(head, body):
    indented = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
    return f"@{head} {{\n{indented}\n}}\n"


def write(folder, languages):
    """Catalogues FOLDER/LANGUAGE/Tutorials.docc; what was there before goes."""
    for language in languages:
        shutil.rmtree(folder / language, ignore_errors=True)
        Catalogue(language, folder / language / "Tutorials.docc").write()
