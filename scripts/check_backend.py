"""Starts Examples/Backend and sends it the vectors of Examples/verifying, made for this moment: what it lets through and what it
refuses is what they say. scripts/examples runs it.

usage: check_backend.py PROGRAM
"""

import contextlib
import http.client
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

root = pathlib.Path(__file__).resolve().parent.parent


def serve_keys():
    """A server whose `/.well-known/jwks.json` is that of the vectors, once they are there."""
    vectors = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps(vectors["keySet"]).encode()
            self.send_response(200 if self.path == "/.well-known/jwks.json" else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}", vectors


@contextlib.contextmanager
def backend(program, vectors, secrets):
    """The port of a backend that runs meanwhile."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "OKAERI_URL": vectors["issuer"], "OKAERI_AUDIENCE": vectors["audience"], "PORT": str(port),
        "OKAERI_WEBHOOK_SECRET": " ".join(secrets)}
    running = subprocess.Popen([program], env=os.environ | settings, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        limit = time.monotonic() + 120
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=20):
                break
            if running.poll() is not None or time.monotonic() > limit:
                raise SystemExit("check_backend: the backend does not start")
            time.sleep(0.05)
        yield port
    finally:
        running.terminate()
        running.wait()


def ask(port, method, path, headers, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, path, body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__.strip())
    program, (issuer, served) = sys.argv[1], serve_keys()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "vectors.json"
        subprocess.run(["node", root / "Examples/verifying/make-vectors.mjs", file, issuer], check=True)
        vectors = json.loads(file.read_text(encoding="utf-8"))
    served.update(vectors)
    wrong, sent = [], 0

    def check(kind, vector, good, status):
        if status != (good if vector["error"] is None else 401):
            wrong.append(f"{kind} “{vector['name']}”: answered {status}, and should be {vector['error'] or 'taken'}")

    with backend(program, vectors, vectors["webhooks"][0]["secrets"]) as port:
        for vector in vectors["tokens"]:
            check("token", vector, 200, ask(port, "GET", "/v1/me", {"Authorization": f"Bearer {vector['token']}"}))
            sent += 1
        own = urllib.parse.urlsplit(vectors["audience"])
        for vector in vectors["requests"]:
            url = urllib.parse.urlsplit(vector["url"])
            # It knows its own address, and has one route.
            if (url.scheme, url.netloc, url.path) != (own.scheme, own.netloc, "/v1/me"):
                continue
            headers = {"Authorization": vector["authorization"]} | ({"DPoP": vector["dpop"]} if vector["dpop"] else {})
            check("request", vector, 200, ask(port, vector["method"], url.path + (f"?{url.query}" if url.query else ""), headers))
            sent += 1
        proven = vectors["requests"][0]
        again = ask(port, "GET", "/v1/me", {"Authorization": proven["authorization"], "DPoP": proven["dpop"]})
        check("request", {"name": "a proof once more", "error": "proofReplayed"}, 200, again)
        check("request", {"name": "nothing", "error": "tokenMissing"}, 200, ask(port, "GET", "/v1/me", {}))
    for secrets in {tuple(vector["secrets"]) for vector in vectors["webhooks"]}:
        with backend(program, vectors, secrets) as port:
            for vector in vectors["webhooks"]:
                if tuple(vector["secrets"]) == secrets:
                    check("webhook", vector, 204, ask(port, "POST", "/hooks", vector["headers"], vector["body"].encode()))
                    sent += 1
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        raise SystemExit(f"Examples/Backend: {len(wrong)} of {sent} vectors do not hold")
    print(f"Examples/Backend: {sent} vectors hold, sent to the running program")


main()
