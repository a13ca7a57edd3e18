"""What check-dashboard.py plays besides users: settings, what scripts add, the keyboard."""

import json
import re
import sqlite3
import struct
import subprocess
import zlib

from page_checks import surely
from playwright.sync_api import expect


def check_settings(world, page):
    page.goto(f"{world.home}/settings")
    page.fill("[name=sessionIdleDays]", "30")
    page.click(".settings button[type=submit]")
    expect(page.locator(".notice")).to_contain_text("Saved")
    world.look(page, "settings")
    page.select_option("[name='secondFactors.mode']", "optional")
    page.fill("[name='secondFactors.demandedFor']", "nothing")
    page.click(".settings button[type=submit]")
    expect(page.locator("[id='field-secondFactors-demandedFor-error']")).to_be_visible()
    page.fill("[name='secondFactors.demandedFor']", "password_changed")
    page.click(".settings button[type=submit]")
    expect(page.locator(".notice")).to_contain_text("Saved")
    expect(page.locator("[name='secondFactors.mode']")).to_have_value("optional")
    page.fill("[name=passwordMinimumCharacters]", "3")
    page.click(".settings button[type=submit]")
    expect(page.locator(".summary")).to_be_visible()
    page.goto(f"{world.home}/providers")
    page.click("summary:has-text('Google')")
    page.fill("[name='google.audiences']", "1.apps.example")
    page.locator("#provider-google button[type=submit]:not([formaction])").click()
    expect(page.locator("#provider-google .badge")).to_have_text("on")
    world.look(page, "log-in")
    page.goto(f"{world.home}/mail?kind=password-reset&language=ja")
    expect(page.frame_locator(".preview").locator("body")).to_contain_text("Hoshi")
    page.fill("[name=subject]", "新しいパスワード")
    page.fill("[name=text]", "こちら: {{link}} {{code}}")
    page.click("button[formtarget=preview]")
    expect(page.frame_locator(".preview").locator("body")).to_contain_text("こちら")
    page.fill("[name=text]", "no code")
    page.click(".words button:not([formaction])")
    expect(page.locator(".summary")).to_be_visible()
    page.fill("[name=text]", "こちら: {{link}} {{code}}")
    page.click(".words button:not([formaction])")
    expect(page.locator(".notice")).to_be_visible()
    page.fill("[name=to]", "me@example.com")
    page.click("text=Send a test mail")
    expect(page.locator(".notice")).to_contain_text("on its way")
    world.look(page, "mails")
    page.goto(f"{world.home}/theme")
    world.look(page, "theme")
    page.fill("[name=brand]", "Hoshi Club")
    page.set_input_files("[name=logo]", {"name": "logo.png", "mimeType": "image/png", "buffer": picture(64, 24)})
    expect(page.frame_locator(".preview").locator("img")).to_be_visible()
    page.click("summary:has-text('Own texts')")
    page.fill("[name='texts.en']", "logIn.title = Hello again")
    expect(page.frame_locator(".preview").locator("h1")).to_have_text("Hello again")
    page.select_option("[name=buttonShape]", "capsule")
    page.fill("[name='light.primary']", "#ffe9a8")
    expect(page.frame_locator(".preview").locator(".warning")).to_be_visible()
    page.click("form[data-preview] button:not([formaction])")
    expect(page.locator(".notice-warn")).to_contain_text("contrast")
    world.look(page, "theme, hard to read")
    page.goto(f"{world.base}/a/{world.application}/log-in")
    expect(page.locator("h1")).to_have_text("Hello again")
    assert page.locator(".brand img").evaluate("image => image.naturalWidth") == 64
    page.goto(f"{world.home}/theme")
    page.set_input_files("[name=logo]", {"name": "logo.png", "mimeType": "image/png", "buffer": b"<svg></svg>"})
    page.click("form[data-preview] button:not([formaction])")
    expect(page.locator("#field-logo-error")).to_be_visible()
    world.look(page, "theme, no picture")
    for name in ["audit", "sessions", "conflicts"]:
        page.goto(f"{world.home}/{name}")
        world.look(page, name)
    for name in ["health", "applications"]:
        page.goto(f"{world.base}/dashboard/{name}")
        world.look(page, name)


def picture(width, height):
    """A PNG of one colour (W3C PNG 5)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\x00" + b"\x34\x57\xd5" * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def check_protocols(world, page):
    page.goto(f"{world.home}/protocols")
    world.look(page, "protocols, off")
    page.click("summary:has-text('NCMB')")
    page.locator("#protocol-ncmb form[action$='/enable'] button").click()
    expect(page.locator("#protocol-ncmb .facts")).to_contain_text("applicationKey")
    page.fill("[name='ncmb.sessionsPerUser']", "101")
    page.locator("#protocol-ncmb form[action$='/rules'] button").click()
    expect(page.locator("#field-ncmb-sessionsPerUser-error")).to_contain_text("100")
    world.look(page, "protocols, wrong rule")
    page.fill("[name='ncmb.sessionsPerUser']", "5")
    page.uncheck("[name='ncmb.allowsAnonymous']")
    page.locator("#protocol-ncmb form[action$='/rules'] button").click()
    expect(page.locator(".notice").first).to_contain_text("Saved")
    expect(page.locator("[name='ncmb.sessionsPerUser']")).to_have_value("5")
    expect(page.locator("[name='ncmb.allowsAnonymous']")).not_to_be_checked()
    world.look(page, "protocols")


def check_fields(world, page):
    page.goto(f"{world.home}/fields")
    world.look(page, "fields, none")
    page.fill("[name=field]", "coins")
    page.select_option("[name=type]", "integer")
    page.select_option("[name=write]", "server")
    page.fill("[name=default]", "{0")
    page.locator("form:has([name=field]) button[type=submit]").click()
    expect(page.locator("#field-default-error")).to_be_visible()
    page.fill("[name=default]", "0")
    page.locator("form:has([name=field]) button[type=submit]").click()
    expect(page.locator("tbody")).to_contain_text("coins")
    world.look(page, "fields")


def check_access(world, page):
    page.goto(f"{world.base}/dashboard/admins")
    world.look(page, "admins")
    page.fill("[name=name]", "hana@example.com")
    page.select_option("[name=role]", "support")
    page.check(f"[name='application.{world.application}']")
    page.check("[name=applications][value=some]")
    page.click("text=Make a link")
    expect(page.locator(".once .code-block")).to_contain_text("/dashboard/set-up?token=okl_")
    world.look(page, "admin, invited")
    page.click("tbody a:has-text('hana@example.com')")
    world.look(page, "admin")
    page.select_option("[name=role]", "auditor")
    page.click("form[action$='/save'] button")
    expect(page.locator(".notice")).to_contain_text("Saved")
    surely(page, "form[action$='/disable'] button")
    expect(page.locator(".badge-warn")).to_contain_text("disabled")
    page.fill("[name=confirm]", "nobody")
    page.click("form[action$='/remove'] button")
    expect(page.locator("#field-confirm-error")).to_be_visible()
    page.fill("[name=confirm]", "hana@example.com")
    page.click("form[action$='/remove'] button")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.goto(f"{world.base}/dashboard/keys")
    world.look(page, "keys, none")
    page.fill("[name=name]", "CI")
    page.fill("[name=days]", "500")
    page.check("[name='scope.users:read']")
    page.click("text=Make a key")
    expect(page.locator("#field-days-error")).to_be_visible()
    page.fill("[name=days]", "30")
    page.click("text=Make a key")
    expect(page.locator(".once .code-block")).to_contain_text("oka_")
    world.look(page, "key, made")
    surely(page, "form[action$='/remove'] button")
    expect(page.locator(".notice")).to_contain_text("refused")
    expect(page.locator(".empty")).to_be_visible()


def age(world):
    """As if ten minutes had gone by since password and code were given, and another code were shown by the app."""
    with sqlite3.connect(world.data / "okaeri.sqlite", timeout=120) as database:
        database.execute("UPDATE admin_sessions SET authenticated_at = 0")
        database.execute("UPDATE admins SET last_totp_step = 0")


def prove(world, page):
    page.fill("[name='proof.password']", world.password)
    page.fill("[name='proof.code']", world.time_code(world.key))
    page.click(".form button[type=submit]")


def check_proof(world, page):
    age(world)
    page.goto(f"{world.home}/settings")
    page.fill("[name=name]", "Hoshi & Tsuki")
    page.fill("[name=audiences]", "https://one.example\nhttps://two.example")
    page.click(".settings button[type=submit]")
    expect(page.locator("h1")).to_have_text("Is it still you?")
    world.look(page, "proof")
    page.fill("[name='proof.password']", "wrong")
    page.fill("[name='proof.code']", "000000")
    page.click(".form button[type=submit]")
    expect(page.locator(".summary")).to_contain_text("wrong")
    world.look(page, "proof, wrong")
    prove(world, page)
    expect(page.locator(".notice")).to_contain_text("Saved")
    assert page.input_value("[name=name]") == "Hoshi & Tsuki"
    assert page.input_value("[name=audiences]") == "https://one.example\nhttps://two.example"
    # A user is saved by the script without a new page; the question is one.
    age(world)
    page.goto(f"{world.home}/users?search=player13")
    page.locator("tbody a").first.click()
    page.fill("[name=email]", "new13@example.com")
    page.fill("[name=fields]", '{"level": "<\\"&>"}')
    page.click("form[data-swap] button[type=submit]")
    expect(page).to_have_title(re.compile("^Is it still you\\?"))
    prove(world, page)
    expect(page.locator(".notice")).to_contain_text("Saved")
    expect(page.locator("pre.json")).to_contain_text('<\\"&>')
    # A file comes by itself.
    age(world)
    page.goto(f"{world.home}/users")
    page.click("text=Export as CSV")
    expect(page.locator("h1")).to_have_text("Is it still you?")
    with page.expect_download() as download:
        prove(world, page)
    assert download.value.suggested_filename.endswith(".csv")
    world.look(page, "file")
    for scheme in ["light", "dark"]:
        age(world)
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": 320, "height": 640})
        page.goto(f"{world.base}/dashboard/keys?lang=ja")
        page.fill("[name=name]", "CI")
        page.check("[name='scope.users:read']")
        page.click(".form button[type=submit]")
        world.look(page, f"proof, ja, {scheme}, 320")
    prove(world, page)
    expect(page.locator(".once .code-block")).to_contain_text("oka_")
    page.goto(f"{world.base}/dashboard/keys?lang=en")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 860})


def check_views(world, page):
    page.goto(f"{world.home}/users?kind=registered&fields=level")
    page.click("summary:has-text('Keep this view')")
    page.fill("[name=view]", "Players with levels")
    page.click("form[action*='/views/save'] button")
    expect(page.locator(".views a")).to_have_attribute("aria-current", "true")
    world.look(page, "users, with a view")
    page.goto(f"{world.home}/users")
    page.click(".views a")
    page.wait_for_url(re.compile("kind=registered"))
    expect(page.locator("thead")).to_contain_text("level")
    page.click("summary:has-text('Keep this view')")
    page.click("form[action*='/views/remove'] button")
    expect(page.locator(".views")).to_have_count(0)


def check_comfort(world, page):
    page.goto(f"{world.home}/audit")
    page.keyboard.press("Control+k")
    page.keyboard.type("sett")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/settings$"))
    page.keyboard.press("Control+k")
    page.keyboard.type("player9")
    world.look(page, "palette")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("search=player9"))
    page.goto(f"{world.home}/audit")
    count = page.locator("tbody tr").count()
    page.click("text=Watch live")
    world.okaeri("user", "disable", first_user(world), "--application", world.application, "--data", str(world.data))
    expect(page.locator("tbody tr")).to_have_count(min(count + 1, 100))
    page.click("text=Pause")


def first_user(world):
    listed = json.loads(world.okaeri("user", "list", "--application", world.application, "--data", str(world.data), "--json"))
    return listed["users"][0]["id"]


def check_keyboard(world, page):
    page.goto(f"{world.home}/users")
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        focus = page.evaluate(
            "(() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " return [e.outerHTML.slice(0, 80), s.outlineStyle, s.boxShadow, e.textContent.trim()] })()")
        # The parts of a date have rings of their own.
        assert focus[1] != "none" or focus[2] != "none" or 'type="date"' in focus[0], f"focus cannot be seen: {focus[0]}"
        seen.append(focus[3])
    assert seen[0] == "Skip to the content"
    page.goto(f"{world.home}/users")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "search", "the way over the navigation"


# The words of a list that stand on more than one line although their cell could hold them.
BROKEN_WORDS = """() => {
  const broken = [];
  for (const cell of document.querySelectorAll("tbody td")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) for (const word of texts.currentNode.data.matchAll(/[^\\s]+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      const lines = [...range.getClientRects()];
      const width = lines.reduce((sum, line) => sum + line.width, 0);
      if (new Set(lines.map((line) => Math.round(line.top))).size > 1 && width < 300) broken.push(word[0]);
    }
  }
  return broken;
}"""


def check_menu(world, page):
    """Two named groups, in reach of the keyboard and of a narrow screen; Korean words stay whole."""
    state = page.context.storage_state()
    for language, groups in [("en", ["This app", "The whole server"]), ("ja", ["このアプリ", "サーバー全体"]), ("ko", ["이 앱", "서버 전체"])]:
        for width in [1280, 1120, 390]:
            view = page.context.browser.new_context(
                locale=language, viewport={"width": width, "height": 780}, storage_state=state).new_page()
            view.goto(f"{world.home}/users?lang={language}")
            for number, name in enumerate(groups):
                group = view.get_by_role("group", name=name, exact=True)
                expect(group).to_be_visible()
                expect(group.locator("a")).to_have_count([12, 5][number])
            links = view.locator(".dash-nav a")
            for number in range(links.count()):
                links.nth(number).focus()
                expect(links.nth(number)).to_be_in_viewport()
            world.look(view, f"menu, {language}, {width}")
            if language == "ko" and width == 1120:
                broken = view.evaluate(BROKEN_WORDS)
                assert not broken, f"broken inside: {broken}"
            view.close()


def check_appearance(world, page):
    """Where the system chooses the colours, what is chosen can still be seen; paper has the content alone."""
    view = page.context.browser.new_context(
        locale="en", viewport={"width": 1280, "height": 780}, storage_state=page.context.storage_state(), forced_colors="active").new_page()
    for name in ["users", "theme"]:
        view.goto(f"{world.home}/{name}")
        for here in view.locator(".dash-nav [aria-current], .tabs [aria-current]").all():
            assert "underline" in here.evaluate("link => getComputedStyle(link).textDecorationLine"), f"{name}: {here.inner_text()}"
    view.emulate_media(media="print")
    expect(view.locator(".dash-nav")).to_be_hidden()
    expect(view.locator("h1")).to_be_visible()
    view.close()


def check_first_owner(world, page):
    """A new server for development: its first owner leaves the code empty, and reads where to add an authenticator app."""
    server = subprocess.Popen(
        [world.program, "serve", "--dev", "--data", str(world.data.parent / "first"), "--listen", "127.0.0.1:0", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        lines = []
        while not lines or lines[-1].rstrip() != "}":
            lines.append(server.stdout.readline())
            assert lines[-1], "the server ended"
        link = json.loads("".join(lines))["setUpLink"]
        for language, width in [("ja", 390), ("ko", 1120), ("en", 1280)]:
            view = page.context.browser.new_context(locale=language, viewport={"width": width, "height": 780}).new_page()
            view.goto(link)
            world.look(view, f"set-up without an app, {language}")
        view.fill("[name=name]", "mika")
        view.fill("[name=password]", world.password)
        view.click(".form button[type=submit]")
        expect(view.locator(".app-missing")).to_be_visible()
        world.look(view, "owner without an app")
        view.click(".app-missing a")
        expect(view.locator("form[action$='/link'] button")).to_be_visible()
        world.look(view, "owner without an app, own page")
        view.click(".dash-me button")
        view.fill("[name=name]", "mika")
        view.fill("[name=password]", world.password)
        view.click(".form button[type=submit]")
        expect(view.locator(".app-missing")).to_be_visible()
    finally:
        server.terminate()
        server.wait()
