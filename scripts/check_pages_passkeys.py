"""Passkeys on the hosted pages, by Chromium's virtual authenticator (CDP, domain WebAuthn). Used by check-pages.py."""

import json
import socket
import socketserver
import threading
import time
import types
import urllib.parse
import urllib.request
from urllib.parse import parse_qs

from check_pages_app import guest_address
from page_checks import PATIENCE
from playwright.sync_api import expect

NO_SUGGESTIONS = "PublicKeyCredential.isConditionalMediationAvailable = async () => false"


class Authenticator:
    """A virtual authenticator of one page, which answers by itself."""

    def __init__(self, page):
        self.page, self.client = page, page.context.new_cdp_session(page)
        self.client.send("WebAuthn.enable", {"enableUI": False})
        self.id = self.client.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True, "defaultBackupEligibility": True,
            "defaultBackupState": True,
        }})["authenticatorId"]

    def send(self, method, **values):
        return self.client.send(f"WebAuthn.{method}", {"authenticatorId": self.id, **values})

    @property
    def credentials(self):
        return self.send("getCredentials")["credentials"]

    def forgets_all(self):
        """Whether it forgets what it has, which the page tells it when it likes."""
        end = time.monotonic() + PATIENCE / 1000
        while self.credentials and time.monotonic() < end:
            self.page.wait_for_timeout(50)
        return not self.credentials


def open_page(browser, language="en", suggestions=False, **more):
    """A page of a new profile with an empty authenticator."""
    page = browser.new_context(locale=language, **more).new_page()
    if not suggestions:
        page.add_init_script(NO_SUGGESTIONS)
    return page, Authenticator(page)


def make_application(world, name, settings):
    """A new application with settings of its own, by the admin API: its id."""
    made = json.loads(world.okaeri("application", "create", name, "--data", str(world.data), "--json"))
    address = f"{world.base}/v1/admin/applications/{made['id']}"
    headers = {"Authorization": f"Bearer {made['adminKey']}"}
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
        tag = answer.headers["ETag"]
    urllib.request.urlopen(urllib.request.Request(
        address, method="PATCH", data=json.dumps(settings).encode(),
        headers=headers | {"If-Match": tag, "Content-Type": "application/merge-patch+json"}))
    return made["id"]


def turn_on(world, name):
    """A new application with passkeys: its id, and where its pages are."""
    local = world.base.replace("127.0.0.1", "localhost")
    application = json.loads(world.okaeri("application", "create", name, "--data", str(world.data), "--json"))["id"]
    # The server's own host is given by commands and admins of all applications alone.
    world.okaeri(
        "application", "passkeys", application, "--enabled", "--domain", "localhost", "--origin", local,
        "--apple-app", "ABCDE12345.com.example.app", "--data", str(world.data))
    return application, f"{local}/a/{application}"


def register(page, pages, name, secret):
    page.goto(f"{pages}/sign-up")
    page.fill("[name=username]", name)
    page.fill("[name=password]", secret)
    page.click(".form button[type=submit]")
    page.wait_for_url(f"{pages}/account")


def add(page, pages, name):
    page.fill("[name=name] >> nth=-1", name)
    page.click("text=Add a passkey")
    page.wait_for_url(f"{pages}/account?done=passkeyAdded")


def check_passkeys(world, browser):
    application, pages = turn_on(world, "Tsuki")
    file = json.load(urllib.request.urlopen(urllib.request.Request(
        f"{world.base}/.well-known/apple-app-site-association", headers={"Host": "localhost"})))
    assert file == {"webcredentials": {"apps": ["ABCDE12345.com.example.app"]}}, file

    page, authenticator = open_page(browser)
    noise = []
    page.on("console", lambda message: noise.append(message.text) if "Content Security" in message.text else None)
    register(page, pages, "hana", world.password)
    world.look(page, "passkeys, none")
    add(page, pages, "Hana's phone")
    assert len(authenticator.credentials) == 1
    expect(page.locator("[aria-labelledby=s-passkeys]")).to_contain_text("Hana's phone")
    expect(page.locator("[aria-labelledby=s-passkeys]")).to_contain_text("backed up")
    world.look(page, "passkeys, one")
    # A second one on the same device: the authenticator has one already.
    page.click("text=Add a passkey")
    expect(page.locator("[data-passkey=create] [role=status]")).to_contain_text("already")
    page.click("text=Rename")
    page.fill("[name=name] >> nth=0", "My phone")
    page.click("[action$='passkey/name'] button")
    page.wait_for_url(f"{pages}/account?done=saved")
    expect(page.locator("[aria-labelledby=s-passkeys]")).to_contain_text("My phone")

    def log_out():
        page.goto(f"{pages}/account")
        page.click("text=Log out >> nth=0")
        page.wait_for_url(f"{pages}/log-in")

    # By the button, and the same assertion again.
    log_out()
    world.look(page, "log-in with passkeys")
    with page.expect_request("**/log-in/passkey") as sent:
        page.click("text=Log in with a passkey")
    page.wait_for_url(f"{pages}/account")
    form = {name: values[0] for name, values in parse_qs(sent.value.post_data).items()}
    log_out()
    form["form_token"] = page.input_value("[name=form_token] >> nth=0")
    again = page.context.request.post(f"{pages}/log-in/passkey", form=form, headers={"Origin": pages.split("/a/")[0]})
    assert again.status == 422 and "was not accepted" in again.text(), again.status

    # Not verified: the person's finger is another one, or they cancel.
    authenticator.send("setUserVerified", isUserVerified=False)
    page.goto(f"{pages}/log-in")
    page.click("text=Log in with a passkey")
    expect(page.locator("[data-passkey=get] [role=status]")).to_contain_text("No passkey was used")
    world.look(page, "passkey, cancelled")
    authenticator.send("setUserVerified", isUserVerified=True)
    page.click("text=Log in with a passkey")
    page.wait_for_url(f"{pages}/account")

    # Another device has no passkey, and at an address of numbers none is offered.
    other, _ = open_page(browser)
    other.goto(f"{pages}/log-in")
    other.click("text=Log in with a passkey")
    expect(other.locator("[data-passkey=get] [role=status]")).to_contain_text("No passkey was used")
    other.goto(f"{world.base}/a/{application}/log-in")
    expect(other.locator("[name=identifier]")).to_be_visible()
    assert other.locator("[data-passkey]").count() == 0, "passkeys are offered where browsers have none"

    check_other_origin(world, page, pages)

    # The passkey moves from authenticator to authenticator: its counter grows, and a copy is refused.
    moved = check_suggestions(browser, pages, authenticator)
    check_guest_with_passkey(world, browser, application, pages, moved)

    # Removed on the server: the authenticator forgets it when it is shown.
    kept = authenticator.credentials[0]
    page.goto(f"{pages}/account")
    page.click("[action$='passkey/remove'] button")
    page.wait_for_url(f"{pages}/account?done=passkeyRemoved")
    signals = ["signalUnknownCredential", "signalAllAcceptedCredentials", "signalCurrentUserDetails"]
    missing = page.evaluate("names => names.filter(name => !(name in PublicKeyCredential))", signals)
    assert not missing, f"needs Chromium 132 or newer, which has {missing}"
    assert authenticator.forgets_all(), "the authenticator keeps a passkey that is not listed any more"
    log_out()
    authenticator.send("addCredential", credential=kept)
    page.click("text=Log in with a passkey")
    expect(page.locator(".summary")).to_contain_text("belongs to no account")
    world.look(page, "passkey, unknown")
    assert page.locator("#passkey-signals").get_attribute("data-unknown")
    assert authenticator.forgets_all(), "the authenticator keeps what leads to nobody"

    check_looks(world, browser, pages)
    plain = browser.new_context(java_script_enabled=False, locale="en").new_page()
    plain.goto(f"{pages}/log-in")
    assert not plain.locator("[data-passkey]").is_visible(), "a button that does nothing"
    assert not noise, noise


class Forwarder(socketserver.ThreadingTCPServer):
    """The same server at another port, which is another origin of the same domain."""
    daemon_threads = True

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        super().__init__(("127.0.0.1", 0), Connection)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        with socket.create_connection(self.server.target) as onward:
            threading.Thread(target=self.copy, args=(onward, self.request), daemon=True).start()
            self.copy(self.request, onward)

    @staticmethod
    def copy(source, sink):
        try:
            while part := source.recv(65536):
                sink.sendall(part)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def check_other_origin(world, page, pages):
    """The browser lets an origin of the domain use the passkey; the server does not, and the page says so."""
    own = urllib.parse.urlsplit(pages)
    with Forwarder(own.port) as other:
        page.goto(f"http://localhost:{other.server_address[1]}{own.path}/log-in")
        page.click("text=Log in with a passkey")
        expect(page.locator(".summary")).to_contain_text("was not accepted")
        world.look(page, "passkey, wrong origin")
        other.shutdown()
    page.goto(f"{pages}/log-in")
    page.click("text=Log in with a passkey")
    page.wait_for_url(f"{pages}/account")


def check_suggestions(browser, pages, authenticator):
    """A passkey among the suggestions logs in without the button."""
    page, own = open_page(browser, suggestions=True)
    own.send("addCredential", credential=authenticator.credentials[0])
    page.goto(f"{pages}/log-in")
    page.wait_for_url(f"{pages}/account")
    return own


def check_guest_with_passkey(world, browser, application, pages, authenticator):
    """A guest keeps the account by one click; one who has an account already chooses."""
    local = types.SimpleNamespace(**vars(world) | {"application": application, "base": pages.split("/a/")[0]})
    page, own = open_page(browser)
    page.goto(guest_address(local).replace("127.0.0.1", "localhost"))
    page.click(".form button[type=submit]")
    page.wait_for_url(f"{pages}/account")
    world.look(page, "guest, passkeys")
    page.click("text=Keep my account with a passkey")
    page.wait_for_url(f"{pages}/account?done=passkeyAdded")
    assert len(own.credentials) == 1
    world.look(page, "guest, kept by a passkey")
    page, own = open_page(browser)
    own.send("addCredential", credential=authenticator.credentials[0])
    page.goto(guest_address(local).replace("127.0.0.1", "localhost"))
    page.click(".form button[type=submit]")
    page.wait_for_url(f"{pages}/account")
    page.click("text=I have a passkey of another account")
    expect(page.locator("h1")).to_have_text("There is such an account already")
    world.look(page, "guest, passkey of another account")


def check_looks(world, browser, pages):
    for language, label in [("ja", "パスキーでログイン"), ("ko", "패스키로 로그인"), ("en", "Log in with a passkey")]:
        for scheme in ["light", "dark"]:
            page, _ = open_page(browser, language, color_scheme=scheme, viewport={"width": 320, "height": 640})
            page.goto(f"{pages}/log-in")
            expect(page.locator("[data-passkey] button")).to_have_text(label)
            world.look(page, f"log-in with passkeys, {language}, {scheme}, 320")
        register(page, pages, f"someone-{language}", world.password)
        page.click("[data-passkey=create] button")
        page.wait_for_url(f"{pages}/account?done=passkeyAdded")
        world.look(page, f"passkeys, {language}, {scheme}, 320")
