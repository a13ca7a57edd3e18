"""Checks that every page for people must pass: labels, roles, order of focus, announced errors, sizes,
contrast, weight, and that nothing comes from elsewhere. Ours, because no library for it is at hand.

    checks = PageChecks(folder_for_pictures)
    checks.look(page, "log-in")          # a Playwright page; raises AssertionError with all faults
    checks.walk(page)                    # goes through it with the Tab key
"""

import contextlib
import pathlib
import time
import urllib.request

from playwright.sync_api import expect

# Milliseconds: what a busy machine takes. Nobody waits for it where nothing is wrong.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)

SCRIPT = (pathlib.Path(__file__).parent / "page_checks.js").read_text()

FOCUS = """() => {
  const e = document.activeElement, s = getComputedStyle(e), b = e.getBoundingClientRect();
  const again = "walked" in e.dataset;
  e.dataset.walked = "yes";
  return {again, name: e.outerHTML.slice(0, 60), isBody: e === document.body, seen: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2,
    top: b.top + scrollY, left: b.left + scrollX, bottom: b.bottom + scrollY,
    inView: b.width <= 1 || (b.bottom > 0 && b.top < innerHeight)};
}"""

LEFT_OUT = """() => {
  const all = [...document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary")].filter((e) =>
    e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0 && e.type !== "radio");
  const left = all.filter((e) => !e.dataset.walked).map((e) => e.outerHTML.slice(0, 60));
  for (const e of document.querySelectorAll("[data-walked]")) delete e.dataset.walked;
  return left;
}"""


def patient(browser):
    """The same browser, whose pages all wait as long as a busy machine takes."""
    make = browser.new_context

    def new_context(**options):
        context = make(**options)
        context.set_default_timeout(PATIENCE)
        return context

    browser.new_context = new_context
    return browser


def wait_until_ready(server, base):
    """Waits until a server that was just started answers; as long as a busy machine takes, if it lives."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{base}/health/ready", timeout=PATIENCE / 1000)
            return
        time.sleep(0.1)
    raise AssertionError("the server does not start")


@contextlib.contextmanager
def told_by_pages(browser, log):
    """Where a check fails, prints what each open page says, and the end of the server's log."""
    try:
        yield
    except BaseException:
        for page in [page for context in browser.contexts for page in context.pages]:
            with contextlib.suppress(Exception):
                print(f"  {page.url} says: {page.inner_text('body', timeout=1000)[:400]!r}", flush=True)
        print("  the server's log ends with:", *pathlib.Path(log).read_text().splitlines()[-10:], sep="\n    ", flush=True)
        raise


def surely(page, button):
    """Presses a button whose action the dashboard asks for once more: first the answer no, then yes."""
    question = page.locator("dialog[open]")
    page.click(button)
    expect(question.locator(".button-outline")).to_be_focused()
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    page.click(button)
    question.locator(".button-danger").click()


class PageChecks:
    def __init__(self, pictures, maximum_bytes=50_000):
        self.pictures = pathlib.Path(pictures)
        self.pictures.mkdir(parents=True, exist_ok=True)
        self.maximum_bytes = maximum_bytes
        self.steps = 0

    def look(self, page, name):
        """Checks a page as it stands, and takes a picture of it."""
        self.steps += 1
        found = page.evaluate(SCRIPT)
        page.screenshot(path=self.pictures / f"{self.steps:02} {name}.png", full_page=True)
        faults = found["faults"]
        if found["weight"] > self.maximum_bytes:
            faults.append(f"weighs {found['weight']} bytes")
        assert not faults, f"{name}: {faults}"

    def walk(self, page, maximum=200):
        """Goes through a page with the Tab key: everything is reached, can be seen, and comes in the order of reading."""
        page.evaluate("() => { const b = document.body; b.tabIndex = -1; b.focus(); b.removeAttribute('tabindex'); scrollTo(0, 0); }")
        last = None
        for _ in range(maximum):
            page.keyboard.press("Tab")
            focus = page.evaluate(FOCUS)
            # Behind the last one the browser begins again, or goes to its own controls.
            if focus["isBody"] or focus["again"]:
                break
            assert focus["seen"], f"focus cannot be seen: {focus['name']}"
            assert focus["inView"], f"focus is out of sight: {focus['name']}"
            if last:
                backwards = focus["bottom"] <= last["top"]
                assert not backwards, f"focus goes up, from {last['name']} to {focus['name']}"
            last = focus
        left = page.evaluate(LEFT_OUT)
        assert not left, f"the keyboard does not reach {left}"
