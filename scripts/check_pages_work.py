"""Sign-up where first launches have budgets: what the script works out before the form is sent. Used by check-pages.py."""

import time

from check_pages_passkeys import make_application, register
from playwright.sync_api import expect


def fill(page, pages, name, secret):
    page.goto(f"{pages}/sign-up")
    page.fill("[name=username]", name)
    page.fill("[name=password]", secret)


def check_work(world, browser):
    rules = {"mode": "limited", "proofOfWorkBits": 16, "unattested": {"perAddress": 1, "perApplication": 1000}}
    pages = f"{world.base}/a/{make_application(world, 'Hataraku', {'attestation': rules})}"
    page = browser.new_context(locale="en").new_page()
    noise = []
    page.on("console", lambda message: noise.append(message.text) if "Content Security" in message.text else None)
    answers = []

    def forward(route):
        answer = route.fetch()
        answers.append(answer.json())
        route.fulfill(response=answer)

    page.route("**/sign-up/work", forward)
    register(page, pages, "hana", world.password)
    assert answers == [{}], answers

    # Beyond the budget the button still does it, after some work.
    register(browser.new_context(locale="en").new_page(), pages, "taro", world.password)
    other = browser.new_context(locale="en").new_page()
    fill(other, pages, "tomo", world.password)
    begin = time.time()
    with other.expect_request(lambda request: request.url.endswith("/sign-up") and request.method == "POST") as sent:
        other.click(".form button[type=submit]")
    other.wait_for_url(f"{pages}/account")
    print(f"    18 bits, in {time.time() - begin:.1f} s", flush=True)
    assert "work_bits=18" in sent.value.post_data and "work_solution=&" not in sent.value.post_data, sent.value.post_data

    # While it works, the page says so, and lives on.
    busy = browser.new_context(locale="ja").new_page()
    busy.route("**/sign-up/work", lambda route: route.fulfill(json={"challenge": "long", "bits": 24}))
    fill(busy, pages, "goro", world.password)
    busy.click(".form button[type=submit]")
    expect(busy.locator(".form [role=status]")).to_contain_text("計算")
    assert busy.locator(".form button[type=submit]").get_attribute("aria-busy") == "true"
    world.look(busy, "sign-up, working")
    busy.close()

    # Who lets no script run hears what is missing, and keeps what was typed.
    plain = browser.new_context(locale="en", java_script_enabled=False).new_page()
    fill(plain, pages, "jiro", world.password)
    plain.click(".form button[type=submit]")
    expect(plain.locator(".summary")).to_contain_text("Allow them, or try again")
    expect(plain.locator("[name=username]")).to_have_value("jiro")
    world.look(plain, "sign-up, work without a script")

    # A server that does not answer about work gets the form as it is.
    broken = browser.new_context(locale="en").new_page()
    broken.route("**/sign-up/work", lambda route: route.abort())
    fill(broken, pages, "saburo", world.password)
    broken.click(".form button[type=submit]")
    expect(broken.locator(".summary")).to_contain_text("Allow them, or try again")
    assert not noise, noise
