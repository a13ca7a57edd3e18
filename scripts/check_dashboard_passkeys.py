"""Passkeys of admins, by Chromium's virtual authenticator. Used by check-dashboard.py."""

import re

from check_dashboard_parts import age
from check_pages_passkeys import open_page
from page_checks import surely
from playwright.sync_api import expect


def set_up(world, page, local, name):
    """A new owner by a one-time link, at an address that passkeys can belong to."""
    link = re.search(r"/dashboard/set-up\?token=\S+", world.okaeri("admin", "link", "--data", str(world.data))).group(0)
    page.goto(local + link)
    page.locator("summary").first.click()
    key = page.locator(".key").inner_text().replace(" ", "")
    page.fill("[name=name]", name)
    page.fill("[name=password]", world.password)
    page.fill("[name=code]", world.time_code(key))
    page.click(".form button[type=submit]")
    expect(page.locator(".codes")).to_be_visible()


def check_own_passkeys(world, browser):
    local = world.base.replace("127.0.0.1", "localhost")
    page, authenticator = open_page(browser)
    noise = []
    page.on("console", lambda message: noise.append(message.text) if "Content Security" in message.text else None)
    set_up(world, page, local, "yuki")
    page.goto(f"{local}/dashboard/passkeys")
    world.look(page, "own passkeys, none")
    page.fill("[name=name]", "Desk")
    page.click("[data-passkey=create] button")
    page.wait_for_url(f"{local}/dashboard/passkeys?done=added")
    assert len(authenticator.credentials) == 1
    expect(page.locator("main")).to_contain_text("Desk")
    world.look(page, "own passkeys, one")
    page.click("[data-passkey=create] button")
    expect(page.locator("[data-passkey=create] [role=status]")).to_contain_text("already")

    # The password is given up; then the passkey alone leads in.
    surely(page, "text=Give the password up")
    page.wait_for_url(f"{local}/dashboard/passkeys?done=passwordRemoved")
    world.look(page, "own passkeys, no password")
    page.click("text=Log out")
    page.wait_for_url(f"{local}/dashboard/log-in")
    world.look(page, "log-in of admins with passkeys")
    authenticator.send("setUserVerified", isUserVerified=False)
    page.click("text=Log in with a passkey")
    expect(page.locator("[data-passkey=get] [role=status]")).to_contain_text("No passkey was used")
    authenticator.send("setUserVerified", isUserVerified=True)
    page.click("text=Log in with a passkey")
    page.wait_for_url(re.compile("/dashboard/(app|applications)"))
    # The question whether it is still the admin is asked by a page, whose script shows the passkey.
    age(world)
    page.goto(f"{local}/dashboard/app/{world.application}/users?search=player14")
    page.locator("tbody a").first.click()
    page.fill("[name=email]", "new14@example.com")
    page.click("form[data-swap] button[type=submit]")
    page.click("text=Confirm with a passkey")
    expect(page.locator(".notice")).to_contain_text("Saved")
    assert page.input_value("[name=email]") == "new14@example.com"
    page.goto(f"{local}/dashboard/passkeys")
    surely(page, "text=Remove >> nth=0")
    expect(page.locator(".summary")).to_contain_text("One passkey must stay")

    # Another browser has a passkey of nobody's, and none is offered where scripts do not run.
    stranger, _ = open_page(browser)
    stranger.goto(f"{local}/dashboard/log-in")
    stranger.click("text=Log in with a passkey")
    expect(stranger.locator("[data-passkey=get] [role=status]")).to_contain_text("No passkey was used")
    plain = browser.new_context(locale="en", java_script_enabled=False).new_page()
    plain.goto(f"{local}/dashboard/log-in")
    expect(plain.locator("[data-passkey=get]")).to_be_hidden()
    assert not noise, noise
