"""What reaches Okaeri by other ways than requests: import files, identity providers, mail servers, and, for the SDK, a server."""

import json
import pathlib
import random
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

from connection import ask_alone
from keys import ProviderKey
from surfaces import ncmb_signature
from values import DATES, NUMBERS, Values, quoted
from world import Figures, World

_EXPORTS = {
    "parse": b"""{"objectId":"Abc123Def4","username":"taro","email":"taro@example.com","emailVerified":true,"bcryptPassword":"$2y$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC","createdAt":"2014-01-02T03:04:05.678Z","updatedAt":"2015-01-02T03:04:05.678Z","ACL":{"*":{"read":true}},"score":3}
{"_id":"Bbc123Def4","username":"Hana","_created_at":{"$date":1420167845678},"_updated_at":{"$date":{"$numberLong":"1420167845678"}},"_rperm":["*","Bbc123Def4"],"_wperm":["Bbc123Def4"],"_acl":{},"_session_token":"legacytoken1","_p_team":"Team$abc","level":{"$numberLong":"7"}}
""",
    "ncmb": b"""{"results":[{"objectId":"Abc123Def456Ghi7","userName":"taro","mailAddress":"taro@example.com","mailAddressConfirm":true,"password":null,"authData":null,"createDate":"2016-01-02T03:04:05.678Z","updateDate":"2020-01-02T03:04:05.678Z","acl":{"*":{"read":true}},"score":3,"last":{"__type":"Date","iso":"2020-01-02T03:04:05.678Z"}}]}
""",
    "kii": b"""{"userID":"aba700836ba0-1d38-6e11-2c7a-085cbd02","loginName":"taro","displayName":"Taro","emailAddress":"taro@example.com","phoneNumber":"+819012345678","country":"JP","_created":1416194423000,"_modified":1416194423000,"emailAddressVerified":true,"_disabled":false,"internalUserID":"1","_accessTokens":["abcdefgh0123456789"],"score":7}
""",
}
_NUMBER = re.compile(rb"-?\d+(\.\d+)?(e\d+)?")
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"')


def mutated(content, values):
    """The content with a few numbers, texts or bytes replaced."""
    for _ in range(1 + int(values.random() * 3)):
        draw = values.random()
        kind = _NUMBER if draw < 0.3 else _TEXT
        spans = list(kind.finditer(content))
        if draw < 0.85 and spans:
            span = values.one(spans)
            new = values.one(NUMBERS) if draw < 0.3 else values.json() if draw < 0.6 else values.quoted() if draw < 0.75 else quoted(
                values.one(DATES))
            content = content[:span.start()] + new + content[span.end():]
        elif content:
            at = int(values.random() * len(content))
            content = content[:at] + bytes([int(values.random() * 256)]) + content[at + int(values.random() * 3):]
    return content


def imports(run, seconds):
    """Imports exports of other services with something wrong in them: the command may refuse, and must not be killed."""
    values, count = Values(random.Random(f"imports {run.given.seed}").random), 0
    world = World(run.given.program)
    world.start()  # It makes the database.
    world.stop()
    application = json.loads(world.okaeri("application", "create", "Imports", "--json").stdout)["id"]
    for name in _EXPORTS:
        world.okaeri("application", "enable", application, name)
    deadline = time.monotonic() + seconds
    file = world.folder / "export.json"
    while time.monotonic() < deadline or count == 0:
        name = values.one(sorted(_EXPORTS))
        # Many records in one file: a broken one is refused by its line, and the next is read.
        content = b"".join([_renamed(mutated(_EXPORTS[name], values), count * 100 + number) for number in range(40)])
        file.write_bytes(content)
        further = ["--sessions"] if name == "parse" and values.random() < 0.2 else []
        try:
            done = world.okaeri("import", name, str(file), "--application", application, *further, check=False, timeout=300)
            if done.returncode not in (0, 1, 2):
                run.findings.add("import ended", f"okaeri import {name}: status {done.returncode}", [_smallest(world, name, application, content)])
        except subprocess.TimeoutExpired:
            run.findings.add("import hangs", f"okaeri import {name}", [content])
        count += 1
    world.start()
    # Whatever was imported must be readable.
    answer, _ = ask_alone(world.port, "GET", b"GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n")
    if answer is None or answer.status != 200:
        run.findings.add("import ended", "the server does not start on what was imported")
    world.stop()
    _count(run, "imports", count)


def _renamed(record, number):
    """The record about somebody else: of two people of one name the second is refused."""
    for word in (b"Abc123", b"Bbc123", b"taro", b"Hana", b"aba700", b"abcdefgh", b"12345678"):
        record = record.replace(word, b"%08d" % number if word.isdigit() else b"%s%06d" % (word[:2], number))
    return record


def _smallest(world, name, application, content):
    """One line of a file that shows the fault as well as the whole."""
    for line in content.split(b"\n"):
        (world.folder / "line.json").write_bytes(line)
        done = world.okaeri("import", name, str(world.folder / "line.json"), "--application", application, check=False)
        if done.returncode not in (0, 1, 2):
            return line
    return content


def _count(run, surface, count):
    run.sums["statuses"][surface, 200] = run.sums["statuses"].get((surface, 200), 0) + count
    run.sums["requests"] += count


class Hostile(threading.Thread):
    """A server on this machine that answers as `reply` says: a function of the bytes that came, which gives bytes or None."""

    def __init__(self, reply, greeting=None):
        super().__init__(daemon=True)
        self.reply, self.greeting, self.asked = reply, greeting, 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        client.settimeout(10)
        try:
            with client:
                if self.greeting:
                    client.sendall(self.greeting())
                while True:
                    asked = self.read(client)
                    if not asked:
                        return
                    self.asked += 1
                    answer = self.reply(asked)
                    if answer is None:
                        return
                    client.sendall(answer)
                    if not self.greeting:
                        return
        except OSError:
            pass  # The one who asked gave up.

    def read(self, client):
        """One request, or one line for those who were greeted."""
        asked = b""
        while True:
            part = client.recv(65_536)
            asked += part
            if not part or self.greeting and asked.endswith(b"\n"):
                return asked
            head, found, body = asked.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            if found and len(body) >= (int(length.group(1)) if length else 0):
                return asked


def http(values, body, status=b"200 OK"):
    """An answer around a body, now and then a broken one."""
    draw = values.random()
    if draw < 0.05:
        return values.one([b"", b"HTTP/1.1", b"\x00\xff" * 100, b"HTTP/1.1 99999 X\r\n\r\n", b"HTTP/1.1 200\r\nContent-Length: -5\r\n\r\n{}",
                           b"HTTP/1.1 200 OK\r\nA: " + b"a" * 300_000 + b"\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"])
    headers = b"Content-Type: %s\r\n" % values.one([b"application/json", b"application/problem+json", b"text/html", b"\xff"])
    if draw < 0.15:
        headers += values.one([b"Retry-After: 9223372036854775807\r\n", b"Retry-After: -1\r\n", b"Date: x\r\n", b"Location: http://127.0.0.1:1/\r\n",
                               b"Date: Sat, 99 Nov 99999 00:00:00 GMT\r\n", b"Content-Encoding: gzip\r\n", b"Set-Cookie: a=b\r\n"])
    if draw > 0.97:
        return b"HTTP/1.1 %s\r\n%sTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n%s" % (status, headers, body)
    cut = body[:int(values.random() * len(body))] if draw > 0.94 else body
    return b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, headers, len(body), cut)


def hostile_body(values, honest):
    """The honest body changed, or another one."""
    draw = values.random()
    if draw < 0.75:
        return mutated(honest, values)
    if draw < 0.85:
        return values.json()
    return values.one([b"", b"[" * 100_000, b'{"a":' * 5_000, b'"' + b"a" * 2_000_000 + b'"', b"[" * 250 + b"]" * 250, b"{}", b"null",
                       b'{"keys":[' + b'{"kid":"k","kty":"RSA","n":"AQAB","e":"AQAB"},' * 5_000 + b"{}]}", b'{"' + "e\u0301\u0301".encode() * 60_000 + b'":1}'])


def providers(run, seconds):
    """An Apple that answers anything, to a server that asks for keys and exchanges codes."""
    values, count = Values(random.Random(f"providers {run.given.seed}").random), 0
    key = ProviderKey("provider")
    jwks = b'{"keys":[%s]}' % key.jwk

    def reply(asked):
        honest = jwks if b"keys" in asked.split(b"\r\n")[0] else b'{"access_token":"a","token_type":"Bearer","expires_in":3600,' \
            b'"refresh_token":"r","id_token":"' + token() + b'","error":"invalid_grant"}'
        if honest is jwks and values.random() < 0.7:
            # Without keys nothing of a token is read; they are kept for an hour.
            return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(jwks), jwks)
        return http(values, honest if values.random() < 0.3 else hostile_body(values, honest), values.one(
            [b"200 OK", b"200 OK", b"200 OK", b"400 Bad Request", b"500 X", b"302 Found", b"204 No Content"]))

    def token():
        now = int(time.time())
        claims = b'{"iss":"https://appleid.apple.com","aud":"com.example.app","sub":"person","iat":%d,"exp":%d,"nonce_supported":true,"nonce":"1b16b1df538ba12dc3f97edbb85caa7050d46c148134290feba80f8236c83db9","email":"a@b.example"}' % (
            now, now + 600)
        return key.token(b'{"alg":"RS256","kid":"k"}', claims if values.random() < 0.2 else mutated(claims, values))

    hostile = Hostile(reply)
    world = World(run.given.program)
    world.environment["OKAERI_APPLE_URL"] = hostile.url
    world.start()
    world.set_up()
    application = world.facts["application"]
    private = world.folder / "AuthKey.p8"
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(private)],
                   capture_output=True, check=False)
    status = world.okaeri("application", "apple", "set", application, "--team", "ABCDE12345", "--key-id", "ABCDE12345", "--key-file",
                          str(private), "--bundle", "com.example.app", check=False)
    if status.returncode != 0:
        print(f"providers: Apple cannot be set up: {status.stderr.decode(errors='replace')[:200]}")
    figures, deadline = Figures(world.process), time.monotonic() + seconds
    while time.monotonic() < deadline or count == 0:
        body = b'{"idToken":%s,"authorizationCode":"c%d","nonce":"n"}' % (quoted(token()), count) if values.random() < 0.7 else \
            b'{"authorizationCode":"c%d"}' % count
        content = b"POST /v1/log-in/apple HTTP/1.1\r\nHost: x\r\nOkaeri-Application: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
            application.encode(), len(body), body)
        answer, took = ask_alone(world.port, "POST", content, 120)
        count += 1
        if not figures.lives():
            run.findings.add("server ended", "by a provider's answer", [content], world.log.read_bytes()[-300:])
            break
        if answer is not None and answer.status >= 500 and answer.status != 503:
            run.findings.add("answer", f"a hostile provider: {answer.status}", [content], answer.body)
        if took > 90:
            run.findings.add("slow", f"a hostile provider holds a request for {took:.0f} s", [content])
    world.stop()
    _count(run, "providers", count)


def mail(run, seconds):
    """A mail server that says anything, to a server that has mails to send."""
    values = Values(random.Random(f"mail {run.given.seed}").random)
    lines = [b"220 hello\r\n", b"250 ok\r\n", b"354 go on\r\n", b"221 bye\r\n", b"250-A\r\n250 B\r\n", b"550 no\r\n", b"421 later\r\n", b"999 x\r\n", b"250",
             b"\r\n", b"250 " + b"a" * 200_000 + b"\r\n", b"250-" + b"x\r\n250-" * 20_000, b"\xff\xfe\r\n", b"-1 x\r\n", b"99999999999999999999 x\r\n", b"2\x0050 ok\r\n"]

    def say(_=None):
        return values.one(lines[:5]) if values.random() < 0.7 else values.one(lines)

    hostile = Hostile(say, greeting=say)
    world = World(run.given.program)
    world.environment |= {"OKAERI_SMTP_URL": f"smtp://127.0.0.1:{hostile.port}", "OKAERI_SMTP_TLS": "off", "OKAERI_MAIL_FROM": "a@example.com"}
    world.start(development=False)
    application = json.loads(world.okaeri("application", "create", "Mail", "--json").stdout)["id"]
    figures, count, deadline = Figures(world.process), 0, time.monotonic() + seconds
    while time.monotonic() < deadline or count == 0:
        world.ask("POST", "/v1/sign-up", {"username": f"m{count}", "email": f"m{count}@example.com", "password": "eleven quiet rivers"},
                  {"Okaeri-Application": application})
        count += 1
        time.sleep(0.05)
        if not figures.lives():
            run.findings.add("server ended", "by a mail server's words", [], world.log.read_bytes()[-300:])
            break
    world.stop()
    _count(run, "mail", count)


def sdk(run, seconds):
    """The SDK's demo apps against a server whose answers are changed on their way: they end with an error, never by a signal."""
    values, count = Values(random.Random(f"sdk {run.given.seed}").random), 0
    world = World(run.given.program)
    world.start()
    application = json.loads(world.okaeri("application", "create", "SDK", "--json").stdout)["id"]
    last = [b""]

    def reply(asked):
        head, _, body = asked.partition(b"\r\n\r\n")
        method, path = head.split(b" ")[:2]
        headers = dict(line.decode("latin-1").split(": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        headers = {name: value for name, value in headers.items() if name.lower() not in ("connection", "content-length", "accept-encoding")}
        request = urllib.request.Request(world.url + path.decode("latin-1"), body or None, headers, method=method.decode())
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                status, content = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, content = error.code, error.read()
        except OSError:
            return None
        if values.random() < 0.4:
            return b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, len(content), content)
        last[0] = http(values, hostile_body(values, content or b"{}"), values.one([b"%d X" % status] * 3 + [b"400 X", b"401 X", b"409 X", b"200 X"]))
        return last[0]

    hostile, deadline = Hostile(reply), time.monotonic() + seconds
    while time.monotonic() < deadline or count == 0:
        command = values.one([["demo"], ["demo", "account"], ["demo"]])
        arguments = command + ["--server", hostile.url, "--application", application]
        if command == ["demo"]:
            arguments += ["--state", str(world.folder / "device"), "--json"]
        try:
            done = world.okaeri(*arguments, check=False, timeout=300)
            if done.returncode not in (0, 1, 2):
                run.findings.add("SDK ended", f"{' '.join(command)}: status {done.returncode}", [last[0]], done.stderr[-300:])
        except subprocess.TimeoutExpired:
            run.findings.add("SDK hangs", " ".join(command), [last[0]])
        count += 1
    world.stop()
    _count(run, "sdk", count)


def with_new_keys(file, world):
    """A finding's bytes with the keys and tokens of this server in place of those of the one that it was found at."""
    content, recorded = pathlib.Path(file).read_bytes(), pathlib.Path(f"{file}.facts")
    if recorded.exists():
        for name, old in json.loads(recorded.read_text()).items():
            if name == "forms":
                continue  # Addresses. What differs in them stands among the rest.
            before, now = _texts(old), _texts(json.loads(json.dumps(world.facts.get(name))))
            for index, text in enumerate(before):
                if now:
                    content = content.replace(text.encode(), now[index % len(now)].encode())
    signed = re.match(rb"(\S+) (\S+) [\s\S]*?Host: (\S+)[\s\S]*?X-NCMB-Timestamp: (\S+)\r\nX-NCMB-Signature: (\S{44})\r\n", content)
    if signed:
        method, target, host, stamp, signature = signed.groups()
        content = content.replace(signature, ncmb_signature(world.facts["ncmb"], method, host, target, stamp), 1)
    return content


def _texts(value):
    """All texts in it that are long enough to be keys, in a fixed order."""
    if isinstance(value, str):
        return [value] if len(value) >= 8 else []
    if isinstance(value, dict):
        value = [value[name] for name in sorted(value)]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []
