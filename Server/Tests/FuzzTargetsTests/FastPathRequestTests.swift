import FuzzTargets
import Testing
import TestWorld

/// The fast path reads the plainest requests before the decoder does: never otherwise than the decoder would.
@Suite("Requests that the fast path reads itself")
struct FastPathRequestTests {
    private static let plainRequests = [
        "GET /v1/user HTTP/1.1\r\nHost: a.example\r\nAuthorization: DPoP oks_x\r\nUser-Agent: App/1 (iOS)\r\n\r\n",
        "POST /v1/log-in/automatic HTTP/1.1\r\nhost: a.example:8080\r\nContent-Length: 2\r\nConnection: Keep-Alive\r\n"
            + "DPoP: e30.e30.c2ln\r\nContent-Type: application/json\r\n\r\n{}",
        "DELETE /v1/user/sessions/a%20b?x=1&y=~/? HTTP/1.1\r\nHOST: [fe80::1%25en0]:80\r\ncontent-length: 0\r\n\r\n",
        "PATCH /x HTTP/1.1\r\nHost: a\r\nX-Odd: a  b:c,\"d\"\r\nCookie: a=1; b=2\r\nCookie: c=3\r\nContent-Length: 003\r\n\r\n\u{e9}.",
        "PUT //host/path HTTP/1.1\r\nHost: a\r\nX-Odd: 1\r\nx-odd: 2\r\n\r\n",
        "GET /known HTTP/1.1\r\nHost: a\r\nX-Known: 1\r\nx-known: 2\r\nX-KNOWN: 3\r\nX-Knowm: 4\r\n\r\n",
    ]

    /// What is left to the decoder.
    private static let otherForms = [
        "an old version": "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
        "a method that is rare": "OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n",
        "two spaces": "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "a whole address": "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "a fragment": "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
        "an empty line before it": "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "lines that end by half": "GET / HTTP/1.1\nHost: a\n\r\n\r\n",
        "no host": "GET / HTTP/1.1\r\nAccept: a\r\n\r\n",
        "two hosts": "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "a host with a space": "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "a host with a path": "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "a host with a name in it": "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "a port in letters": "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n",
        "an address that does not end": "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "two lengths": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "a length with a sign": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
        "a length in another script": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \u{661}\r\n\r\na",
        "a length without end": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "a body in chunks": "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "a length and chunks":
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "an upgrade": "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n",
        "a wait for a word": "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n",
        "the end of the connection": "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "several options": "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, upgrade\r\n\r\n",
        "a proxy's connection": "GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n",
        "a line that goes on": "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
        "a space before the colon": "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "no space behind the colon": "GET / HTTP/1.1\r\nHost:a\r\n\r\n",
        "a space at the end": "GET / HTTP/1.1\r\nHost: a \r\n\r\n",
        "a tab": "GET / HTTP/1.1\r\nHost: a\r\nX: a\tb\r\n\r\n",
        "an empty value": "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n",
        "a name with a sign": "GET / HTTP/1.1\r\nHost: a\r\nX_Y: a\r\n\r\n",
        "a value beyond ASCII": "GET / HTTP/1.1\r\nHost: a\r\nX: \u{e9}\r\n\r\n",
        "a byte of zero": "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n",
        "a half line end within": "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
        "a head that ends early": "GET / HTTP/1.1\r\nHost: a\r\n",
        "a body that ends early": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na",
    ]

    @Test("are read as the decoder reads them, one behind the other", arguments: plainRequests)
    func plain(request: String) {
        let all = Array((request + Self.plainRequests.joined()).utf8)
        #expect(FastPathRequestComparison.count(in: all) == 1 + Self.plainRequests.count)
        #expect(FastPathRequestComparison.difference(in: all) == nil)
    }

    @Test("are none that deviate from the plainest form", arguments: otherForms.keys.sorted())
    func other(kind: String) throws {
        #expect(FastPathRequestComparison.count(in: Array(try #require(Self.otherForms[kind]).utf8)) == 0)
    }

    @Test("are none with more or longer fields than the decoder takes")
    func limits() {
        func head(_ fields: String) -> [UInt8] { Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8) }
        #expect(FastPathRequestComparison.count(in: head(String(repeating: "A: b\r\n", count: 63))) == 1)
        #expect(FastPathRequestComparison.count(in: head(String(repeating: "A: b\r\n", count: 64))) == 0)
        #expect(FastPathRequestComparison.count(in: head("A: \(String(repeating: "b", count: 8000))\r\n")) == 1)
        #expect(FastPathRequestComparison.count(in: head("A: \(String(repeating: "b", count: 8200))\r\n")) == 0)
    }

    @Test("are read alike whatever was altered in them", arguments: [1, 2, 3, 4] as [UInt64])
    func altered(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        let odd = Array("\r\n\t :,;/?#%\u{0}0123456789abcdefGETHOSTchunkedkeep-alive".utf8) + [0x80, 0xff]
        let plain = Array(repeating: Self.plainRequests, count: 15).joined()
        let texts = (plain + Self.otherForms.values.sorted()).map { Array($0.utf8) }
        var taken = 0
        for _ in 0..<2500 {
            var bytes = random.pick(texts)
            for _ in 0...random.number(below: 3) {
                let index = random.number(below: bytes.count)
                switch random.number(below: 4) {
                case 0: bytes[index] = random.pick(odd)
                case 1: bytes.insert(random.pick(odd), at: index)
                case 2 where bytes.count > 1: bytes.remove(at: index)
                default:
                    let other = random.pick(texts)
                    bytes.replaceSubrange(index..., with: other.suffix(from: min(index, other.count)))
                }
            }
            taken += FastPathRequestComparison.count(in: bytes)
            #expect(
                FastPathRequestComparison.difference(in: bytes) == nil,
                "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 250, "enough of them is still plain")
    }
}
