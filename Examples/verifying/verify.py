"""What a backend verifies, with Python's library and `cryptography` (Debian: python3-cryptography).
`python3 verify.py` runs it on vectors.json."""
import base64, hashlib, hmac, json, pathlib, sys, time, urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils


def read(part):
    data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    if base64.urlsafe_b64encode(data).rstrip(b"=") != part.encode():
        raise ValueError("Base64")
    return data


def need(truth, why):
    if not truth:
        raise ValueError(why)


def signed(text, types, find):
    """A JWT that is signed with ES256 by the key that `find` returns for its header."""
    head, body, signature = text.split(".")
    header, claims, signature = json.loads(read(head)), json.loads(read(body)), read(signature)
    need(header["alg"] == "ES256" and "crit" not in header and header["typ"].lower() in types, "header")
    x, y = (int.from_bytes(read(find(header)[name]), "big") for name in "xy")
    r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
    need(len(signature) == 64, "signature")
    ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key().verify(
        utils.encode_dss_signature(r, s), f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    return header, claims


def verify_token(token, key_set, issuer, audience, now=None, leeway=30):
    """An access token. `key_set` is GET /.well-known/jwks.json, kept for as long as its Cache-Control says."""
    now, keys = now or time.time(), {key["kid"]: key for key in key_set["keys"]}
    _, claims = signed(token, ("at+jwt", "application/at+jwt"), lambda header: keys[header["kid"]])
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    need(claims["iss"] == issuer and audience in audiences and isinstance(claims["sub"], str), "iss, aud or sub")
    need(isinstance(claims["exp"], int) and claims["exp"] > now - leeway, "exp")
    need(max(claims["iat"], claims.get("nbf", 0)) <= now + leeway, "iat or nbf")
    return claims


def verify_webhook(headers, body, secrets, now=None):
    """A webhook: `headers` with small names, `body` in bytes, and one secret or, while it is replaced, both."""
    now, stamp, signatures = now or time.time(), headers["webhook-timestamp"], headers["webhook-signature"].split(" ")
    need(stamp.isdecimal() and len(stamp) <= 12 and abs(now - int(stamp)) <= 300, "webhook-timestamp")
    text = f"{headers['webhook-id']}.{stamp}.".encode() + body
    macs = [hmac.digest(base64.b64decode(secret[6:]), text, "sha256") for secret in secrets]
    good = [hmac.compare_digest(f"v1,{base64.b64encode(mac).decode()}", sent) for mac in macs for sent in signatures]
    need(any(good), "webhook-signature")
    return json.loads(body)


def verify_request(request, rules, used):
    """A request whose token may be bound to a key (DPoP, RFC 9449). `used` remembers proofs: a set, or what nodes share."""
    scheme, token = request["authorization"].split(" ")
    claims, now = verify_token(token, **rules), rules.get("now") or time.time()
    need(scheme.lower() == ("dpop" if "cnf" in claims else "bearer"), "scheme")
    if "cnf" not in claims:
        return claims
    header, proof = signed(request["dpop"], ("dpop+jwt",), lambda header: header["jwk"])
    key, sha256 = header["jwk"], lambda text: hashlib.sha256(text.encode()).digest()
    text = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    target = lambda url: (lambda u: (u.scheme, u.hostname, u.port or {"https": 443, "http": 80}[u.scheme], u.path or "/"))(
        urllib.parse.urlsplit(url))
    thumbprint = text(sha256('{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}' % (key["x"], key["y"])))
    need("d" not in key and thumbprint == claims["cnf"]["jkt"] and proof["ath"] == text(sha256(token)), "key or ath")
    need(proof["htm"] == request["method"] and target(proof["htu"]) == target(request["url"]), "htm or htu")
    need(abs(now - proof["iat"]) <= 60 and proof["jti"] and proof["jti"] not in used, "iat or jti")
    used.add(proof["jti"])
    return claims


def main():
    vectors = json.loads(pathlib.Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))
    rules = {"key_set": vectors["keySet"], **{name: vectors[name] for name in ("issuer", "audience", "now")}}
    wrong = []

    def check(name, error, attempt, *arguments):
        try:
            attempt(*arguments)
            failed = None
        except Exception as reason:
            failed = repr(reason)
        if (failed is None) != (error is None):
            wrong.append(f"{name}: {failed or 'was taken'}")

    for one in vectors["tokens"]:
        check(one["name"], one["error"], lambda: verify_token(one["token"], **rules))
    for one in vectors["webhooks"]:
        check(one["name"], one["error"], verify_webhook, one["headers"], one["body"].encode(), one["secrets"], rules["now"])
    for one in vectors["requests"]:
        check(one["name"], one["error"], verify_request, one, rules, set())
    proven, used = vectors["requests"][0], set()
    check("first use", None, verify_request, proven, rules, used)
    check("second use", "proofReplayed", verify_request, proven, rules, used)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        sys.exit(1)
    print(f"Python: {sum(len(vectors[name]) for name in ('tokens', 'webhooks', 'requests'))} vectors hold")


if __name__ == "__main__":
    main()
