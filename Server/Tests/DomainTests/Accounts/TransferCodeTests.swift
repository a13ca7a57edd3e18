import Domain
import TestWorld
import Testing

@Suite("A transfer code as people type it")
struct TransferCodeTests {
    let code = TransferCode(CountingRandomness())

    @Test("has four groups of four characters that nobody mistakes for each other")
    func form() {
        for seed in UInt64(0)..<200 {
            let shown = TransferCode(CountingRandomness(seed: seed)).grouped
            #expect(shown.split(separator: "-").map(\.count) == [4, 4, 4, 4])
            #expect(!shown.contains { "012IOLZSBUV58".contains($0) })
        }
    }

    @Test("is read in any case, with any spaces and hyphens, and in full width")
    func forgiving() {
        let shown = code.grouped
        let bare = shown.replacing("-", with: "")
        let wide = String(
            String.UnicodeScalarView(
                bare.unicodeScalars.map { Unicode.Scalar($0.value + 0xfee0) ?? $0 }))
        for typed in [
            shown, bare, shown.lowercased(), " \(shown)\n", shown.replacing("-", with: " "),
            shown.replacing("-", with: "\u{3000}"), shown.replacing("-", with: "ー"), shown.replacing("-", with: "－"),
            shown.replacing("-", with: "–"), shown.replacing("-", with: "−"), wide, wide.lowercased(),
            shown.replacing("-", with: "・"), bare.map { "\($0)\u{200b}" }.joined(),
        ] {
            #expect(TransferCode(typed: typed) == code, "\(typed)")
        }
    }

    @Test("is refused when one character is wrong, whichever it is")
    func oneWrong() {
        let characters = Array(code.grouped.utf8.filter { $0 != UInt8(ascii: "-") })
        for index in characters.indices {
            for other in TransferCode.alphabet where other != characters[index] {
                var wrong = characters
                wrong[index] = other
                #expect(TransferCode(typed: String(decoding: wrong, as: UTF8.self)) == nil)
            }
        }
    }

    @Test("is refused when two characters were exchanged, wherever they stand")
    func exchanged() {
        let characters = Array(code.grouped.utf8.filter { $0 != UInt8(ascii: "-") })
        for first in characters.indices {
            for second in characters.indices where characters[first] != characters[second] {
                var wrong = characters
                wrong.swapAt(first, second)
                #expect(TransferCode(typed: String(decoding: wrong, as: UTF8.self)) == nil)
            }
        }
    }

    @Test(
        "is refused when it is no code at all",
        arguments: [
            "", "-", "ABCD", "34AC-DEFG-HJKM-NPQ", "34AC-DEFG-HJKM-NPQRT", "O0I1-L5S8-B2ZU-VAAA",
            "\u{0}\u{1}\u{2}", "🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊", String(repeating: " ", count: 10_000), "аааа-аааа-аааа-аааа",
            "'; DROP TABLE--",
        ])
    func noCode(_ text: String) {
        #expect(TransferCode(typed: text) == nil)
    }

    @Test("has a last character that is right behind fifteen others, and behind no other number", arguments: 0...40)
    func length(others: Int) {
        for sign in TransferCode.alphabet {
            let start = [UInt8](repeating: sign, count: others)
            let right = TransferCode.alphabet.filter {
                TransferCode(typed: String(decoding: start + [$0], as: UTF8.self)) != nil
            }
            #expect(right.count == (others == 15 ? 1 : 0), "\(sign)")
        }
    }

    @Test("is read up to 256 bytes, however many separators stand in them", arguments: [19, 20, 255, 256, 257, 1000])
    func longest(bytes: Int) {
        let shown = code.grouped
        let spaces = String(repeating: " ", count: bytes - shown.utf8.count)
        for typed in [shown + spaces, spaces + shown, "\(shown.prefix(4))\(spaces)\(shown.dropFirst(4))"] {
            #expect((TransferCode(typed: typed) == code) == (bytes <= 256), "\(bytes)")
        }
    }

    @Test("uses every character of the alphabet about equally often")
    func distribution() {
        var counts: [Character: Int] = [:]
        let generator = CountingRandomness(seed: 5)
        for _ in 0..<2000 {
            for character in TransferCode(generator).grouped where character != "-" {
                counts[character, default: 0] += 1
            }
        }
        #expect(counts.count == TransferCode.alphabet.count)
        let expected = 2000 * 16 / TransferCode.alphabet.count
        #expect(counts.values.allSatisfy { abs($0 - expected) < expected / 5 }, "\(counts)")
    }

    @Test("never prints itself")
    func printing() {
        #expect("\(code)" == "‹secret›" && String(reflecting: code) == "‹secret›")
    }
}
