"""Second factors on the hosted pages: authenticator apps and recovery codes. Used by check-pages.py."""

import base64
import hashlib
import hmac
import struct
import time

from check_pages_passkeys import make_application, register
from playwright.sync_api import expect


def time_code(key, later=0):
    """What an authenticator app shows (RFC 6238), now or some seconds later."""
    step = struct.pack(">Q", (int(time.time()) + later) // 30)
    digest = hmac.new(base64.b32decode(key + "=" * (-len(key) % 8)), step, hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7FFFFFFF) % 1000000:06}"


def send(page):
    page.click(".form button[type=submit]")


def log_in(page, pages, name, secret):
    page.goto(f"{pages}/log-in")
    page.fill("[name=identifier]", name)
    send(page)
    page.fill("[name=password]", secret)
    send(page)


def log_out(page, pages):
    page.goto(f"{pages}/account")
    page.click("[action$='/log-out'] button")
    page.wait_for_url(f"{pages}/log-in")


def shown_key(page):
    page.click("details.more summary")
    return page.locator("details .code-block").inner_text().replace(" ", "")


def shown_codes(page):
    codes = page.locator("pre.code-block").inner_text().split()
    assert len(set(codes)) == 10, codes
    return codes


def check_factors(world, browser):
    pages = f"{world.base}/a/{make_application(world, 'Kagi', {'secondFactors': {'mode': 'optional'}})}"
    page = browser.new_context(locale="en").new_page()
    noise = []
    page.on("console", lambda message: noise.append(message.text) if "Content Security" in message.text else None)
    register(page, pages, "hana", world.password)
    world.look(page, "second factors, none")
    key, codes = check_adding(world, page, pages)

    # The code of the app, which the field asks for as phones know it.
    log_out(page, pages)
    log_in(page, pages, "hana", world.password)
    field = page.locator("[name=totp]")
    expect(field).to_be_focused()
    assert field.get_attribute("inputmode") == "numeric" and field.get_attribute("autocomplete") == "one-time-code"
    world.look(page, "second factor, asked")
    page.fill("[name=totp]", "000000")
    send(page)
    expect(page.locator("#field-totp-error")).to_contain_text("wrong")
    world.look(page, "second factor, refused")
    page.reload()
    expect(page.locator("[name=totp]")).to_be_visible()
    page.fill("[name=totp]", time_code(key, later=30))
    send(page)
    page.wait_for_url(f"{pages}/account")

    # A recovery code in its place.
    log_out(page, pages)
    log_in(page, pages, "hana", world.password)
    page.click("text=Use a recovery code")
    world.look(page, "second factor, recovery code")
    page.fill("[name=recoveryCode]", codes[0].upper())
    send(page)
    page.wait_for_url(f"{pages}/account")
    section = page.locator("[aria-labelledby=s-factors]")
    expect(section).to_contain_text("Recovery codes left: 9")
    page.click("text=New recovery codes")
    assert not set(shown_codes(page)) & set(codes)
    page.check("[name=kept]")
    send(page)
    page.wait_for_url(f"{pages}/account?done=codesReplaced")
    page.click("[action$='factors/remove'] button")
    page.wait_for_url(f"{pages}/account?done=factorRemoved")
    expect(section).not_to_contain_text("Hana's phone")
    log_out(page, pages)
    log_in(page, pages, "hana", world.password)
    page.wait_for_url(f"{pages}/account")
    assert not noise, noise
    check_required(world, browser)


def check_adding(world, page, pages):
    """Adds an app on the account page: the key in it, and the recovery codes."""
    page.click("[action$='factors/offer'] button")
    expect(page.locator(".qr svg")).to_be_visible()
    assert page.locator("a[href^='otpauth://totp/']").count() == 1
    key = shown_key(page)
    world.look(page, "second factor, key")
    page.fill("[name=totp]", "000000")
    send(page)
    expect(page.locator("#field-totp-error")).to_contain_text("wrong")
    # Before the key is unfolded, which takes the focus.
    world.look(page, "second factor, key, wrong code")
    assert shown_key(page) == key, "the key is another one after a wrong code"
    page.fill("[name=totp]", time_code(key))
    page.fill("[name=name]", "Hana's phone")
    send(page)
    codes = shown_codes(page)
    expect(page.locator("button:has-text('Print')")).to_be_visible()
    world.look(page, "recovery codes")
    # The browser asks before it sends the form again; who says yes has the same codes.
    page.reload()
    assert shown_codes(page) == codes
    send(page)
    expect(page.locator("#field-kept-error")).to_be_visible()
    assert shown_codes(page) == codes
    page.check("[name=kept]")
    send(page)
    page.wait_for_url(f"{pages}/account?done=factorAdded")
    expect(page.locator("[aria-labelledby=s-factors]")).to_contain_text("Hana's phone")
    world.look(page, "second factors, one")
    return key, codes


def check_required(world, browser):
    """Everybody adds one on the way in: in three languages, on small phones, without scripts."""
    pages = f"{world.base}/a/{make_application(world, 'Mamori', {'secondFactors': {'mode': 'required'}})}"
    first = browser.new_context(locale="en").new_page()
    register(first, pages, "hana", world.password)
    key = None
    for language, title in [("ja", "2段階認証"), ("ko", "2단계 인증"), ("en", "One more step")]:
        for scheme in ["light", "dark"]:
            page = browser.new_context(
                locale=language, color_scheme=scheme, viewport={"width": 320, "height": 640},
                java_script_enabled=scheme == "light").new_page()
            log_in(page, pages, "hana", world.password)
            if key is None:
                world.look(page, "enrolment in a log-in")
                key = shown_key(page)
                page.fill("[name=totp]", time_code(key))
                send(page)
                shown_codes(page)
                world.look(page, "recovery codes in a log-in")
                page.check("[name=kept]")
                send(page)
                page.wait_for_url(f"{pages}/account")
                log_out(page, pages)
                log_in(page, pages, "hana", world.password)
            expect(page.locator("h1")).to_have_text(title)
            expect(page.locator("[name=totp]")).to_be_visible()
            if scheme == "light":
                world.look(page, f"second factor, {language}, 320")
