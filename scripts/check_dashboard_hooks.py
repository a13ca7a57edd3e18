"""What check-dashboard.py plays of hooks and of the services that users have left."""

from page_checks import surely
from playwright.sync_api import expect


def check_hooks(world, page):
    """A hook by its whole life: set, its secret shown once, changed, asked, switched off, removed."""
    page.goto(f"{world.home}/hooks")
    expect(page.locator("tbody tr")).to_have_count(5)
    world.look(page, "hooks, none")
    page.click("tbody tr:first-child a")
    form = page.locator("form[action$='/hooks/sign-up']")
    form.locator("[name=url]").fill("http://hooks.example.invalid/a")
    form.locator("[name=whenDown]").select_option("refuse")
    form.locator("button[type=submit]").click()
    expect(page.locator("#field-url-error")).to_be_visible()
    expect(form.locator("[name=whenDown]")).to_have_value("refuse")
    world.look(page, "hook, wrong address")
    form.locator("[name=url]").fill("https://hooks.example.invalid/a")
    form.locator("button[type=submit]").click()
    expect(page.locator(".once .code-block")).to_contain_text("whsec_")
    world.look(page, "hook, set")
    # Nobody has a name under “invalid”.
    page.click("form[action$='/sign-up/test'] button")
    expect(page.locator(".summary")).to_contain_text("no valid response")
    world.look(page, "hook, asked")
    form.locator("[name=timeoutMilliseconds]").fill("50")
    form.locator("[name=isPaused]").check()
    form.locator("button[type=submit]").click()
    expect(page.locator(".notice")).to_contain_text("Saved")
    expect(page.locator("tbody tr:first-child .badge")).to_have_text("off")
    expect(form.locator("[name=isPaused]")).to_be_checked()
    page.click("form[action$='/sign-up/rotate'] button")
    expect(page.locator(".once .code-block")).to_contain_text("whsec_")
    for language in ["ja", "ko"]:
        page.goto(f"{world.home}/hooks?hook=sign-up&lang={language}")
        world.look(page, f"hooks, {language}")
    page.goto(f"{world.home}/hooks?hook=sign-up&lang=en")
    surely(page, "form[action$='/sign-up/remove'] button")
    expect(page.locator(".notice")).to_contain_text("removed")
    expect(page.locator("tbody tr:first-child")).to_contain_text("nobody is asked")


def check_old_services(world, page):
    """A service that is trusted: chosen, refused for a wrong value, set, and ended."""
    page.goto(f"{world.home}/old-services")
    expect(page.locator("tbody tr")).to_have_count(4)
    world.look(page, "old services, none")
    page.click("tbody a:has-text('Supabase')")
    form = page.locator("form[action$='/old-services/supabase']")
    form.locator("[name=issuer]").fill("http://abc.supabase.co/auth/v1")
    form.locator("[name=secret]").fill("0123456789abcdef0123456789abcdef")
    form.locator("button[type=submit]").click()
    expect(page.locator("#field-issuer-error")).to_be_visible()
    expect(form.locator("[name=issuer]")).to_have_value("http://abc.supabase.co/auth/v1")
    expect(form.locator("[name=secret]")).to_have_value("")
    world.look(page, "old service, wrong address")
    form.locator("[name=issuer]").fill("https://abc.supabase.co/auth/v1")
    form.locator("[name=secret]").fill("0123456789abcdef0123456789abcdef")
    form.locator("button[type=submit]").click()
    expect(page.locator(".notice")).to_contain_text("Saved")
    expect(page.locator("tbody tr:nth-child(2)")).to_contain_text("sealed")
    world.look(page, "old service, set")
    for language in ["ja", "ko"]:
        page.goto(f"{world.home}/old-services?service=cognito&lang={language}")
        world.look(page, f"old services, {language}")
    page.goto(f"{world.home}/old-services?service=supabase&lang=en")
    surely(page, "form[action$='/supabase/remove'] button")
    expect(page.locator(".notice")).to_contain_text("nobody")
    expect(page.locator("tbody tr:nth-child(2)")).to_contain_text("not trusted")
