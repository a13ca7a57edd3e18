import TestWorld
import Testing

@testable import Domain

@Suite("An address to which people may be sent back")
struct RedirectAddressTests {
    @Test(
        "is https, an app's own scheme in reverse domain form, or this machine by its number",
        arguments: [
            "https://app.example/back", "https://app.example", "https://app.example:8443/back?a=1&b=2",
            "com.example.app:/back", "com.example.app://back", "com.example.app:back", "http://127.0.0.1/back",
            "http://127.0.0.1:4711/back", "http://127.0.0.1", "http://[::1]/back?x", "http://[::1]:1",
            "http://127.0.0.1?x",
            "https://a.example/" + String(repeating: "x", count: 482),
        ])
    func taken(text: String) throws {
        let address = try #require(RedirectAddress(text))
        #expect(address.text == text && address.fits(text))
        for other in ["\(text)x", " \(text)", "\(text) ", "\(text)#f", String(text.dropLast()), text.uppercased(), ""] {
            #expect(!address.fits(other), "\(other)")
        }
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "/back", "app.example/back", "https://", "https:///back", "https:back", "http://app.example/back",
            "http://localhost/back", "http://127.0.0.2/back", "http://127.0.0.1.example/", "http://127.0.0.1x/",
            "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:/", "http://127.0.0.1:x/",
            "http://127.0.0.1:+80/", "http://[::1/", "http://[::2]/", "myapp://back", "javascript:alert(1)",
            "Com.example.app:/back", "https://a.example/#", "https://a.example/back#part", "https://u@a.example/",
            "https://u:p@a.example/", "https://:p@a.example/", "https://*.example/back", "https://a.example/*",
            "https://a.example/a b", "https://a.example/\"", "https://a.example/<", "https://a.example/\\",
            "https://a.example/'", "https://a.example/花", "https://a.example/\n", "http://127.0.0.1:80 /",
            "https://a.example/" + String(repeating: "x", count: 483), "https://a.example,b.example/",
            "https://a.example;b/", "https://a%3B%20frame-ancestors%20%2A/back", "https://a%0D%0Ab/back",
        ])
    func refused(text: String) { #expect(RedirectAddress(text) == nil, "\(text)") }

    @Test(
        "of this machine fits with any port, which the app chooses as it starts", arguments: ["127.0.0.1", "[::1]"],
        ["", ":1", ":4711", ":65535"])
    func ports(host: String, registered: String) throws {
        for rest in ["", "/", "/back", "/back?a=1", "?a=1"] {
            let address = try #require(RedirectAddress("http://\(host)\(registered)\(rest)"))
            for port in ["", ":1", ":80", ":4711", ":65535"] {
                #expect(address.fits("http://\(host)\(port)\(rest)"), "\(port)\(rest)")
                #expect(!address.fits("http://\(host)\(port)\(rest)x"), "\(port)\(rest)")
                #expect(!address.fits("https://\(host)\(port)\(rest)"))
            }
            for port in [":0", ":65536", ":99999999999999999999", ":-1", ":", ":8o", ":１"] {
                #expect(!address.fits("http://\(host)\(port)\(rest)"), "\(port)\(rest)")
            }
            let other = host == "[::1]" ? "127.0.0.1" : "[::1]"
            #expect(!address.fits("http://\(other)\(registered)\(rest)"))
        }
        // The longest that may be registered, with the longest port.
        let longest = "http://\(host)/"
        let path = String(repeating: "x", count: RedirectAddress.maximumCharacters - longest.utf8.count)
        let address = try #require(RedirectAddress(longest + path))
        #expect(address.fits("http://\(host):65535/" + path))
        #expect(RedirectAddress(longest + path + "x") == nil)
    }

    @Test(
        "is not another one of signs that mean the same",
        arguments: [
            ("https://app.example/Kim/back", "https://app.example/\u{212A}im/back"),
            ("https://app.example/back;a", "https://app.example/back\u{37E}a"),
            ("http://127.0.0.1/K", "http://127.0.0.1:4711/\u{212A}"),
        ])
    func equivalents(text: String, other: String) throws {
        let address = try #require(RedirectAddress(text))
        #expect(!address.fits(other))
    }

    @Test("with another port is another one, on every machine but this")
    func fixedPorts() throws {
        let address = try #require(RedirectAddress("https://app.example/back"))
        #expect(!address.fits("https://app.example:443/back"))
        let ported = try #require(RedirectAddress("https://app.example:1/back"))
        #expect(!ported.fits("https://app.example:2/back") && !ported.fits("https://app.example/back"))
    }

    @Test(
        "lets the forms of pages lead on to wherever its app lives, and to no other scheme",
        arguments: [
            ("https://app.example/back?x", ["https:"]), ("https://app.example:8443/", ["https:"]),
            ("http://127.0.0.1:4711/back", ["http:", "https:"]), ("http://[::1]:1/", ["http:", "https:"]),
            ("com.example.app:/back", ["com.example.app:"]), ("com.example.app://back", ["com.example.app:"]),
            ("/back", []), ("", []),
        ] as [(String, [String])])
    func sources(address: String, sources: [String]) { #expect(RedirectAddress.sources(of: address) == sources) }

    @Test("counts for an application when one of its own fits")
    func settings() {
        var settings = ApplicationSettings()
        #expect(!settings.allowsRedirect(to: "https://a.example/"))
        settings.redirectAddresses = ["https://a.example/", "not one", "http://127.0.0.1/"]
        for (asked, isAllowed) in [
            ("https://a.example/", true), ("http://127.0.0.1:99/", true), ("not one", false),
            ("https://a.example", false),
        ] {
            #expect(settings.allowsRedirect(to: asked) == isAllowed, "\(asked)")
        }
    }
}

@Suite("A session's token")
struct SessionTokenTests {
    private static let hana = Identifier<User>(rawValue: "hana")

    @Test(
        "has the form of its protocol, and never repeats",
        arguments: [
            (.named, #"oks_aGFuYQ\.[A-Za-z0-9_-]{43}"#), (.base64URL(byteCount: 32), #"[A-Za-z0-9_-]{43}"#),
            (.letters(count: 25), #"[A-Za-z0-9]{25}"#), (.hexadecimal(prefix: "r:", byteCount: 16), #"r:[0-9a-f]{32}"#),
        ] as [(SessionToken.Form, String)])
    func form(form: SessionToken.Form, pattern: String) throws {
        let randomness = CountingRandomness()
        let pattern = try Regex(pattern)
        let tokens = (0..<50).map { _ in SessionToken.Draw(form, randomness).token(of: Self.hana).revealed }
        #expect(Set(tokens).count == 50)
        #expect(tokens.allSatisfy { $0.wholeMatch(of: pattern) != nil })
    }

    @Test(
        "says whose it is, whatever the id",
        arguments: ["hana", "00VHjA0kPq3ZsX1d", "はな", "a.b", String(repeating: "界", count: 128)])
    func named(id: String) throws {
        let token = SessionToken.Draw(.named, CountingRandomness()).token(of: .init(rawValue: id))
        let reference = try #require(SessionToken.reference(of: token.revealed, in: .native))
        #expect(reference.user?.rawValue == id)
        #expect(reference.digest == token.digest)
        #expect(SessionToken.digest(of: token.revealed) == token.digest)
        #expect(token.revealed.utf8.allSatisfy { (0x2d...0x7a).contains($0) })
    }

    @Test("from before tokens named users has a digest that begins with the time of its making")
    func timed() throws {
        let secret = String(repeating: "A", count: 42)
        let tokens = ["oks_AZ4b8gAA\(secret)E", "oks_AZ4b8gAB\(secret)E", "oks_AZ4b8gAB\(secret)I"]
        let digests = try tokens.map { try #require(SessionToken.digest(of: $0)) }
        #expect(digests[0].bytes.prefix(6) == [0x01, 0x9e, 0x1b, 0xf2, 0x00, 0x00])
        #expect(digests[1].bytes.prefix(6) == [0x01, 0x9e, 0x1b, 0xf2, 0x00, 0x01])
        #expect(Set(digests).count == 3)
        for (token, digest) in zip(tokens, digests) {
            #expect(SessionToken.reference(of: token, in: .native) == SessionToken.Reference(digest))
            #expect(digest.bytes.dropFirst(6) == SecretDigest(of: token.utf8).bytes.dropFirst(6))
        }
    }

    @Test(
        "that is of no such form has no digest",
        arguments: [
            "", "oks_", "oks", "oks_.", "oks_" + String(repeating: "A", count: 43),
            "oks_." + String(repeating: "A", count: 43), "oks_" + String(repeating: "A", count: 50),
            "oks_" + String(repeating: "A", count: 52), "oka_aGFuYQ." + String(repeating: "A", count: 43),
            "oks_aGFuYQ." + String(repeating: "A", count: 42), "oks_aGFuYQ." + String(repeating: "A", count: 44),
            "oks_%%%%%%%%" + String(repeating: "A", count: 43),
            "oks_" + String(repeating: "A", count: 701) + "." + String(repeating: "A", count: 43),
        ])
    func malformed(text: String) {
        #expect(SessionToken.digest(of: text) == nil)
        #expect(SessionToken.reference(of: text, in: .native) == nil)
    }

    @Test("that names nobody leads nowhere", arguments: ["%GFuYQ", "aGFuY", "_w", "gICA"])
    func nobody(coded: String) {
        let text = "oks_\(coded).\(String(repeating: "A", count: 43))"
        #expect(SessionToken.reference(of: text, in: .native) == nil)
    }

    @Test("counts as it stands there, sign by sign")
    func damaged() {
        let token = SessionToken.Draw(.named, CountingRandomness()).token(of: Self.hana)
        for position in 4..<token.revealed.utf8.count {
            var bytes = Array(token.revealed.utf8)
            bytes[position] = bytes[position] == 0x41 ? 0x42 : 0x41
            #expect(SessionToken.digest(of: String(decoding: bytes, as: UTF8.self)) != token.digest)
        }
    }

    @Test(
        "of another protocol may be any text of up to 4,096 bytes",
        arguments: [(0, false), (1, true), (4096, true), (4097, false)])
    func foreign(count: Int, isTaken: Bool) {
        let text = String(repeating: "x", count: count)
        #expect((SessionToken.digest(of: text, in: .single) != nil) == isTaken)
        #expect(SessionToken.digest(of: text, in: .native) == nil)
    }

    @Test(
        "that is good for a while says until when, to the second",
        arguments: [0, 1, 35, 36, 1_795_252_542, 253_402_300_799])
    func limited(seconds: Int64) throws {
        let token = SessionToken.Draw(.base64URL(byteCount: 32), CountingRandomness()).token(of: Self.hana)
        let end = try #require(Timestamp(exactly: seconds * 1000))
        let limited = SessionToken.limited(token, until: end + .milliseconds(999)).revealed
        #expect(limited.hasPrefix(token.revealed + "--"))
        #expect(SessionToken.end(of: limited) == end)
    }

    @Test(
        "has no end when it says none",
        arguments: [
            "", String(repeating: "x", count: 43), String(repeating: "x", count: 43) + "--",
            String(repeating: "x", count: 43) + "-x1", String(repeating: "x", count: 42) + "--1",
            String(repeating: "x", count: 43) + "---1", String(repeating: "x", count: 43) + "--1 ",
            String(repeating: "x", count: 43) + "--é", String(repeating: "x", count: 43) + "--zzzzzzzzzzzzz",
            String(repeating: "x", count: 43) + "--zzzzzzzzzz",
        ])
    func endless(text: String) { #expect(SessionToken.end(of: text) == nil) }
}
