"""Looks at the site of the documents in headless Chromium. Started by scripts/check-site.

usage: check-site.py SITE PICTURES      PICTURES is the folder for screenshots
"""

import pathlib
import sys

from page_checks import patient
from playwright.sync_api import expect, sync_playwright

site, pictures = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
pictures.mkdir(parents=True, exist_ok=True)
pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
faults = []


def watch(page):
    """Hears of whatever the page asks for or complains about."""
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else faults.append(f"{page.url} asks for {request.url}"))
    page.on("requestfailed", lambda request: faults.append(f"{page.url}: {request.url} cannot be read"))
    page.on("console", lambda message: faults.append(f"{page.url}: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))


def go(page, name):
    page.goto((site / name).as_uri())
    page.wait_for_load_state()


def check_each(browser):
    """Every page: one heading of the first level, pictures that load, nothing wider than a small phone."""
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    watch(page)
    for name in pages:
        go(page, name)
        if page.locator("main h1").count() != 1:
            faults.append(f"{name}: {page.locator('main h1').count()} headings of the first level")
        if page.evaluate("document.documentElement.scrollWidth") > 320:
            faults.append(f"{name} is wider than 320 pixels")
        for address in page.evaluate("[...document.images].map((image) => (image.loading = 'eager', image.src))"):
            if not page.evaluate("async (a) => { const i = new Image(); i.src = a; await i.decode().catch(() => 0); return i.naturalWidth }", address):
                faults.append(f"{name}: the picture {address} cannot be read")
    context.close()


def check_search(page):
    for language, name, query in [("en", "index.html", "transfer code"), ("ja", "README.ja.html", "引き継ぎコード"),
                                  ("ko", "README.ko.html", "게스트"), ("en", "index.html", "ＮＣＭＢ")]:
        go(page, name)
        page.keyboard.press("/")
        page.keyboard.type(query)
        expect(page.locator("#results a").first).to_be_visible()
        page.screenshot(path=pictures / f"search-{language}.png")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        expect(page.locator("main h1")).to_be_visible()
    go(page, "index.html")
    page.fill("#search", "<img src=x onerror=document.title='stolen'>")
    expect(page.locator("#results p")).to_have_text("Nothing found")
    assert page.title() != "stolen"


def check_languages(page):
    go(page, "docs/tutorials/en/1-greeting.html")
    for language, title in [("ja", "ひとりでに挨拶するアプリ"), ("ko", "스스로 인사하는 앱"), ("en", "An app that greets by itself")]:
        page.click(f".languages [lang={language}]")
        expect(page.locator("main h1")).to_have_text(title)
        assert page.evaluate("document.documentElement.lang") == language
        page.screenshot(path=pictures / f"tutorial-{language}.png")


def main():
    with sync_playwright() as playwright:
        browser = patient(playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"]))
        check_each(browser)
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            watch(page)
            for name in ("index.html", "README.ja.html", "docs/operations/running.html"):
                go(page, name)
                page.screenshot(path=pictures / f"{name.replace('/', '-').removesuffix('.html')}-{scheme}.png")
            if scheme == "light":
                check_search(page)
                check_languages(page)
            context.close()
        context = browser.new_context(viewport={"width": 390, "height": 800})
        page = context.new_page()
        go(page, "docs/tutorials/ko/5-guest-and-devices.html")
        page.screenshot(path=pictures / "phone.png")
        # Without scripts everything but the search is there.
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        go(page, "index.html")
        page.click(".contents >> text=Tutorials")
        browser.close()
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(1)
    print(f"check-site: {len(pages)} pages looked at")


main()
