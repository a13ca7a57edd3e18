"""Device keys (P-256), the proofs that they sign (RFC 9449), and one-time codes, by Python's own library."""

import base64
import hashlib
import hmac
import json
import random
import struct

_P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
      0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def _add(left, right):
    if left is None or right is None:
        return left or right
    (x, y), (u, v) = left, right
    if x == u:
        if (y + v) % _P == 0:
            return None
        slope = (3 * x * x - 3) * pow(2 * y, -1, _P)
    else:
        slope = (v - y) * pow(u - x, -1, _P)
    z = (slope * slope - x - u) % _P
    return z, (slope * (x - z) - y) % _P


_POWERS = [_G]
for _ in range(255):
    _POWERS.append(_add(_POWERS[-1], _POWERS[-1]))


def _times(number):
    point = None
    for bit in range(256):
        if number >> bit & 1:
            point = _add(point, _POWERS[bit])
    return point


def base64url(text):
    return base64.urlsafe_b64encode(text).rstrip(b"=")


class DeviceKey:
    """A key of a device that does not exist. Its signatures hold; they are not made in constant time."""

    def __init__(self, seed):
        self.number = int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big") % _N
        x, y = _times(self.number)
        self.jwk = b'{"kty":"EC","crv":"P-256","x":"%s","y":"%s"}' % (
            base64url(x.to_bytes(32, "big")), base64url(y.to_bytes(32, "big")))
        # One random point for all signatures: it is quick, and the key protects nothing.
        self.nonce = int.from_bytes(hashlib.sha256(b"nonce" + seed.encode()).digest(), "big") % _N
        self.r = _times(self.nonce)[0] % _N
        self.inverse = pow(self.nonce, -1, _N)

    def token(self, header, claims):
        """A JWT with any bytes as header and claims."""
        signed = base64url(header) + b"." + base64url(claims)
        digest = int.from_bytes(hashlib.sha256(signed).digest(), "big")
        s = self.inverse * (digest + self.r * self.number) % _N
        return signed + b"." + base64url(self.r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def proof(self, method, url, now, jti, token=None, claims=None):
        """A DPoP proof; `claims` replaces what it says."""
        if claims is None:
            said = {"htm": method, "htu": url, "iat": int(now), "jti": jti}
            if token:
                said["ath"] = base64url(hashlib.sha256(token.encode()).digest()).decode()
            claims = json.dumps(said).encode()
        return self.token(b'{"typ":"dpop+jwt","alg":"ES256","jwk":%s}' % self.jwk, claims)


class ProviderKey:
    """An RSA key of a provider that does not exist (RS256), the same for the same seed."""

    def __init__(self, seed):
        generator = random.Random(seed)
        primes = []
        while len(primes) < 2:
            one = generator.getrandbits(1024) | 3 << 1022 | 1
            if one % 65537 != 1 and all(one % small for small in range(3, 2000, 2)) and pow(2, one - 1, one) == 1:
                primes.append(one)
        self.modulus = primes[0] * primes[1]
        self.private = pow(65537, -1, (primes[0] - 1) * (primes[1] - 1))
        self.jwk = b'{"kty":"RSA","kid":"k","use":"sig","alg":"RS256","n":"%s","e":"AQAB"}' % base64url(self.modulus.to_bytes(256, "big"))

    def token(self, header, claims):
        """A JWT with any bytes as its claims (RFC 8017 §8.2)."""
        signed = base64url(header) + b"." + base64url(claims)
        digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(signed).digest()
        padded = b"\x00\x01" + b"\xff" * (253 - len(digest)) + b"\x00" + digest
        signature = pow(int.from_bytes(padded, "big"), self.private, self.modulus)
        return signed + b"." + base64url(signature.to_bytes(256, "big"))


def one_time_code(key, now):
    """What an authenticator app shows (RFC 6238)."""
    secret = base64.b32decode(key.replace(" ", "") + "=" * (-len(key.replace(" ", "")) % 8))
    digest = hmac.new(secret, struct.pack(">Q", int(now) // 30), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"
