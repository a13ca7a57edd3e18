"""Proofs of possession for the benchmarks in Python. Needs Python's `cryptography` (Debian: python3-cryptography)."""
import base64, json, secrets, time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def proof(url):
    """A DPoP proof by a new key (RFC 9449)."""
    key = ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_numbers()
    jwk = {"kty": "EC", "crv": "P-256", "x": text(point.x.to_bytes(32, "big")), "y": text(point.y.to_bytes(32, "big"))}
    parts = [{"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk},
             {"jti": secrets.token_urlsafe(16), "htm": "POST", "htu": url, "iat": int(time.time())}]
    signed = ".".join(text(json.dumps(part).encode()) for part in parts)
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
