"""Plays an owner at the dashboard in headless Chromium. Started by scripts/check-dashboard.

usage: check-dashboard.py PROGRAM FOLDER      screenshots go to FOLDER/screenshots
"""

import base64
import functools
import hashlib
import hmac
import json
import pathlib
import re
import socket
import struct
import subprocess
import sys
import time
import types
import urllib.request

from check_dashboard_hooks import check_hooks, check_old_services
from check_dashboard_parts import (
    check_access, check_appearance, check_comfort, check_fields, check_first_owner, check_keyboard, check_menu, check_proof, check_protocols, check_settings, check_views)
from check_dashboard_passkeys import check_own_passkeys
from page_checks import PageChecks, patient, told_by_pages, wait_until_ready
from playwright.sync_api import expect, sync_playwright

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
pictures = folder / "screenshots"
data = folder / "data"
password = "eleven quiet rivers run"
evil = "\"'><script>document.title='stolen'</script><img src=x onerror=\"document.title='stolen'\">"


def okaeri(*arguments):
    answer = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert answer.returncode == 0, f"okaeri {' '.join(arguments)}: {answer.stderr}"
    return answer.stdout


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
base = f"http://127.0.0.1:{port}"
# Lists and charts weigh more than a page to log in.
checks = PageChecks(pictures, maximum_bytes=200_000)


def look(page, name):
    """Checks a page and takes a picture of it."""
    page.wait_for_load_state()
    checks.look(page, name)
    assert page.title() != "stolen", f"{name}: a script of a user's ran"


def time_code(key):
    """What an authenticator app shows (RFC 6238)."""
    digest = hmac.new(base64.b32decode(key + "=" * (-len(key) % 8)), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1)
    offset = digest.digest()[-1] & 15
    return f"{(struct.unpack('>I', digest.digest()[offset:offset + 4])[0] & 0x7FFFFFFF) % 1000000:06}"


def post(path, body, application):
    request = urllib.request.Request(
        f"{base}{path}", json.dumps(body).encode(),
        {"Content-Type": "application/json", "Okaeri-Application": application})
    return json.load(urllib.request.urlopen(request))


world = types.SimpleNamespace(program=program, base=base, data=data, look=look, okaeri=okaeri, password=password, time_code=time_code)


def check_set_up(page):
    link = re.search(r"http\S+/dashboard/set-up\?token=\S+", okaeri("admin", "link", "--data", str(data))).group(0)
    page.goto(base + re.sub(r"^https?://[^/]+", "", link))
    look(page, "set-up")
    page.locator("summary").first.click()
    key = page.locator(".key").inner_text().replace(" ", "")
    world.key = key
    page.fill("[name=name]", "mika")
    page.fill("[name=password]", password)
    page.fill("[name=code]", "000000")
    page.click(".form button[type=submit]")
    expect(page.locator("#field-code-error")).to_be_visible()
    page.fill("[name=password]", password)
    page.fill("[name=code]", time_code(key))
    page.click(".form button[type=submit]")
    expect(page.locator(".codes")).to_be_visible()
    look(page, "recovery codes")
    page.click(".card a.button")
    page.goto(base + re.sub(r"^https?://[^/]+", "", link))
    expect(page.locator("h1")).to_have_text("That did not work")
    page.goto(f"{base}/dashboard/applications")
    look(page, "no application")
    page.fill("[name=name]", "Hoshi")
    page.click("text=Create")
    page.wait_for_url(re.compile("/start$"))
    look(page, "start")
    world.application = page.url.split("/")[-2]
    world.home = f"{base}/dashboard/app/{world.application}"


def make_users(page):
    """Users as apps make them; one calls itself a script."""
    application = world.application
    for number in range(60):
        name = evil if number == 7 else ["Hana", "Sora", "Yui", "Minjun", "Alice"][number % 5] + f" {number}"
        post("/v1/sign-up", {
            "username": f"player{number}", "password": "four quiet words", "displayName": name, "locale": "ja",
            "email": f"player{number}@example.com", "fields": {"level": number, "note": evil if number == 7 else "–"},
        }, application)


def check_users(page):
    page.goto(world.home)
    look(page, "overview")
    page.goto(f"{world.home}/users")
    look(page, "users")
    page.click("text=Next page")
    expect(page.locator("tbody tr")).to_have_count(10)
    page.goto(f"{world.home}/users")
    page.fill("[name=search]", "player7")
    page.click("text=Columns")
    page.fill("[name=fields]", "level, note")
    page.uncheck("[name='column.created']")
    page.click(".filters button[type=submit]")
    expect(page.locator("thead")).to_contain_text("level")
    expect(page.locator("thead")).not_to_contain_text("First launch")
    assert "search=player7" in page.url
    look(page, "users, columns and search")
    page.goto(f"{world.home}/users?kind=anonymous")
    expect(page.locator(".empty")).to_be_visible()
    look(page, "users, none")
    with page.expect_download() as download:
        page.click("text=Export as CSV")
    world.csv = pathlib.Path(download.value.path()).read_text()


def check_many(page):
    page.goto(f"{world.home}/users?kind=registered")
    page.locator("td.pick input").nth(0).check()
    page.locator("td.pick input").nth(1).check()
    page.click("#bulk button[formaction*='/bulk/disable']")
    expect(page.locator("[role=status]").first).to_contain_text("2 user")
    assert "kind=registered" in page.url
    page.goto(f"{world.home}/users?kind=disabled")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.locator("th.pick input").check()
    page.click("#bulk button[formaction*='/bulk/confirm-deletion']")
    look(page, "delete several")
    page.fill("[name=confirm]", "3")
    page.click(".form button[type=submit]")
    expect(page.locator("#field-confirm-error")).to_be_visible()
    page.fill("[name=confirm]", "2")
    page.click(".form button[type=submit]")
    page.goto(f"{world.home}/users?kind=leaving")
    expect(page.locator("tbody tr")).to_have_count(2)


def check_user(page):
    page.goto(f"{world.home}/users?search=player7")
    page.locator("tbody a").first.click()
    look(page, "user with a hostile name")
    page.goto(f"{world.home}/users?search=player12")
    page.locator("tbody a").first.click()
    page.fill("[name=displayName]", "Hanako")
    page.fill("[name=fields]", '{"level": 99, "guild": "桜"}')
    page.click("form[data-swap] button[type=submit]")
    expect(page.locator("h1")).to_have_text("Hanako")
    expect(page.locator(".notice")).to_contain_text("Saved")
    expect(page.locator(".notice")).to_be_focused()
    expect(page.locator("pre.json")).to_contain_text("99")
    look(page, "user, saved")
    page.fill("[name=fields]", "{level: 99")
    page.click("form[data-swap] button[type=submit]")
    expect(page.locator(".summary")).to_be_visible()
    page.reload()
    page.click("text=Issue a transfer code")
    expect(page.locator(".code-block")).to_have_text(re.compile(r"^(\w{4}-){3}\w{4}$"))
    # Reload and back open the page of the user, and send no form again.
    assert not page.url.endswith("/transfer-code"), page.url
    page.goto(f"{world.home}/users")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Hanako")
    page.reload()
    expect(page.locator(".code-block")).to_have_count(0)
    page.click("summary:has-text('Delete')")
    page.fill("[name=confirm]", page.locator(".who-head .mono").inner_text())
    page.click("form[action$='/delete'] button")
    expect(page.locator(".badge-warn")).to_contain_text("Being deleted")
    look(page, "user, being deleted")
    page.click("text=Bring back")
    expect(page.locator(".badge-warn")).to_have_count(0)


def check_without_scripts(browser, state):
    page = browser.new_context(java_script_enabled=False, locale="en", storage_state=state).new_page()
    page.goto(f"{world.home}/users?kind=registered")
    page.locator("td.pick input").nth(3).check()
    page.click("#bulk button[formaction*='/bulk/log-out']")
    expect(page.locator("[role=status]").first).to_contain_text("1 user")
    page.locator("tbody a").nth(8).click()
    page.fill("[name=displayName]", "Noriko")
    page.click("form[data-swap] button[type=submit]")
    expect(page.locator("h1")).to_have_text("Noriko")
    # What cannot be taken back asks on a page of its own; the way back does nothing.
    page.goto(f"{world.home}/providers")
    for answer in [".form a", ".form button"]:
        page.click("summary:has-text('Google')")
        page.click("#provider-google button[formaction$='/remove']")
        expect(page.locator("h1")).to_have_text("Are you sure?")
        look(page, "sure, without scripts")
        page.click(answer)
        expect(page.locator("#provider-google .badge")).to_have_text("on" if answer == ".form a" else "off")
    page.goto(f"{world.home}/mail")
    page.fill("[name=subject]", "Hello")
    page.click("button[formtarget=preview]")
    page.goto(f"{world.home}/protocols")
    page.click("summary:has-text('Parse')")
    page.locator("#protocol-parse form[action$='/enable'] button").click()
    expect(page.locator("#protocol-parse .facts")).to_contain_text("applicationId")


def check_languages(browser, state):
    for language, users, forms in [
        ("ja", "ユーザー", [("light", 320), ("dark", 1280)]), ("ko", "사용자", [("dark", 390)]),
        ("en", "Users", [("light", 390), ("dark", 1280)]),
    ]:
        for scheme, width in forms:
            page = browser.new_context(
                locale=language, color_scheme=scheme, viewport={"width": width, "height": 780},
                storage_state=state).new_page()
            page.goto(f"{world.home}/users?lang={language}")
            expect(page.locator("h1")).to_have_text(users)
            for name in ["users", "settings", "providers", "protocols?open=ncmb", "fields", "roles", "events", "hooks", "old-services", "mail", "mail-queue", "theme", "audit", ""]:
                page.goto(f"{world.home}/{name}".rstrip("/"))
                look(page, f"{name.split('?')[0] or 'overview'}, {language}, {scheme}, {width}")
            for name in ["admins", "keys", "passkeys"]:
                page.goto(f"{world.base}/dashboard/{name}")
                look(page, f"{name}, {language}, {scheme}, {width}")
            page.goto(f"{world.home}/users?search=player12")
            page.locator("tbody a").first.click()
            look(page, f"user, {language}, {scheme}, {width}")


# Searches have no time limit that a busy machine with a browser beside the server could reach.
server = subprocess.Popen(
    [program, "serve", "--dev", "--data", str(data), "--listen", f"127.0.0.1:{port}", "--rate-limits", "off", "--search-time", "30000"],
    stdout=open(folder / "server.log", "w"), stderr=subprocess.STDOUT)
try:
    wait_until_ready(server, base)
    with sync_playwright() as playwright:
        browser = patient(playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"]))
        with told_by_pages(browser, folder / "server.log"):
            context = browser.new_context(locale="en", viewport={"width": 1280, "height": 860}, accept_downloads=True)
            page = context.new_page()
            noise = []
            page.on("console", lambda message: noise.append(f"{page.url} {message.text}") if message.type == "error" and "status of 4" not in message.text else None)
            page.on("pageerror", lambda error: noise.append(str(error)))
            for check in [check_set_up, make_users, check_users, check_many, check_user,
                          *(functools.partial(check, world) for check in [
                              check_settings, check_protocols, check_fields, check_hooks, check_old_services, check_access, check_proof, check_views,
                              check_comfort, check_keyboard, check_menu, check_appearance, check_first_owner])]:
                begin = time.time()
                check(page)
                name = getattr(check, "func", check).__name__.removeprefix("check_").replace("_", " ")
                print(f"  {name}: good, {time.time() - begin:.1f} s", flush=True)
            assert not noise, noise
            state = context.storage_state()
            check_without_scripts(browser, state)
            print("  without scripts: good", flush=True)
            check_own_passkeys(world, browser)
            print("  own passkeys: good", flush=True)
            check_languages(browser, state)
            print("  languages: good", flush=True)
        browser.close()
finally:
    server.terminate()
    server.wait()
