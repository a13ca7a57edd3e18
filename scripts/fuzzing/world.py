"""A server of its own: started, filled with an application, users, sessions and an admin, and watched."""

import html
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse

from keys import DeviceKey, one_time_code

PASSWORD = "eleven quiet rivers run"
# Of the dashboard, when it is looked for forms: so many pages, and of each address so many with something behind a question mark.
_MAXIMUM_PAGES, _MAXIMUM_QUERIES = 150, 8


def versioned_forms(page):
    """The versions in a page's forms, by the addresses that these are sent to, by themselves or by one of their buttons."""
    versions = {}
    for part in page.split("<form ")[1:]:
        form = part.split("</form>")[0]
        version = re.search(r'name="version" value="([^"]*)"', form)
        for address in re.findall(r'action="([^"]*)"', form) if version else []:
            versions[html.unescape(address).split("?")[0]] = html.unescape(version.group(1))
    return versions


class World:
    """A server of the program under test, and everything that requests can refer to."""

    made = []  # Those with a folder of their own.

    def __init__(self, program, *, limits=False, folder=None, database=None):
        self.program = program
        self.folder = pathlib.Path(folder or (tempfile.mkdtemp(prefix="okaeri-fuzz-") if program else "."))
        self.environment = os.environ | {
            "OKAERI_RATE_LIMITS": "on" if limits else "off", "OKAERI_DATA": str(self.folder / "data"),
            "SWIFT_BACKTRACE": "enable=no"}
        if database:
            self.environment |= {"OKAERI_DATABASE": database, "OKAERI_SEALING_KEY": "A" * 43 + "="}
        self.server = None
        self.facts = {}
        if program and not folder:
            World.made.append(self)

    def okaeri(self, *arguments, check=True, timeout=300):
        done = subprocess.run(
            [self.program, *arguments], capture_output=True, env=self.environment, stdin=subprocess.DEVNULL, timeout=timeout)
        if check and done.returncode != 0:
            raise RuntimeError(f"okaeri {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done

    def start(self, *arguments, development=True):
        """Starts the server and waits until it listens."""
        self.log = self.folder / "server.log"
        with open(self.log, "ab") as log:
            self.server = subprocess.Popen(
                [self.program, "serve", *(["--dev"] if development else []), "--listen", "127.0.0.1:0", "--json", *arguments],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)
        words = b""
        while not words.rstrip().endswith(b"}"):
            line = self.server.stdout.readline()
            if not line:
                raise RuntimeError(f"the server does not start:\n{self.log.read_text(errors='replace')[-2000:]}")
            words += line
        said = json.loads(words)
        self.port = said["port"] if "port" in said else int(said["url"].rsplit(":", 1)[1])
        self.url, self.link, self.process = said["url"], said.get("setUpLink"), said["pid"]

    def stop(self):
        """Ends the server. Returns its status: a fault of its own shows as a signal."""
        if self.server is None:
            return 0
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
            try:
                self.server.wait(120)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
        return self.server.returncode

    @staticmethod
    def leave(nothing_found):
        """Ends all servers. Their folders go when nothing was found; else they stay, with data and logs, and are named."""
        for world in World.made:
            world.stop()
            if nothing_found:
                shutil.rmtree(world.folder, ignore_errors=True)
        kept = [str(world.folder) for world in World.made if world.folder.exists()]
        if kept:
            print(f"the servers' data and logs stay in {', '.join(kept)}")

    def ask(self, method, path, body=None, headers=None, form=None):
        """One request of the set-up: status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        headers = dict(headers or {})
        if form is not None:
            body, headers["Content-Type"] = urllib.parse.urlencode(form), "application/x-www-form-urlencoded"
        elif body is not None:
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def get(self, method, path, body=None, headers=None):
        """The JSON of an answer that must be good."""
        status, _, content = self.ask(method, path, body, headers)
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path}: {status} {content[:400]!r}")
        return json.loads(content) if content else {}

    def set_up(self):
        """Makes what requests refer to: `facts`, by name."""
        facts = self.facts
        made = json.loads(self.okaeri("application", "create", "Fuzz", "--json").stdout)
        facts["application"], facts["admin_key"] = made["id"], made["adminKey"]
        # NCMB signs requests with its keys: with the same ones everywhere, a finding is signed for the next server too.
        signing = ["--ncmb-application-key", "0a" * 32, "--ncmb-client-key", "0b" * 32]
        for name, given in [("ncmb", signing), ("parse", []), ("kii", []), ("envelope", [])]:
            enabled = json.loads(self.okaeri("application", "enable", made["id"], name, *given, "--json").stdout)
            facts[name] = enabled[name]
        self.okaeri("application", "redirect", made["id"], "--add", "http://127.0.0.1/back")
        self._users()
        self._admin()
        self._pages()
        return facts

    def _users(self):
        facts = self.facts
        native = {"Okaeri-Application": facts["application"]}
        facts["sessions"], facts["users"], facts["bound"] = [], [], []
        for number in range(8):
            answer = self.get("POST", "/v1/sign-up", {
                "username": f"fuzz{number}", "email": f"fuzz{number}@example.com", "password": PASSWORD,
                "fields": {"level": number, "tags": ["a", "b", number], "deep": {"x": {"y": number}}}}, native)
            facts["sessions"].append(answer["session"]["token"] if "session" in answer else answer["token"])
            facts["users"].append(answer["user"]["id"])
        for number in range(4):
            key = DeviceKey(f"device {number}")
            proof = key.proof("POST", f"{self.url}/v1/log-in/automatic", time.time(), f"set-up {number}").decode()
            answer = self.get("POST", "/v1/log-in/automatic", None, native | {"DPoP": proof})
            facts["bound"].append((answer["session"]["token"], number))
        keys = facts["parse"]
        parse = {"X-Parse-Application-Id": keys["applicationId"], "X-Parse-REST-API-Key": keys["restKey"]}
        facts["parse_sessions"], facts["parse_users"] = [], []
        for number in range(6):
            answer = self.get("POST", "/parse/users", {
                "username": f"parse{number}", "password": PASSWORD, "email": f"parse{number}@example.com", "score": number,
                "tags": ["x", number], "deep": {"a": {"b": 1}}}, parse | {"X-Parse-Revocable-Session": "1"})
            facts["parse_sessions"].append(answer["sessionToken"])
            facts["parse_users"].append(answer["objectId"])
        self._ncmb_and_kii()
        status, _, content = self.ask(
            "POST", f"{facts['envelope']['basePath']}/user/signin", {"id": "fuzz1", "password": PASSWORD})
        found = re.search(rb'"(oks_[A-Za-z0-9_.-]+)"', content)
        facts["envelope_token"] = found.group(1).decode() if found else "none"

    def _ncmb_and_kii(self):
        """Users of the signed protocol come by the other ones: the data is the same."""
        facts, kii = self.facts, self.facts["kii"]
        headers = {"X-Kii-AppID": kii["appId"], "X-Kii-AppKey": kii["appKey"]}
        facts["kii_tokens"], facts["kii_users"] = [], []
        for number in range(5):
            self.ask("POST", f"/api/apps/{kii['appId']}/users", {
                "loginName": f"kii{number}", "password": PASSWORD, "score": number}, headers)
            answer = self.get("POST", "/api/oauth2/token", {"username": f"kii{number}", "password": PASSWORD}, headers)
            facts["kii_tokens"].append(answer["access_token"])
            facts["kii_users"].append(answer["id"])
        answer = self.get("POST", "/api/oauth2/token", {
            "grant_type": "client_credentials", "client_id": kii["clientId"], "client_secret": kii["clientSecret"]}, headers)
        facts["kii_admin"] = answer["access_token"]

    def _admin(self):
        facts, link = self.facts, urllib.parse.parse_qs(urllib.parse.urlsplit(self.link).query)["token"][0]
        opened = self.get("POST", "/v1/admin/set-up/open", {"token": link})
        answer = self.get("POST", "/v1/admin/set-up", {
            "token": link, "name": "mika", "password": PASSWORD, "code": one_time_code(opened["totpKey"], time.time())})
        facts["admin_session"], facts["recovery"] = answer["token"], answer["recoveryCodes"]
        bearer = {"Authorization": f"Bearer {answer['token']}"}
        rights = self.get("GET", "/v1/admin/me", None, bearer)["permissions"]
        status, _, content = self.ask("POST", "/v1/admin/keys", {"name": "fuzz", "scopes": rights, "days": 30}, bearer)
        facts["full_key"] = json.loads(content)["secret"] if status < 300 else facts["admin_key"]

    def _pages(self):
        """Logs browsers in: one at the dashboard, two at the hosted pages."""
        facts = self.facts
        facts["dashboard"] = self._browse("/dashboard/log-in", {
            "name": "mika", "password": PASSWORD, "code": facts["recovery"][0]})
        facts["forms"] = self._forms(facts["dashboard"]["cookie"])
        base = f"/a/{facts['application']}"
        facts["browsers"] = [self._browse(f"{base}/sign-up", {
            "username": f"page{number}", "email": "", "password": PASSWORD}) for number in range(3)]

    def _forms(self, cookie):
        """Follows the links of the dashboard: the page that draws a form with a version, by the address that the form is sent to."""
        left, seen, queries, forms = ["/dashboard"], set(), {}, {}
        while left and len(seen) < _MAXIMUM_PAGES:
            page = left.pop(0)
            path = page.split("?")[0]
            if page in seen or queries.get(path, 0) > _MAXIMUM_QUERIES:
                continue
            seen.add(page)
            queries[path] = queries.get(path, 0) + 1
            status, headers, content = self.ask("GET", page, None, {"Cookie": cookie})
            if headers.get("Location", "").startswith("/dashboard"):
                left.append(headers["Location"])
            if status != 200 or "html" not in (headers.get("Content-Type") or ""):
                continue
            text = content.decode(errors="replace")
            for address in versioned_forms(text):
                forms.setdefault(address, page)
            links = [urllib.parse.urljoin(page, html.unescape(link)).split("#")[0] for link in re.findall(r'<a [^>]*?href="([^"]*)"', text)]
            left += [link for link in links if link.startswith("/dashboard")]
        return forms

    def _browse(self, path, fields):
        """Sends a page's form; returns the cookies afterwards and the hidden fields of the page that follows."""
        jar = {}

        def ask(method, where, form=None):
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())} if jar else {}
            status, answered, content = self.ask(method, where, None, headers, form)
            for cookie in answered.get_all("Set-Cookie") or []:
                name, _, value = cookie.split(";")[0].partition("=")
                jar[name] = value
            return status, answered, content

        _, _, page = ask("GET", path)
        hidden = dict(re.findall(rb'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
        hidden = {name.decode(): value.decode() for name, value in hidden.items()}
        status, answered, _ = ask("POST", path, hidden | fields)
        after = answered.get("Location") or path
        for _ in range(5):  # The dashboard leads on to the first application.
            after = urllib.parse.urlsplit(after)
            _, answered, page = ask("GET", after.path + ("?" + after.query if after.query else ""))
            after = answered.get("Location")
            if after is None:
                break
        hidden |= {name.decode(): value.decode() for name, value in re.findall(
            rb'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)}
        return {"cookie": "; ".join(f"{name}={value}" for name, value in jar.items()), "hidden": hidden, "status": status}


class Figures:
    """What the system tells about a process (Linux)."""

    ticks = os.sysconf("SC_CLK_TCK")

    def __init__(self, process):
        self.process = process

    def lives(self):
        try:
            with open(f"/proc/{self.process}/stat") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False

    def resident(self):
        """Resident memory in bytes."""
        try:
            with open(f"/proc/{self.process}/statm") as memory:
                return int(memory.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return 0

    def processor_time(self):
        """Seconds of processor time, of the kernel too."""
        try:
            with open(f"/proc/{self.process}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / self.ticks
        except OSError:
            return 0.0
