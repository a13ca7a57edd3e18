"""Requests for every route of the server: who asks, with which path, query, headers and body."""

import base64
import hashlib
import hmac
import re
import time
import uuid

from keys import DeviceKey
from values import percent, quoted
from world import PASSWORD, versioned_forms

# Members and form fields that a surface gives a meaning to. The native and the admin API take theirs from openapi.yaml.
NAMES = {
    "parse": """username email password authData ACL objectId createdAt updatedAt emailVerified sessionToken score tags deep
        deep.a.b where order limit skip keys include count distinct requests method path body _method _ApplicationId
        _SessionToken _MasterKey _InstallationId _ClientVersion explain className installationId token new_password
        challengeData excludeKeys includeAll subqueryReadPreference restrictions user""",
    "ncmb": """userName password mailAddress authData acl objectId createDate updateDate mailAddressConfirm sessionToken
        temporaryPassword score tags where order limit skip count offset accountId""",
    "kii": """loginName emailAddress phoneNumber password displayName country locale username grant_type client_id client_secret
        refresh_token code expiresAt userQuery clause orderBy descending bestEffortLimit paginationKey newPassword oldPassword
        disabled verificationCode accessToken accessTokenSecret openID score internalUserID""",
    "envelope": "id password name email birthday gender phone newPassword token",
    "pages": """form_token identifier username email password currentPassword newPassword token code ticket act confirm displayName
        locale provider session merge choice state redirect_uri client_id response_type scope nonce code_challenge
        code_challenge_method code_verifier prompt max_age login_hint ui_locales grant_type refresh_token done error request
        request_uri response_mode id_token user language phone restore""",
    "dashboard": """form_token name password code version view confirm token role provider font buttonShape brand
        verificationURL username transferLink sure session senderName resetURL removed policy phone fields email days choice user
        required proofRequired passwordMinimumCharacters newPassword merge known key into html field displayName default
        cornerRadius audiences anonymousIdleDays search from to kind language page limit cursor sort chosen protocol subject text
        colour logo background state applications columns done""",
}
NAMES = {surface: [name.encode() for name in names.split()] for surface, names in NAMES.items()}
ACTS = [act.encode() for act in """add remove save disable enable delete restore confirm preview send check new view columns bulk
    log-out end export link unlink merge undo reset invite rotate theme edit discard rules""".split()]
# Each costs tens of milliseconds of hashing, or writes a mail: asked seldom, so that the rest is asked often.
# Or it ends the session of the one who asks, and then everything else would be refused.
EXPENSIVE = ("log-out", "/delete", "/account/sessions", "/admins", "/keys", "sign-up", "/password", "/login", "log-in", "signup",
             "signin", "/oauth2/token", "/reset", "reauthenticate", "verifyPassword", "loginAs", "upgrade", "set-up", "forgot", "/code",
             "Password", "requestMail", "verificationEmail", "adopt", "/batch", "/mail/test", "/export", "confirm")
HEADERS = {
    b"Content-Type": [b"application/json", b"text/plain", b"", b"application/x-www-form-urlencoded", b"application/json; charset=x",
                      b"multipart/form-data; boundary=x", b"multipart/form-data", b"*/*", b"application/vnd.kii.X+json"],
    b"Accept-Language": [b"ja", b"ko;q=0.5,en;q=1e999", b"*;q=-1", b"a" * 400, b",".join([b"aa"] * 200), b"\xff", b"en;q=nan"],
    b"Authorization": [b"Bearer", b"Bearer ", b"Bearer " + b"x" * 4000, b"Basic", b"Basic !!!", b"Basic Og==", b"DPoP x", b"bearer a b",
                       b"Basic " + base64.b64encode(b"a:" + b"b" * 2000), b"\xff\xfe", b"Digest x"],
    b"If-Match": [b"*", b'"1"', b'"9223372036854775807"', b'"-1"', b'W/"1"', b'"' + b"9" * 100 + b'"', b'"1", "2"', b'""', b"1"],
    b"If-None-Match": [b"*", b'"x"', b'W/"x"', b"x" * 500],
    b"Idempotency-Key": [b"a", b"x" * 255, b"x" * 256, b"\xe3\x81\x82", b" ", b"a b"],
    b"DPoP": [b"", b"a.b.c", b"..", b"e30.e30.AA", b"x" * 4097, b"e30." + b"A" * 3000 + b".AA"],
    b"Cookie": [b"a=b; a=c", b"=", b";" * 500, b"okaeri-admin=x", b"x=" + b"y" * 4000, b"__Host-okaeri-admin=\xff", b"a" * 8000],
    b"X-Forwarded-For": [b"1.2.3.4", b"::1", b"1.2.3.4, x, ::ffff:1.2.3.4", b"," * 500, b"999.1.1.1", b"fe80::1%eth0", b"[::1]:80"],
    b"X-Forwarded-Proto": [b"https", b"javascript", b","], b"X-Forwarded-Host": [b"evil.example", b"a" * 300, b"\xff"],
    b"Request-Id": [b"x" * 300, b"\xff", b"a b"], b"Origin": [b"null", b"https://evil.example", b"\xff"],
    b"Range": [b"bytes=0-", b"bytes=9223372036854775807-", b"bytes=-1"], b"Accept": [b"text/html", b"*/*;q=9", b"\xff"],
    b"Accept-Encoding": [b"gzip", b"identity;q=0"], b"Okaeri-Restore": [b"true", b"yes"], b"Sec-Fetch-Site": [b"cross-site", b"x"],
    b"X-Parse-Session-Token": [b"r:x", b"\xff", b"x" * 3000], b"X-Parse-Installation-Id": [b"x" * 3000, b"\xff"],
    b"X-Parse-Client-Version": [b"js4", b"\xff"], b"X-Parse-Cloud-Context": [b"{", b"{}", b"[" * 2000],
    b"X-NCMB-Timestamp": [b"2026-11-22T00:00:00.000Z", b"0000-01-01T00:00:00+23:59", b"x", b"%", b"\xff"],
    b"X-NCMB-Signature": [b"x", b"A" * 44], b"X-Kii-AppID": [b"x", b"\xff"], b"jwt": [b"x", b"oks_" + b"a" * 51],
    b"Content-Encoding": [b"gzip", b"br"], b"TE": [b"trailers"], b"User-Agent": [b"x" * 2000, b"\xff"],
    b"traceparent": [b"00-" + b"a" * 32 + b"-" + b"b" * 16 + b"-01", b"00-" + b"0" * 32 + b"-" + b"0" * 16 + b"-00", b"ff-x-y-z", b"-" * 600],
    b"tracestate": [b"a=b,c=d", b"=", b",".join([b"a=" + b"b" * 200] * 35), b"a@b=\xff"],
    b"Last-Event-ID": [b"0", b"9223372036854775807", b"9223372036854775808", b"-1", b"+1", b"9" * 100, b"1.5", b""],
    b"Okaeri-Application": [b"x", b"", b"../x", b"\xff", b"x" * 3000], b"X-Requested-With": [b"XMLHttpRequest", b"\xff"],
}
# Whose values are keys, names and versions: any text.
HEADERS |= {name.encode(): [b"x", b"", b"1.0", b"-1", b"\xff", b"x" * 3000] for name in """X-Kii-AppKey X-Kii-SDK X-NCMB-Application-Key
    X-NCMB-Apps-Session-Token X-NCMB-OS-Version X-NCMB-SDK-Version X-Parse-App-Display-Version X-Parse-Application-Id
    X-Parse-Client-Key X-Parse-Javascript-Key X-Parse-Master-Key X-Parse-OS-Version X-Parse-REST-API-Key X-Parse-Request-Id
    X-Parse-Windows-Key""".split()}
HEADER_NAMES = list(HEADERS)
# What may stand in any header: marks, beyond what a text of ours has and as many as a header holds; letters that grow when they
# are normalised, and flags, which are read from the end in time by their square.
HEADER_TEXTS = ["e" + "\u0301" * 31, "\u0301\u0316" * 1_900, "Bearer " + "\u0301\u0316" * 1_900, "\ufdfa" * 2_500, "\U0001f1ef" * 1_900]
HEADER_TEXTS = [text.encode() for text in HEADER_TEXTS]


def ncmb_signature(keys, method, host, target, stamp):
    """What NCMB's SDKs sign: method, host, path and sorted items, by the client key."""
    path, _, query = target.partition(b"?")
    items = [b"SignatureMethod=HmacSHA256", b"SignatureVersion=2", b"X-NCMB-Application-Key=" + keys["applicationKey"].encode(),
             b"X-NCMB-Timestamp=" + stamp]
    if method == b"GET" and query:
        items += [item for item in query.split(b"&") if item]
        items.sort(key=lambda item: item.split(b"=")[0])
    text = b"\n".join([method, host.split(b":")[0], path, b"&".join(items)])
    return base64.b64encode(hmac.new(keys["clientKey"].encode(), text, hashlib.sha256).digest())


class Requests:
    """Makes the bytes of requests for the routes of one server."""

    def __init__(self, routes, grammar, facts, url, values, look=lambda request: ""):
        """`look` sends a request for a page and returns what came: without it forms have no version of something."""
        self.grammar, self.facts, self.values, self.url, self.look = grammar, facts, values, url, look
        self.host = url.split("//")[1].encode()
        self.routes = routes
        self.keys = [DeviceKey(f"device {number}") for number in range(4)]
        self.sent = 0

    @staticmethod
    def is_expensive(route):
        if route["method"] == "DELETE" or route["path"].endswith("/logout"):
            return True
        if route["method"] == "POST" and route["path"].endswith(("/users", "/_User")):
            return True
        return route["method"] != "GET" and any(word in route["path"] for word in EXPENSIVE)

    def request(self, route):
        """One well-framed request: method, bytes."""
        values, self.sent = self.values, self.sent + 1
        random, surface, method = values.random, route["surface"], route["method"]
        operation = self.grammar.operations.get((method, route["path"]))
        path, query, headers = self.path(route), [], []
        if operation:
            for parameter in operation["parameters"]:
                if parameter["in"] == "query" and random() < 0.5:
                    query.append(parameter["name"].encode() + b"=" + self.parameter(parameter))
                elif parameter["in"] == "header" and parameter["name"] == "If-Match" and random() < 0.9:
                    headers.append((b"If-Match", b'"%d"' % int(random() * 4) if random() < 0.6 else values.one(HEADERS[b"If-Match"])))
        elif surface in NAMES and (method == "GET" or random() < 0.1):
            for _ in range(int(random() * 4)):
                query.append(self.item(surface))
        if random() < 0.02:
            query.append(values.escaped())
        body, kind = b"", None
        if method in ("POST", "PUT", "PATCH") or random() < 0.02:
            body, kind = self.body(surface, operation, path)
        target = path + (b"?" + b"&".join(query) if query else b"")
        headers += self.caller(surface, method, target)
        if kind:
            headers.append((b"Content-Type", kind))
        if random() < 0.12:
            name = values.one(HEADER_NAMES)
            sent = values.one(HEADERS[name]) if random() < 0.85 else values.one(HEADER_TEXTS)
            headers = [one for one in headers if one[0] != name] + [(name, sent)]
            if random() < 0.05:
                headers.append((name, values.one(HEADERS[name])))
        if random() < 0.01:
            method = values.one(["HEAD", "OPTIONS", "PATCH", "DELETE", "PUT", "POST", "GET", "TRACE", "PROPFIND"])
        lines = [b"%s %s HTTP/1.1\r\nHost: %s\r\n" % (method.encode(), target, self.host)]
        lines += [b"%s: %s\r\n" % header for header in headers]
        if body or method in ("POST", "PUT", "PATCH"):
            if body and random() < 0.03:
                cut = int(random() * len(body))
                body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:cut], body[cut:]) if part) + b"0\r\n\r\n"
                lines.append(b"Transfer-Encoding: chunked\r\n")
            else:
                lines.append(b"Content-Length: %d\r\n" % len(body))
        return method, b"".join(lines) + b"\r\n" + body

    def path(self, route):
        """The route's path with something for each of its parameters."""
        if "{" not in route["path"] and "*" not in route["path"]:
            return route["path"].encode()
        return b"/".join([self.segment(part, route["surface"]) for part in route["path"].split("/")])

    def segment(self, part, surface):
        if part == "**":
            return b"/".join([self.values.escaped() for _ in range(1 + int(self.values.random() * 3))])
        if not part.startswith("{"):
            return part.encode()
        values, facts = self.values, self.facts
        if values.random() < 0.25:
            return values.escaped().replace(b"%2F", b"") or b"x"
        name = part[1:-1]
        known = {
            "application": [facts["application"]], "appID": [facts["kii"]["appId"]], "base": [facts["envelope"]["basePath"][1:]],
            "provider": ["apple", "google", "facebook", "twitter", "line", "kakao", "naver", "yahoojapan", "gamecenter", "oidc:x", "qq"], "protocol": ["ncmb", "parse", "kii", "envelope"],
            "objectId": facts["parse_users"] + facts["users"] + ["me"], "language": ["en", "ja", "ko", "xx"],
            "kind": ["logInCode", "passwordReset", "emailVerification", "x"], "picture": ["logo", "background"],
            "field": ["level", "tags", "x" * 130], "admin": ["x"], "id": ["x"],
            "hook": ["sign-up", "upgrade", "access-token", "log-in", "adoption", "x"], "service": ["firebase", "supabase", "cognito", "nakama", "x"],
            "user": ["me", "LOGIN_NAME:kii0", "EMAIL:a@b.example", "PHONE:+819012345678"] + facts["kii_users"] + facts["users"],
        }
        if surface == "ncmb" and name == "objectId":
            return values.one(facts.get("ncmb_users") or facts["users"]).encode()
        return percent(values.one(known.get(name, facts["users"])).encode())

    def parameter(self, parameter):
        schema = self.grammar.resolve(parameter.get("schema")) or {}
        random = self.values.random()
        if "enum" in schema and random < 0.7:
            return percent(str(self.values.one(schema["enum"])).encode())
        return percent(self.values.one(self._numbers)) if schema.get("type") == "integer" and random < 0.7 else self.values.escaped()

    _numbers = [b"0", b"1", b"10", b"100", b"101", b"-1", b"9223372036854775807", b"9223372036854775808", b"1e3", b"x", b""]

    def item(self, surface):
        """A name and a value as queries and forms have them."""
        values, name = self.values, self.values.one(NAMES[surface])
        draw = values.random()
        if name in (b"limit", b"skip", b"count", b"page", b"days", b"max_age", b"version") and draw < 0.7:
            return name + b"=" + values.one(self._numbers)
        if name == b"act" and draw < 0.9:
            return b"act=" + values.one(ACTS)
        if draw < 0.35 and surface in ("parse", "ncmb") or name == b"where":
            return name + b"=" + percent(values.shape(0) if draw < 0.9 else values.json())
        return name + b"=" + values.escaped()

    def body(self, surface, operation, path):
        """A body and what it says it is."""
        values = self.values
        draw = values.random()
        if draw < 0.003:
            return values.one([b"", b"{", b"[", b'"', b"\xff\xfe", b"\x00" * 100, b"{}x", b"\xef\xbb\xbf{}"]), b"application/json"
        if surface in ("pages", "dashboard"):
            return self.form(surface, path)
        if operation:
            if operation["schema"] is None:
                return (values.json(), b"application/json") if draw < 0.3 else (b"", None)
            return self.grammar.value(operation["schema"], values), b"application/json"
        if surface in NAMES:
            names = [values.one(NAMES[surface]) for _ in range(int(values.random() * 5))]
            members = [b'"%s":%s' % (name, self.member(surface)) for name in names if b"assword" not in name or draw > 0.98]
            if draw < 0.05:
                members.append(values.quoted() + b":" + values.json())
            text = b"{" + b",".join(members) + b"}"
            if surface == "parse" and draw > 0.95:
                keys = self.facts["parse"]
                text = text[:-1] + b'%s"_method":"%s","_ApplicationId":"%s","_JavaScriptKey":"%s"}' % (
                    b"," if members else b"", values.one([b"GET", b"PUT", b"DELETE", b"X"]), keys["applicationId"].encode(),
                    keys["javascriptKey"].encode())
                return text, b"text/plain"
            return text, b"application/json"
        return values.json(), b"application/json"

    def member(self, surface):
        values = self.values
        draw = values.random()
        return values.shape(0) if draw < 0.4 else quoted(values.text()) if draw < 0.5 else values.json()

    def version(self, path):
        """The version in the form that is sent to a path, as its page has it now; None for a form that has none."""
        browser, path = self.facts["dashboard"], path.decode("latin-1")
        page = self.facts["forms"].get(path)
        if page is None and re.search(r"/(users|admins)/[^/]+/save$", path):
            page = path.rsplit("/", 1)[0]
        if page is None:
            return None
        drawn = self.look(b"GET %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n" % (
            page.encode(), self.host, browser["cookie"].encode()))
        return versioned_forms(drawn).get(path)

    def form(self, surface, path):
        values, items = self.values, []
        # Else most forms of the dashboard would be refused as those of somebody who was overtaken.
        version = self.version(path) if surface == "dashboard" and values.random() < 0.85 else None
        hidden = (self.facts["dashboard"] if surface == "dashboard" else self.browser)["hidden"] if values.random() < 0.9 else {}
        if path == b"/dashboard/log-out":
            hidden = {}  # Nobody logs in again, and everything else would be refused.
        for name, value in hidden.items():
            items.append((name.encode(), percent(value.encode())))
        for _ in range(int(values.random() * 6)):
            name, _, value = self.item(surface).partition(b"=")
            items.append((name, value))
        if version is not None:
            # A name that comes twice is refused.
            items = [item for item in items if item[0] != b"version"] + [(b"version", percent(version.encode()))]
        if values.random() < 0.08:
            parts = [b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n' % (
                name, b'; filename="a.png"' if values.random() < 0.3 else b"", value) for name, value in items]
            end = b"--x--\r\n" if values.random() < 0.9 else b"--x"
            return b"".join(parts) + end, b"multipart/form-data; boundary=x"
        return b"&".join([name + b"=" + value for name, value in items]), b"application/x-www-form-urlencoded"

    def caller(self, surface, method, target):
        """The headers that say who asks."""
        values, facts = self.values, self.facts
        draw = values.random()
        if surface in ("native", "admin"):
            headers = [(b"Okaeri-Application", facts["application"].encode())] if draw < 0.98 else []
            if surface == "admin":
                token = facts["full_key"] if draw < 0.6 else facts["admin_session"] if draw < 0.9 else values.one(facts["sessions"])
                return headers + [(b"Authorization", b"Bearer " + token.encode())]
            if draw < 0.1:
                return headers + self.proven(method, target)
            if draw < 0.85:
                headers.append((b"Authorization", b"Bearer " + values.one(facts["sessions"]).encode()))
            return headers
        if surface == "parse":
            keys = facts["parse"]
            headers = [(b"X-Parse-Application-Id", keys["applicationId"].encode())]
            if draw < 0.15:
                headers.append((b"X-Parse-Master-Key", keys["masterKey"].encode()))
            elif draw < 0.97:
                headers.append((b"X-Parse-REST-API-Key", keys["restKey"].encode()))
            if 0.1 < draw < 0.8:
                headers.append((b"X-Parse-Session-Token", values.one(facts["parse_sessions"]).encode()))
            return headers
        if surface == "ncmb":
            return self.signed(method, target)
        if surface == "kii":
            headers = [(b"X-Kii-AppID", facts["kii"]["appId"].encode()), (b"X-Kii-AppKey", facts["kii"]["appKey"].encode())]
            token = facts["kii_admin"] if draw < 0.25 else values.one(facts["kii_tokens"])
            return headers + ([(b"Authorization", b"Bearer " + token.encode())] if draw < 0.9 else [])
        if surface == "envelope":
            return [(b"jwt", facts["envelope_token"].encode())] if draw < 0.8 else []
        if surface == "dashboard":
            return [(b"Cookie", facts["dashboard"]["cookie"].encode())] if draw < 0.95 else []
        self.browser = values.one(facts["browsers"])
        return [(b"Cookie", self.browser["cookie"].encode())] if draw < 0.95 else []

    browser = {"hidden": {}, "cookie": ""}

    def proven(self, method, target):
        """A proof by a device's key: a good one, or one that says what no device would."""
        values, key = self.values, self.values.one(self.keys)
        url = self.url + target.split(b"?")[0].decode("latin-1")
        if values.random() < 0.5:
            return [(b"DPoP", key.proof(method, url, time.time(), f"{id(self)} {self.sent}"))]
        claims = b'{"htm":%s,"htu":%s,"iat":%s,"jti":%s}' % (
            quoted(method.encode()), quoted(url.encode()), values.json(), values.json())
        return [(b"DPoP", key.proof(method, url, 0, "", claims=claims))]

    def signed(self, method, target):
        """The headers of NCMB: key, time, signature, and a session now and then."""
        keys, values = self.facts["ncmb"], self.values
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()).encode()
        headers = [(b"X-NCMB-Application-Key", keys["applicationKey"].encode()), (b"X-NCMB-Timestamp", stamp),
                   (b"X-NCMB-Signature", ncmb_signature(keys, method.encode(), self.host, target, stamp))]
        tokens = self.facts.get("ncmb_sessions") or self.facts["sessions"]
        if values.random() < 0.7:
            headers.append((b"X-NCMB-Apps-Session-Token", values.one(tokens).encode()))
        return headers

    def renew(self, world, name):
        """New people for those whose sessions were ended: guests of every protocol, which cost little hashing."""
        facts, native = self.facts, {"Okaeri-Application": self.facts["application"]}
        parse = {"X-Parse-Application-Id": facts["parse"]["applicationId"], "X-Parse-REST-API-Key": facts["parse"]["restKey"]}
        kii = {"X-Kii-AppID": facts["kii"]["appId"], "X-Kii-AppKey": facts["kii"]["appKey"]}
        ncmb = {key.decode(): value.decode() for key, value in self.signed("POST", b"/2013-09-01/users") if b"Session" not in key}
        for number in range(3):
            guest = {"authData": {"anonymous": {"id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{name} {number}"))}}, "score": number, "tags": ["x", number]}
            proof = self.keys[number].proof("POST", f"{self.url}/v1/log-in/automatic", time.time(), f"{name} {number}")
            for asked, path, body, headers, words, lists in [
                    ("POST", "/v1/log-in/automatic", None, native | {"DPoP": proof.decode()}, ("token", "id"), ("sessions", "users")),
                    ("POST", "/parse/users", guest, parse, ("sessionToken", "objectId"), ("parse_sessions", "parse_users")),
                    ("POST", "/2013-09-01/users", guest, ncmb, ("sessionToken", "objectId"), ("ncmb_sessions", "ncmb_users")),
                    ("POST", f"/api/apps/{facts['kii']['appId']}/users", {"score": number, "password": PASSWORD}, kii, ("_accessToken", "userID"),
                     ("kii_tokens", "kii_users"))]:
                status, _, content = world.ask(asked, path, body, headers)
                found = [re.search(rb'"%s" ?: ?"([^"]+)"' % word.encode(), content) for word in words]
                if status < 300 and all(found):
                    for name, one in zip(lists, found):
                        facts[name] = facts.get(name, [])[-5:] + [one.group(1).decode()]
