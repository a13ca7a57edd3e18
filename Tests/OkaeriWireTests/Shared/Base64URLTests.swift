import Testing

@_spi(Base64URL) import OkaeriWire

@Suite("Base64 for URLs")
struct Base64URLTests {
    @Test(
        "is that of RFC 4648 §10, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, text: String) {
        #expect(Base64URL.text(of: plain.utf8) == text)
        #expect(Base64URL.bytes(of: text.utf8) == Array(plain.utf8))
    }

    @Test("has the alphabet for addresses")
    func alphabet() {
        #expect(Base64URL.text(of: [0xfb, 0xff]) == "-_8")
        #expect(Base64URL.bytes(of: "-_8".utf8) == [0xfb, 0xff])
    }

    @Test("gives every byte back, alone and among others")
    func bytes() {
        for byte in UInt8.min...UInt8.max {
            for bytes in [[byte], [0, byte], [byte, 0xff, byte], [0xff, 0, 0xff, byte]] {
                #expect(Base64URL.bytes(of: Base64URL.text(of: bytes).utf8) == bytes)
            }
        }
    }

    @Test("is written alike from bytes that are in one piece and from those that are not", arguments: 0..<70)
    func pieces(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        #expect(Base64URL.text(of: AnySequence(bytes)) == Base64URL.text(of: bytes))
        #expect(Base64URL.bytes(of: AnyCollection(Array(Base64URL.text(of: bytes).utf8))) == bytes)
    }

    @Test(
        "is not read with padding, with the other alphabet, with spaces, with a lone last character",
        arguments: ["-_8=", "Zg==", "+/8", "Zm 9v", "Zm9v\n", "a", "Zm9vY", "=", "é", "\0\0"])
    func foreign(text: String) { #expect(Base64URL.bytes(of: text.utf8) == nil) }

    @Test("has one text for each value: bits that are left over are zero")
    func canonical() {
        let read = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".filter {
            Base64URL.bytes(of: "A\($0)".utf8) != nil
        }
        #expect(read == "AQgw")
    }
}
