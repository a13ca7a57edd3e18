"""What check-dashboard.py plays besides users: settings, what scripts add, the keyboard."""

import json
import re

from playwright.sync_api import expect


def check_settings(world, page):
    page.goto(f"{world.home}/settings")
    page.fill("[name=sessionIdleDays]", "30")
    page.click(".settings button[type=submit]")
    expect(page.locator(".notice")).to_contain_text("Saved")
    world.look(page, "settings")
    page.fill("[name=passwordMinimumCharacters]", "3")
    page.click(".settings button[type=submit]")
    expect(page.locator(".summary")).to_be_visible()
    page.goto(f"{world.home}/doors")
    page.click("summary:has-text('Google')")
    page.fill("[name='google.audiences']", "1.apps.example")
    page.locator("#door-google button[value=set]").click()
    expect(page.locator("#door-google .badge")).to_have_text("on")
    page.click("summary:has-text('NCMB')")
    page.locator("#door-ncmb button[value=enable]").click()
    expect(page.locator("#door-ncmb .facts")).to_contain_text("applicationKey")
    world.look(page, "log-in")
    page.goto(f"{world.home}/mail?kind=password-reset&language=ja")
    expect(page.frame_locator(".preview").locator("body")).to_contain_text("Hoshi")
    page.fill("[name=subject]", "新しいパスワード")
    page.fill("[name=text]", "こちら: {{link}} {{code}}")
    page.click("button[formtarget=preview]")
    expect(page.frame_locator(".preview").locator("body")).to_contain_text("こちら")
    page.fill("[name=text]", "no code")
    page.click("button[value=save]")
    expect(page.locator(".summary")).to_be_visible()
    page.fill("[name=text]", "こちら: {{link}} {{code}}")
    page.click("button[value=save]")
    expect(page.locator(".notice")).to_be_visible()
    page.fill("[name=to]", "me@example.com")
    page.click("text=Send a test mail")
    expect(page.locator(".notice")).to_contain_text("on its way")
    world.look(page, "mails")
    page.goto(f"{world.home}/look")
    world.look(page, "look")
    page.fill("[name=brand]", "Hoshi Club")
    page.select_option("[name=buttonShape]", "capsule")
    page.fill("[name='light.primary']", "#ffe9a8")
    expect(page.frame_locator(".preview").locator(".warning")).to_be_visible()
    page.click("button[value=save]")
    expect(page.locator(".notice-warn")).to_contain_text("contrast")
    world.look(page, "look, hard to read")
    page.goto(f"{world.base}/a/{world.application}/log-in")
    expect(page.locator("body")).to_contain_text("Hoshi Club")
    for name in ["audit", "sessions", "conflicts"]:
        page.goto(f"{world.home}/{name}")
        world.look(page, name)
    for name in ["health", "admins", "applications"]:
        page.goto(f"{world.base}/dashboard/{name}")
        world.look(page, name)


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
    expect(page.locator("tbody tr")).to_have_count(min(count + 1, 100), timeout=8000)
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
