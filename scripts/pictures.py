"""Takes the documents' pictures. Started by scripts/pictures.

usage: pictures.py PROGRAM FOLDER IMAGES      FOLDER is for the server's data; the pictures go to IMAGES
"""

import base64
import hashlib
import hmac
import html
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import time
import unicodedata
import urllib.request

from playwright.sync_api import sync_playwright

program, folder, images = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
data = folder / "data"
password = "eleven quiet rivers run"
languages = {"en": "en-GB", "ja": "ja-JP", "ko": "ko-KR"}
people = ["Hana", "Sora", "Yui", "Minjun", "Alice", "Ren", "Jiwoo", "Noah"]
theme = {
    "brand": "Hoshi", "cornerRadius": 14,
    "light": {"background": "#F2F5FF", "primary": "#3447A8", "link": "#3447A8", "focus": "#3447A8"},
}


def okaeri(*arguments, **environment):
    answer = subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=True, env={**os.environ, **environment})
    return answer.stdout


def time_code(key):
    """What an authenticator app shows (RFC 6238)."""
    digest = hmac.new(
        base64.b32decode(key + "=" * (-len(key) % 8)), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1000000:06}"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def sign_up(base, application, number, name):
    body = {
        "username": f"{name.lower()}{number}", "password": "four quiet words", "displayName": name, "locale": "ja",
        "email": f"{name.lower()}{number}@example.com", "fields": {"level": number},
    }
    request = urllib.request.Request(
        f"{base}/v1/sign-up", json.dumps(body).encode(),
        {"Content-Type": "application/json", "Okaeri-Application": application})
    urllib.request.urlopen(request).close()


def columns(text):
    """How many columns of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def draw_terminal(name, lines):
    """The lines as a terminal shows them, by day and by night; in the monospaced font of the reader's system."""
    line_height, advance, margin = 22, 8.6, 20
    width = round(max(columns(line) for line in lines) * advance + 2 * margin)
    height = 34 + len(lines) * line_height + margin
    rows = []
    for number, line in enumerate(lines):
        if not line:
            continue
        kind = "prompt" if line.startswith("$ ") else "text"
        rows.append(
            f'<text class="{kind}" x="{margin}" y="{58 + number * line_height}" xml:space="preserve">'
            f"{html.escape(line)}</text>")
    dots = "".join(
        f'<circle cx="{margin + number * 18}" cy="20" r="5.5" fill="{colour}"/>'
        for number, colour in enumerate(["#e5675d", "#e0b245", "#6aa84f"]))
    style = (
        "rect{fill:#fbfaf7;stroke:#d5d0c4}text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#24221d}"
        ".prompt{fill:#3b6f2b;font-weight:bold}"
        "@media (prefers-color-scheme:dark){rect{fill:#1c1d21;stroke:#3a3b40}text{fill:#e8e6df}.prompt{fill:#9ad47f}}")
    (images / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{html.escape("; ".join(line for line in lines if line))}">'
        f'<style>{style}</style><rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="10"/>{dots}'
        f'{"".join(rows)}</svg>\n', encoding="utf-8")


def draw_demo(base, application):
    for language in languages:
        state = folder / f"phone-{language}"
        launch = ["demo", "--server", base, "--application", application, "--state", str(state), "--locale", language]
        lines = []
        for _ in range(2):
            lines += ["$ okaeri demo", *okaeri(*launch).rstrip().splitlines(), ""]
            time.sleep(2)
        draw_terminal(f"demo-{language}", lines[:-1])


def draw_set_up(browser, link):
    """The page of the one-time link, down to where the authenticator app's key begins, which is another each time."""
    for language, locale in languages.items():
        context = browser.new_context(locale=locale, viewport={"width": 720, "height": 520})
        page = context.new_page()
        page.goto(link)
        page.wait_for_load_state()
        page.screenshot(path=images / f"set-up-{language}.png")
        context.close()


def first_owner(page, link):
    page.goto(link)
    page.locator("summary").first.click()
    key = page.locator(".key").inner_text().replace(" ", "")
    page.fill("[name=name]", "mika")
    page.fill("[name=password]", password)
    page.fill("[name=code]", time_code(key))
    page.click(".form button[type=submit]")
    page.wait_for_selector(".codes")


def main():
    application, demo = (
        json.loads(okaeri("application", "create", name, "--data", str(data), "--json"))["id"] for name in ("Hoshi", "Demo"))
    theme_file = folder / "theme.json"
    theme_file.write_text(json.dumps(theme))
    okaeri("application", "theme", "set", application, str(theme_file), "--data", str(data))
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [program, "serve", "--data", str(data), "--listen", f"127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(150):
            try:
                urllib.request.urlopen(f"{base}/health/ready").close()
                break
            except OSError:
                time.sleep(0.1)
        for number, name in enumerate(people):
            sign_up(base, application, number + 1, name)
        draw_demo(base, demo)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            link = re.search(r"/dashboard/set-up\?token=\S+", okaeri("admin", "link", "--data", str(data))).group(0)
            draw_set_up(browser, base + link)
            owner = None
            for language, locale in languages.items():
                context = browser.new_context(
                    locale=locale, viewport={"width": 1360, "height": 720}, storage_state=owner)
                page = context.new_page()
                if owner is None:
                    first_owner(page, base + link)
                    owner = context.storage_state()
                page.goto(f"{base}/dashboard/app/{application}/users")
                page.wait_for_load_state()
                page.screenshot(path=images / f"dashboard-users-{language}.png")
                # The demo's user has what an app's user has: a device key, a session, launches.
                page.set_viewport_size({"width": 1360, "height": 1100})
                page.goto(f"{base}/dashboard/app/{demo}/users")
                page.locator("main table tbody a").first.click()
                page.wait_for_load_state()
                page.screenshot(path=images / f"dashboard-user-{language}.png")
                context.close()
                context = browser.new_context(locale=locale, viewport={"width": 720, "height": 560})
                page = context.new_page()
                page.goto(base)
                page.wait_for_load_state()
                page.screenshot(path=images / f"first-page-{language}.png")
                context.close()
                context = browser.new_context(locale=locale, viewport={"width": 390, "height": 620})
                page = context.new_page()
                page.goto(f"{base}/a/{application}/log-in")
                page.wait_for_load_state()
                page.screenshot(path=images / f"log-in-{language}.png")
                context.close()
            browser.close()
    finally:
        server.terminate()
        server.wait()


main()
