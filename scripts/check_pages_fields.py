"""An application with fields and providers of its own, on the hosted pages. Used by check-pages.py."""

import json
import types

from check_pages_app import guest_address
from playwright.sync_api import expect

FIELDS = [
    ("birthday", "date", "--required", "--label", "en=Birthday", "--label", "ja=誕生日", "--label", "ko=생일"),
    ("height", "number", "--label", "en=Height in cm", "--label", "ja=身長（cm）", "--label", "ko=키 (cm)"),
    ("news", "boolean", "--label", "en=Send me news", "--label", "ja=お知らせを受け取る", "--label", "ko=소식 받기"),
    ("team", "string", "--required", "--label", "en=Team", "--label", "ja=チーム", "--label", "ko=팀"),
    ("hobbies", "array", "--required", "--label", "en=Hobbies", "--label", "ja=趣味", "--label", "ko=취미"),
    ("home", "object", "--required", "--label", "en=Home (city, street)", "--label", "ja=住所（city、street）", "--label", "ko=주소 (city, street)"),
    ("rank", "string", "--write", "server", "--default", '"Newcomer"', "--label", "en=Rank", "--label", "ja=ランク", "--label", "ko=등급"),
]


def check_fields(world, browser):
    data = str(world.data)
    application = json.loads(world.okaeri("application", "create", "Kaze", "--data", data, "--json"))["id"]
    pages = f"{world.base}/a/{application}"
    for name, kind, *more in FIELDS:
        world.okaeri("application", "fields", "set", application, name, "--type", kind, *more, "--data", data)
    secret = world.data / "provider-secret.txt"
    secret.write_text("none")
    for provider in ["facebook", "google", "twitter"]:
        world.okaeri(
            "application", "provider", "set", application, provider, "--client", "client", "--secret-file", str(secret),
            "--redirect", f"{pages}/provider/{provider}/callback", "--data", data)

    for language, label in [("ja", "誕生日"), ("ko", "생일"), ("en", "Birthday")]:
        for scheme in ["light", "dark"]:
            page = browser.new_context(
                locale=language, color_scheme=scheme, viewport={"width": 320, "height": 640}).new_page()
            page.goto(f"{pages}/log-in")
            world.look(page, f"providers, {language}, {scheme}, 320")
            page.goto(f"{pages}/sign-up")
            assert page.locator(f"label:has-text('{label}')").count() == 1
            world.look(page, f"sign-up with fields, {language}, {scheme}, 320")
            page.fill("[name=username]", "x")
            page.fill("[name='fields.height']", "tall")
            page.fill("[name='fields.home']", '{"city": "Kyoto",\n  street}')
            page.click(".form button[type=submit]")
            for field in ["birthday", "height", "team", "hobbies", "home"]:
                assert page.locator(f"#field-fields-{field}-error").count() == 1, field
            assert page.input_value("[name='fields.height']") == "tall"
            assert page.input_value("[name='fields.home']") == '{"city": "Kyoto",\n  street}'
            world.look(page, f"errors of fields, {language}, {scheme}, 320")
    # The summary leads to each field.
    page.click(".summary a:has-text('no number')")
    assert page.evaluate("document.activeElement.name") == "fields.height"

    # With scripts and without.
    for name, scripts in [("sora", True), ("umi", False)]:
        page = browser.new_context(
            locale="en", java_script_enabled=scripts, viewport={"width": 900, "height": 800}).new_page()
        page.goto(f"{pages}/sign-up")
        page.fill("[name=username]", name)
        page.fill("[name=password]", world.password)
        page.fill("[name='fields.birthday']", "2001-02-28")
        page.fill("[name='fields.height']", "160.5")
        page.fill("[name='fields.team']", "<b>red</b>")
        page.fill("[name='fields.hobbies']", "chess\n\n  <i>swimming</i> \n")
        page.fill("[name='fields.home']", "street: Teramachi 1\ncity: Kyoto")
        page.check("[name='fields.news']")
        page.click(".form button[type=submit]")
        page.wait_for_url(f"{pages}/account")
        assert page.input_value("[name='fields.team']") == "<b>red</b>"
        assert page.input_value("[name='fields.birthday']") == "2001-02-28"
        assert page.input_value("[name='fields.hobbies']") == "chess\n<i>swimming</i>"
        assert page.input_value("[name='fields.home']") == "city: Kyoto\nstreet: Teramachi 1"
        expect(page.locator(".facts")).to_contain_text("Newcomer")
        page.fill("[name='fields.hobbies']", "go")
        page.uncheck("[name='fields.news']")
        page.fill("[name='fields.height']", "")
        page.click("text=Save")
        expect(page.locator("[role=status]").first).to_contain_text("Saved")
        assert page.input_value("[name='fields.hobbies']") == "go"
        assert not page.is_checked("[name='fields.news']") and page.input_value("[name='fields.height']") == ""
        if scripts:
            world.look(page, "account with fields")
            for scheme in ["light", "dark"]:
                page.emulate_media(color_scheme=scheme)
                page.set_viewport_size({"width": 320, "height": 640})
                world.look(page, f"account with fields, {scheme}, 320")

    page = browser.new_context(locale="en", viewport={"width": 900, "height": 800}).new_page()
    page.goto(guest_address(types.SimpleNamespace(base=world.base, application=application)))
    page.click(".form button[type=submit]")
    page.wait_for_url(f"{pages}/account")
    world.look(page, "guest with fields")
    page.fill("[name=username]", "kumo")
    page.fill("[name=password]", world.password)
    page.locator("form[action$='/upgrade'] button[type=submit]").click()
    assert page.locator("#field-upgrade-fields-team-error").count() == 1
    world.look(page, "guest with fields, errors")
    page.fill("#field-upgrade-fields-team", "blue")
    page.fill("#field-upgrade-fields-birthday", "1999-12-31")
    page.fill("#field-upgrade-fields-hobbies", "chess")
    page.fill("#field-upgrade-fields-home", "city: Kyoto")
    page.fill("[name=password]", world.password)
    page.locator("form[action$='/upgrade'] button[type=submit]").click()
    page.wait_for_url(f"{pages}/account?done=upgraded")
    assert page.input_value("[name='fields.team']") == "blue"

