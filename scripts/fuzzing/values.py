"""Hostile values: texts, numbers, dates, JSON. Everything is chosen by the generator that is given, so a seed repeats it."""

TAG = "<okaeri-mark"  # raw in a page, it would be a script of a stranger's
MARK = f"\"'>{TAG}>"
# The same in signs to which a mark belongs, which are other characters to Swift: raw in a page, the value of an attribute ends there.
JOINED = "\"\u0301 okaeri-mark"

LIMIT = 1024 * 1024  # what a body may have

TEXTS = [text.encode() for text in [
    "", " ", "a", "hana", "hana@example.com", "+819012345678", "four quiet words", "null", "true", "-1", "0", "1e308", "NaN",
    "../../../etc/passwd", "%00", "%2e%2e%2f", "a%0d%0aX-Injected: 1", "'; DROP TABLE users; --", "{{#x}}{{/x}}", "${7*7}",
    MARK, JOINED, f"\u0600{JOINED}='\u0301", "<script>alert(1)</script>", "*", "role:admin", "me", "LOGIN_NAME:hana", "EMAIL:a@b", "PHONE:+1", "_id", "__proto__",
    "$where", "a.b.c", ".", "..", "a..b", "a.b.c.d.e.f.g.h.i", "\\", "\\\\", "\"", "`", "|", "^", "\u202eevil", "\ufeffbom",
    "e\u0301", "é", "ß", "İ", "ı", "ﬃ", "Ω", "Ａ", "１２", "한국어", "日本語", "👩‍👩‍👧‍👦", "🏳️‍🌈", "\u2028", "\u0085", "\x7f", "\x01", "\t", "a b",
    "a\u0301" * 15, "e" + "\u0301" * 30, "e" + "\u0301" * 31, "e" + "\u0301" * 300, "\ufdfa", "\ufdfa" * 18, "\ufdfa" * 300,
    "a" * 30, "a" * 63, "a" * 64, "a" * 128, "a" * 129, "a" * 255, "a" * 256, "a" * 1024, "a" * 1025, "a" * 5000,
    "a." * 200, "@" * 100, "a@" + "b." * 120 + "com", "(" * 100, "[" * 100, ".*" * 60, "a|" * 100, "\\Q" + "x" * 50,
    "r:" + "0" * 32, "oka_" + "A" * 43, "oks_" + "A" * 43, "oks_AAAA." + "A" * 43, "oks_." + "A" * 43, "eyJhbGciOiJub25lIn0.e30.", "a.b.c", "..", "Bearer x",
    "http://127.0.0.1:1/", "https://example.com/cb", "file:///etc/passwd", "javascript:alert(1)", "//evil.example", "app.okaeri:/cb",
    "2026-11-22T00:00:00Z", "ja", "ja-JP", "x" * 40 + "-y", "1/1", "9223372036854775807/9223372036854775807", "200/5000000000",
]]
BYTES = [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x00b", b"\xe3\x81", b"\x80" * 40]
BIG = [
    b"e" + "\u0301".encode() * 60_000, "\ufdfa".encode() * 20_000, b"a" * 500_000, b"a" * 1_000_000, "👩‍👩‍👧‍👦".encode() * 8_000,
    b"\\u0301" * 62_500, "가".encode() * 100_000, b"a " * 250_000, "ﷺ\u0345".encode() * 20_000, b"9" * 100_000,
]
NUMBERS = [number.encode() for number in [
    "0", "-0", "1", "-1", "2", "10", "30", "100", "101", "200", "255", "256", "1000", "65535", "65536", "1000000", "2147483647",
    "-2147483648", "4294967295", "4294967296", "9007199254740993", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "18446744073709551615", "18446744073709551616", "106751991167300", "106751991167301",
    "253402300799", "253402300800", "253402300799999", "-62167219200000", "-62167219200001", "9223372036854775",
    "0.5", "-0.0", "1e2", "1E+2", "1e-7", "1e18", "1e19", "1e22", "1e308", "1.7976931348623157e308", "1e309", "-1e400", "5e-324",
    "1e-400", "0.1e1", "123456789012345678901234567890", "1.0", "2.5e3", "1" + "0" * 300, "0." + "0" * 300 + "1",
]]
BROKEN_NUMBERS = [b"01", b"+1", b".5", b"1.", b"1e", b"--1", b"NaN", b"Infinity", b"0x10", b"1_000"]
DATES = [date.encode() for date in [
    "2026-11-22T00:00:00Z", "2026-11-22T00:00:00.000Z", "2026-11-22T09:00:00+09:00", "0000-01-01T00:00:00Z",
    "0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00+00:01", "0001-01-01T00:00:00.000+14:00", "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59.999-00:01", "9999-12-31T24:00:00Z", "10000-01-01T00:00:00Z",
    "-0001-12-31T23:59:59Z", "2016-12-31T23:59:60Z", "2016-12-31T23:59:61Z", "2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
    "2026-11-22T25:00:00Z", "2026-11-22T23:60:00Z", "2026-11-22T00:00:00+24:00", "2026-11-22T00:00:00+99:99",
    "2026-11-22T00:00:00.123456789012345678901234567890Z", "2026-11-22T00:00:00.Z", "2026-11-22", "2026-11-22T00:00Z",
    "2026-11-22 00:00:00Z", "2026-11-22t00:00:00z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "",
    "２０２６-11-22T00:00:00Z", "2026-11-22T00:00:00+09", "2026-11-22T00:00:00%2B09:00", "0000-00-00T00:00:00Z",
]]
LITERALS = [b"null", b"true", b"false", b"{}", b"[]", b'""', b"0"]

SPACE = b"%20"
PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
ESCAPED = [bytes([byte]) if byte in PLAIN else b"%%%02X" % byte for byte in range(256)]
JSON_ESCAPES = {0x22: b'\\"', 0x5c: b"\\\\"} | {byte: b"\\u%04x" % byte for byte in range(0x20)}


def percent(text):
    """Percent-encoded, for paths, queries and forms."""
    return b"".join([ESCAPED[byte] for byte in text])


def quoted(text):
    """A JSON string. Bytes that are no UTF-8 stay."""
    if text.isalnum():
        return b'"%s"' % text
    return b'"%s"' % b"".join([JSON_ESCAPES.get(byte) or bytes([byte]) for byte in text])


TEXTS_QUOTED = [quoted(text) for text in TEXTS]
TEXTS_ESCAPED = [percent(text) for text in TEXTS if len(text) < 2000]
SURROGATES = [b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\ud83d\\ude00"', b'"\\u0000"', b'"\\uD83D"', b'"a\\u0000b"', b'"\\x"', b'"\n"']
# Shapes that the protocols give a meaning to; X stands for a text, N for a number, V for any value.
SHAPES = [shape.encode() for shape in [
    '{"__op":"Increment","amount":N}', '{"__op":"Add","objects":[V,V]}', '{"__op":"AddUnique","objects":[V,V,V]}',
    '{"__op":"Remove","objects":[V]}', '{"__op":"Delete"}', '{"__op":X}', '{"__op":"Batch","ops":[V]}',
    '{"__op":"SetOnInsert","amount":V}', '{"__op":"AddUnique","objects":V}', '{"__op":"Increment","amount":V}',
    '{"__type":"Date","iso":D}', '{"__type":"Date","iso":D}', '{"__type":"Date","iso":D}', '{"__type":"Date","iso":V}', '{"__type":X,"iso":D}', '{"__type":"Bytes","base64":X}',
    '{"__type":"GeoPoint","latitude":N,"longitude":N}', '{"__type":"Pointer","className":X,"objectId":X}',
    '{"__type":"File","name":X,"url":X}', '{"__type":"Polygon","coordinates":[[N,N],[N,N]]}', '{"__type":"Object","className":X}',
    '{"*":{"read":true,"write":true}}', '{X:{"read":V,"write":V}}', '{"role:x":{"read":true},"*":V}', '{"*":V}',
    '{"facebook":{"id":X,"access_token":X,"expiration_date":D}}', '{"apple":{"id":X,"token":X}}', '{"anonymous":{"id":X}}',
    '{"google":{"id":X,"id_token":X,"access_token":X}}', '{"twitter":{"id":X,"auth_token":X,"consumer_key":X}}', '{X:null}',
    '{"$in":[V,V,V]}', '{"$nin":[V]}', '{"$gt":V,"$lt":V}', '{"$regex":X,"$options":X}', '{"$exists":true}', '{"$all":[V,V]}',
    '{"$ne":V}', '{"$inArray":V}', '{"$select":{"query":V,"key":X}}', '{"$inQuery":{"where":V,"className":X}}', '{X:V}',
    '{"$or":[{X:V},{X:V}]}', '{"$and":[{X:{"$gte":D}},{}]}', '{"$nor":[V]}', '{"createdAt":{"$gt":{"__type":"Date","iso":D}}}',
    '{"type":"and","clauses":[V,V]}', '{"type":"eq","field":X,"value":V}', '{"type":"in","field":X,"values":[V,V]}',
    '{"type":"range","field":X,"lowerLimit":V,"upperLimit":N}', '{"type":"prefix","field":X,"prefix":X}', '{"type":"all"}',
    '{"type":"not","clause":V}', '{"type":"hasField","field":X,"fieldType":"STRING"}', '{"clause":V,"orderBy":X,"descending":true}',
    '{"method":"POST","path":"/1/users","body":V}', '{"method":X,"path":X,"body":V}', '{"light":{"accent":X},"dark":V}',
]]


class Values:
    """Values out of a generator."""

    def __init__(self, random):
        self.random = random

    def one(self, choices):
        return choices[int(self.random() * len(choices))]

    def text(self):
        """Bytes of a text."""
        draw = self.random()
        if draw < 0.9:
            return self.one(TEXTS)
        if draw < 0.95:
            return self.one(DATES)
        if draw < 0.98:
            return self.one(TEXTS) + self.one(TEXTS)
        return self.one(BYTES)

    def escaped(self):
        """A text as it stands in a path or a query."""
        return self.one(TEXTS_ESCAPED) if self.random() < 0.95 else percent(self.one(BYTES))

    def quoted(self):
        """A JSON string."""
        draw = self.random()
        if draw < 0.93:
            return self.one(TEXTS_QUOTED)
        return self.one(SURROGATES) if draw < 0.97 else quoted(self.one(BYTES))

    def json(self, depth=0):
        """A JSON value, now and then a broken one."""
        draw = self.random()
        if draw < 0.35:
            return self.quoted()
        if draw < 0.55:
            return self.one(NUMBERS)
        if draw < 0.65:
            return self.one(LITERALS)
        if draw < 0.70:
            return quoted(self.one(DATES))
        if draw < 0.90 and depth < 4:
            return self.shape(depth)
        if draw < 0.95 and depth < 4:
            return b"[" + b",".join([self.json(depth + 1) for _ in range(int(self.random() * 4))]) + b"]"
        if draw < 0.99 and depth < 4:
            names = [self.quoted() for _ in range(int(self.random() * 4))]
            return b"{" + b",".join([name + b":" + self.json(depth + 1) for name in names]) + b"}"
        return self.one(BROKEN_NUMBERS)

    def shape(self, depth):
        """One of the shapes, with values filled in."""
        pieces = []
        for byte in self.one(SHAPES):
            if byte == 0x58:  # X
                pieces.append(self.quoted())
            elif byte == 0x4e:  # N
                pieces.append(self.one(NUMBERS))
            elif byte == 0x44:  # D, but for the word Date and Delete
                pieces.append(b"D")
            elif byte == 0x56:  # V
                pieces.append(self.json(depth + 1))
            else:
                pieces.append(b"%c" % byte)
        return b"".join(pieces).replace(b":D}", b":" + quoted(self.one(DATES)) + b"}").replace(
            b":D,", b":" + quoted(self.one(DATES)) + b",")

    def big(self):
        """A body of up to a mebibyte that is expensive for somebody careless."""
        name, draw = self.one([b"username", b"name", b"password", b"where", b"fields", b"tags"]), int(self.random() * 10)
        big = self.one(BIG)
        if draw == 0:
            return b'{"%s":"%s"}' % (name, big)
        if draw == 1:
            return b'{"%s":1}' % big
        if draw == 2:
            return b"[" * 60_000 + b"]" * 60_000
        if draw == 3:
            return b'{"a":' * 20_000 + b"1" + b"}" * 20_000
        if draw == 4:
            return b'{"tags":{"__op":"AddUnique","objects":[' + b",".join(b"%d" % n for n in range(60_000)) + b"]}}"
        if draw == 5:
            return b"{" + b",".join(b'"a.b%d":%d' % (n, n) for n in range(20_000)) + b"}"
        if draw == 6:
            return b"{" + b",".join(b'"f%d":"x"' % n for n in range(30_000)) + b"}"
        if draw == 7:
            return b'{"where":{"username":{"$in":[' + b",".join(b'"u%d"' % n for n in range(40_000)) + b"]}}}"
        if draw == 8:
            return b'{"requests":[' + b",".join(
                b'{"method":"GET","path":"/1/users/%d"}' % n for n in range(10_000)) + b"]}"
        return b'{"%s":"%s","%s":"%s"}' % (name, big[:1000], name, big[:1000])
