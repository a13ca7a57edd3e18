"""Plays a person at the hosted pages in headless Chromium. Started by scripts/check-pages.

usage: check-pages.py PROGRAM FOLDER      screenshots go to FOLDER/screenshots
"""

import functools
import json
import pathlib
import re
import socket
import subprocess
import sys
import time
import types

from check_pages_app import check_guest, check_web_log_in
from check_pages_factors import check_factors
from check_pages_fields import check_fields
from check_pages_passkeys import check_passkeys
from check_pages_work import check_work
from page_checks import PATIENCE, PageChecks, patient, told_by_pages, wait_until_ready
from playwright.sync_api import expect, sync_playwright

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
pictures = folder / "screenshots"
checks = PageChecks(pictures)
look = checks.look
data = folder / "data"
password = "correct horse battery"


def okaeri(*arguments):
    answer = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert answer.returncode == 0, f"okaeri {' '.join(arguments)}: {answer.stderr}"
    return answer.stdout


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


port = free_port()
base = f"http://127.0.0.1:{port}"
application = json.loads(okaeri("application", "create", "Hoshi", "--data", str(data), "--json"))["id"]
okaeri("application", "redirect", application, "--add", "http://127.0.0.1/back", "--data", str(data))
pages = f"{base}/a/{application}"


def mails():
    """The mails of the outbox, newest first."""
    return json.loads(okaeri("mail", "outbox", "--application", application, "--data", str(data), "--json"))["mails"]


def wait_for_mail(pattern):
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        for mail in mails():
            found = re.search(pattern, json.dumps(mail))
            if found:
                return found.group(0)
        time.sleep(0.1)
    raise AssertionError(f"no mail has {pattern}")


def sign_up(page, name, mail="", secret=password):
    page.goto(f"{pages}/sign-up")
    page.fill("[name=username]", name)
    page.fill("[name=email]", mail)
    page.fill("[name=password]", secret)
    page.click(".form button[type=submit]")


def log_in(page, name, secret=password):
    page.goto(f"{pages}/log-in")
    page.fill("[name=identifier]", name)
    page.click(".form button[type=submit]")
    page.fill("[name=password]", secret)
    page.click(".form button[type=submit]")


def check_sign_up(page):
    for name, mail, secret, field, words in [
        ("", "", password, "username", "fill this in"), ("a@b", "", password, "username", "no @"),
        ("pаypal", "", password, "username", "one alphabet"), ("hana", "nowhere", password, "email", "no mail address"),
        ("hana", "", "fourteen chars", "password", "At least 15"),
        ("hana", "", "administrator123", "password", "tries this"),
        ("hana.tanaka.suzuki", "", "hana.tanaka.suzuki1", "password", "too much like"),
    ]:
        sign_up(page, name, mail, secret)
        expect(page.locator(f"#field-{field}-error")).to_contain_text(words)
        assert page.evaluate("document.activeElement.className") == "summary", "errors are not focused"
        assert page.input_value("[name=password]") == ""
        assert page.get_attribute(f"#field-{field}", "aria-invalid") == "true"
    look(page, "sign-up, errors")
    sign_up(page, "hana", "hana@example.com")
    page.wait_for_url(f"{pages}/account?done=emailSent")
    expect(page.locator("[role=status]").first).to_contain_text("A mail is on its way")
    page.goto(wait_for_mail(rf"{pages}/verify\?token=[0-9A-Z-]+"))
    look(page, "confirm the address")
    page.click(".form button[type=submit]")
    expect(page.locator("h1")).to_have_text("Confirmed")
    page.goto(f"{pages}/account")
    expect(page.locator(".badge").first).to_have_text("confirmed")
    assert page.locator(".copied").count() == 0, "there is nothing to copy yet"
    look(page, "account")
    # Nobody learns whether somebody has an address: both pages are the same.
    shown = []
    for name, mail in [("taro", "hana@example.com"), ("tomo", "tomo@example.com")]:
        other = page.context.browser.new_context(locale="en").new_page()
        sign_up(other, name, mail)
        other.wait_for_url(f"{pages}/account?done=emailSent")
        shown.append(re.sub(r"\d", "0", other.locator(".card").inner_text().replace(name, "NAME")))
    assert shown[0] == shown[1], "it tells who has a mail address"
    sign_up(page, "hana")
    expect(page.locator("#field-username-error")).to_contain_text("Somebody else")


def check_account(page):
    page.goto(f"{pages}/account")
    page.fill("[name=displayName]", "Hana <b>花</b>")
    page.click("text=Save")
    expect(page.locator("[role=status]").first).to_contain_text("Saved")
    expect(page.locator(".who strong")).to_have_text("Hana <b>花</b>")
    page.click("text=Show a code")
    expect(page.locator(".code-block")).to_have_text(re.compile(r"^(\w{4}-){3}\w{4}$"))
    expect(page.locator(".code-block")).to_be_in_viewport()
    assert page.evaluate("document.activeElement.id") == "transfer", "the code is read by nobody who does not look for it"
    assert page.locator(".qr svg").count() == 1
    look(page, "transfer code")
    with page.expect_download() as download:
        page.click("text=Download")
    assert "hana@example.com" in pathlib.Path(download.value.path()).read_text()
    page.goto(f"{pages}/account")
    page.click("text=Log out >> nth=0")
    page.wait_for_url(f"{pages}/log-in")
    page.goto(f"{pages}/account")
    assert page.url == f"{pages}/log-in", "the account is open after the log-out"


def check_log_in(page):
    log_in(page, "hana", "not the password")
    expect(page.locator(".summary")).to_contain_text("do not belong together")
    look(page, "wrong password")
    known = page.locator(".card").inner_text().replace("hana", "NAME")
    log_in(page, "hoshi", "not the password")
    assert page.locator(".card").inner_text().replace("hoshi", "NAME") == known, "it tells who has an account"
    log_in(page, "HANA@example.com")
    page.wait_for_url(f"{pages}/account")


def check_reset(page):
    page.goto(f"{pages}/forgot")
    look(page, "forgot")
    page.fill("[name=email]", "hana@example.com")
    page.click("text=Send the mail")
    look(page, "mail is sent")
    page.goto(wait_for_mail(rf"{pages}/reset\?token=[0-9A-Z-]+"))
    look(page, "reset")
    page.fill("[name=password]", "short")
    page.click(".form button[type=submit]")
    expect(page.locator("#field-password-error")).to_contain_text("At least 15")
    page.reload()
    expect(page.locator("[name=token]")).to_have_attribute("type", "hidden")
    page.fill("[name=password]", "another good password")
    page.click(".form button[type=submit]")
    expect(page.locator("h1")).to_have_text("Your password is new")
    log_in(page, "hana", "another good password")
    page.wait_for_url(f"{pages}/account")


def check_keyboard(page):
    page.goto(f"{pages}/sign-up")
    assert page.evaluate("document.activeElement.name") == "username"
    expect(page.get_by_role("button", name="Show: Password", exact=True)).to_have_text("Show")
    page.keyboard.type("keiko")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "password", "the order of focus"
    page.keyboard.type(password)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{pages}/account")
    checks.walk(page)
    for name in ["log-in", "sign-up", "forgot", "reset", "verify"]:
        page.goto(f"{pages}/{name}")
        checks.walk(page)


def check_without_scripts(browser):
    page = browser.new_context(java_script_enabled=False, locale="en").new_page()
    sign_up(page, "noriko", "", "short")
    expect(page.locator("#field-password-error")).to_be_visible()
    page.fill("[name=password]", password)
    page.click(".form button[type=submit]")
    page.wait_for_url(f"{pages}/account")
    page.click("text=Show a code")
    expect(page.locator(".qr svg")).to_be_visible()


def check_languages(browser):
    for language, log_in_title, own in [("ja", "おかえりなさい", "日本語"), ("ko", "다시 오신", "한국어"), ("en", "Welcome", "English")]:
        for scheme in ["light", "dark"]:
            page = browser.new_context(
                locale=language, color_scheme=scheme, viewport={"width": 320, "height": 640}).new_page()
            page.goto(f"{pages}/log-in")
            expect(page.locator("h1")).to_contain_text(log_in_title)
            expect(page.locator("[aria-current]")).to_have_text(own)
            assert page.evaluate("document.documentElement.lang") == language
            for name in ["log-in", "sign-up", "forgot", "reset"]:
                page.goto(f"{pages}/{name}")
                look(page, f"{name}, {language}, {scheme}, 320")
    page.click("text=日本語")
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    page.goto(f"{pages}/log-in")
    expect(page.locator("h1")).to_contain_text("おかえり")


def check_themes(browser):
    """Other brands keep contrast, weight and sizes too."""
    themes = pathlib.Path(__file__).parent.parent / "Examples/web/themes"
    for theme in sorted(themes.glob("*.json")):
        okaeri("application", "theme", "set", application, str(theme), "--data", str(data))
        for scheme in ["light", "dark"]:
            page = browser.new_context(locale="en", color_scheme=scheme).new_page()
            for name in ["log-in", "sign-up"]:
                page.goto(f"{pages}/{name}")
                look(page, f"{name}, {theme.stem}, {scheme}")
            page.fill("[name=username]", "x")
            page.click(".form button[type=submit]")
            look(page, f"errors, {theme.stem}, {scheme}")
    okaeri("application", "theme", "remove", application, "--data", str(data))


def check_large_letters(browser):
    """Letters of twice the size on a phone: all of the page is there, and a name is no column of letters (WCAG 1.4.4)."""
    page = browser.new_context(locale="ja", viewport={"width": 360, "height": 740}, bypass_csp=True).new_page()
    sign_up(page, "sakiko-hanako")
    page.wait_for_url(f"{pages}/account")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it is wider than the screen"
    name = page.locator(".who strong").bounding_box()
    assert name["width"] > name["height"], f"the name is a column: {name}"


def check_first_page(browser):
    """What somebody sees who opens the server's own address."""
    for language, title in [("ja", "認証サーバー"), ("ko", "인증 서버"), ("en", "Identity server")]:
        for scheme, width in [("light", 1280), ("dark", 320)]:
            context = browser.new_context(locale=language, color_scheme=scheme, viewport={"width": width, "height": 780})
            page = context.new_page()
            page.goto(f"{base}/")
            expect(page.locator("h1")).to_have_text(title)
            look(page, f"first page, {language}, {scheme}, {width}")
            checks.walk(page)
            assert not context.cookies(), "the first page sets a cookie"
    page.click("text=Dashboard")
    page.wait_for_url(f"{base}/dashboard/log-in")


def check_frames(browser):
    """A page of another's cannot show ours in a frame. It has loaded when its frames have, or were refused."""
    page = browser.new_context().new_page()
    with page.expect_response(f"{pages}/log-in") as answer:
        page.set_content(f'<iframe src="{pages}/log-in"></iframe>')
    assert answer.value.status == 200, answer.value.status
    frame = page.frames[1]
    assert frame.url.startswith("chrome-error:") and not frame.locator("form").count(), frame.url


world = types.SimpleNamespace(
    base=base, pages=pages, application=application, password=password, look=look, data=data, okaeri=okaeri)
server = subprocess.Popen(
    [program, "serve", "--dev", "--data", str(data), "--listen", f"127.0.0.1:{port}"],
    stdout=open(folder / "server.log", "w"), stderr=subprocess.STDOUT)
try:
    wait_until_ready(server, base)
    with sync_playwright() as playwright:
        browser = patient(playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"]))
        with told_by_pages(browser, folder / "server.log"):
            page = browser.new_context(locale="en", viewport={"width": 900, "height": 800}).new_page()
            noise = []
            page.on("console", lambda message: noise.append(message.text) if "Content Security" in message.text else None)
            for check, argument in [
                (check_sign_up, page), (check_account, page), (check_log_in, page), (check_reset, page),
                (check_keyboard, browser.new_context(locale="en").new_page()), (check_without_scripts, browser),
                (check_large_letters, browser), (check_first_page, browser), (check_languages, browser),
                (check_themes, browser), (check_frames, browser), (functools.partial(check_web_log_in, world), browser),
                (functools.partial(check_guest, world), browser), (functools.partial(check_fields, world), browser),
                (functools.partial(check_passkeys, world), browser), (functools.partial(check_factors, world), browser),
                (functools.partial(check_work, world), browser),
            ]:
                begin = time.time()
                check(argument)
                print(f"  {getattr(check, 'func', check).__name__.removeprefix('check_').replace('_', ' ')}: good, {time.time() - begin:.1f} s", flush=True)
            assert not noise, noise
        browser.close()
finally:
    server.terminate()
    server.wait()
