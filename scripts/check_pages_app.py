"""An app that sends people to the hosted pages, and a guest who comes from one. Used by check-pages.py."""

import base64
import hashlib
import json
import secrets
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from playwright.sync_api import expect


def app():
    """An app on this machine that waits for a person to come back: its address, and what came."""
    came = []

    class CallbackHandler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path.startswith("/back"):
                came.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"back in the app")

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), CallbackHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/back", came


def check_web_log_in(world, browser):
    """With Authlib, an OpenID Connect library that knows nothing of us."""
    redirect, came = app()
    described = json.load(urllib.request.urlopen(f"{world.pages}/.well-known/openid-configuration"))
    assert described["issuer"] == world.pages
    verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
    client = OAuth2Session(
        world.application, scope="openid profile email", redirect_uri=redirect, code_challenge_method="S256",
        token_endpoint_auth_method="none")
    address, state = client.create_authorization_url(
        described["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
    page = browser.new_context(locale="en").new_page()
    page.goto(address)
    page.fill("[name=identifier]", "keiko")
    page.click(".form button[type=submit]")
    page.fill("[name=password]", world.password)
    page.click(".form button[type=submit]")
    page.wait_for_url(f"{redirect}?**")
    back = parse_qs(urlsplit(came[0]).query)
    assert back["iss"] == [world.pages] and back["state"] == [state]
    token = client.fetch_token(
        described["token_endpoint"], authorization_response=f"{redirect}?{urlsplit(came[0]).query}", code_verifier=verifier)
    keys = KeySet.import_key_set(json.load(urllib.request.urlopen(described["jwks_uri"])))
    claims = jwt.decode(token["id_token"], keys, algorithms=["ES256"]).claims
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": world.pages}, aud={"essential": True, "value": world.application},
        nonce={"essential": True, "value": nonce}).validate(claims)
    assert claims["preferred_username"] == "keiko"
    assert client.get(described["userinfo_endpoint"]).json()["sub"] == claims["sub"]
    # A second time: one button.
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    page.goto(
        f"{described['authorization_endpoint']}?response_type=code&client_id={world.application}&redirect_uri={redirect}"
        f"&code_challenge={challenge}&code_challenge_method=S256")
    world.look(page, "go on as")
    page.click("text=Continue >> nth=-1")
    page.wait_for_url(f"{redirect}?**")


def ask(world, method, address, headers):
    request = urllib.request.Request(
        address, method=method, headers={"Okaeri-Application": world.application} | headers)
    return json.load(urllib.request.urlopen(request))


def guest_address(world):
    """The address at which an app opens a new guest's own account."""
    key = ECKey.generate_key("P-256")
    target = f"{world.base}/v1/log-in/automatic"
    proof = jwt.encode(
        {"typ": "dpop+jwt", "alg": "ES256", "jwk": key.as_dict(private=False)},
        {"htm": "POST", "htu": target, "iat": int(time.time()), "jti": secrets.token_urlsafe(16)}, key,
        algorithms=["ES256"])
    session = ask(world, "POST", target, {"DPoP": proof})["session"]
    return ask(world, "POST", f"{world.base}/v1/user/page", {"Authorization": f"Bearer {session['token']}"})["url"]


def check_guest(world, browser):
    """A guest of an app keeps the account on the pages, after a conflict."""
    address = guest_address(world)
    page = browser.new_context(locale="en").new_page()
    page.goto(address)
    world.look(page, "opened by the app")
    page.click(".form button[type=submit]")
    page.wait_for_url(f"{world.pages}/account")
    world.look(page, "guest")
    for secret, name in [("not the password", "keiko"), (world.password, "keiko")]:
        page.fill("[name=username]", name)
        page.fill("[name=password]", secret)
        page.click("text=Keep my account")
    expect(page.locator("h1")).to_have_text("There is such an account already")
    world.look(page, "conflict")
    page.click("text=Stay with this one")
    page.fill("[name=username]", "guest-no-more")
    page.fill("[name=password]", world.password)
    page.click("text=Keep my account")
    expect(page.locator(".notice")).to_contain_text("safe now")
    world.look(page, "upgraded")
