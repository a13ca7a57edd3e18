import Domain
import Testing

/// Mail addresses and phone numbers, sign by sign and at both ends of each length.
@Suite("The forms of addresses and numbers")
struct AddressBoundTests {
    private static let alphanumerics = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test("take these signs of ASCII and no others in the name of a mailbox and in its domain", arguments: 0..<128)
    func signs(number: Int) throws {
        let scalar = try #require(Unicode.Scalar(UInt32(number)))
        let sign = String(Character(scalar))
        let isAlphanumeric = Self.alphanumerics.contains(sign)
        let isOfMailbox = isAlphanumeric || "!#$%&'*+-/=?^_`{|}~.".contains(sign)
        #expect((MailAddress("a\(sign)b@example.com") != nil) == isOfMailbox)
        #expect((MailAddress("a@b\(sign)c.example") != nil) == (isAlphanumeric || sign == "-" || sign == "."))
        // A dot stands between words, and a hyphen within a label.
        let stands = isOfMailbox && sign != "."
        for mailbox in ["\(sign)b", "b\(sign)"] where sign != " " && sign != "\t" {
            #expect((MailAddress("\(mailbox)@example.com") != nil) == stands)
        }
        for label in ["\(sign)b", "b\(sign)"] {
            #expect((MailAddress("a@\(label).example") != nil) == isAlphanumeric)
        }
    }

    @Test(
        "have dots behind each other and before the @ where carriers of Japan gave them out",
        arguments: [
            ("hana..ko@docomo.ne.jp", true), ("hana.@ezweb.ne.jp", true), ("hana...@au.com", true),
            ("HANA..KO@DOCOMO.NE.JP", true), (".hana@docomo.ne.jp", false), ("..@docomo.ne.jp", false),
            ("ha<na..@docomo.ne.jp", false), ("hana..ko@example.com", false), ("hana.@mail.docomo.ne.jp", false),
        ])
    func carriers(text: String, isTaken: Bool) {
        #expect((MailAddress(text) != nil) == isTaken)
        let typed = LogInIdentifier(.email, shown: text)
        #expect(typed.isSame(as: LogInIdentifier(.email, shown: text.lowercased())))
        // To the carriers it is another mailbox than that with one dot.
        let single = text.replacing("..", with: ".")
        #expect(single == text || !typed.isSame(as: LogInIdentifier(.email, shown: single)))
    }

    @Test("have a mailbox of up to 64 bytes", arguments: [0, 1, 2, 63, 64, 65, 200])
    func mailbox(count: Int) {
        #expect((MailAddress(Self.text(count) + "@example.com") != nil) == (1...64).contains(count))
    }

    @Test("have labels of up to 63 bytes", arguments: [0, 1, 62, 63, 64, 100])
    func label(count: Int) {
        let isTaken = (1...63).contains(count)
        #expect((MailAddress("a@\(Self.text(count)).example") != nil) == isTaken)
        #expect((MailAddress("a@example.\(Self.text(count))") != nil) == isTaken)
    }

    @Test("have 254 bytes at the most, spaces around them aside", arguments: [188, 189, 190])
    func whole(domain: Int) {
        let domain = [Self.text(63), Self.text(63), Self.text(domain - 128)].joined(separator: ".")
        let address = "\(Self.text(64))@\(domain)"
        let isTaken = address.utf8.count <= 254
        #expect((MailAddress(address) != nil) == isTaken)
        #expect((MailAddress("  \(address)  ")?.text == address) == isTaken)
    }

    @Test(
        "have two labels at least, the last of which is no number",
        arguments: [
            ("a@example", false), ("a@b.c", true), ("a@b.c.d", true), ("a@1.2", false), ("a@b.2", false),
            ("a@1.b", true), ("a@b.2c", true), ("a@b.c2", true), ("a@b.", false), ("a@.b", false), ("a@b..c", false),
        ])
    func labels(text: String, isTaken: Bool) { #expect((MailAddress(text) != nil) == isTaken) }

    @Test("are numbers of 7 to 15 digits", arguments: 0...20)
    func digits(count: Int) {
        let text = "+" + String(repeating: "1", count: count)
        #expect(PhoneNumber(text)?.text == ((7...15).contains(count) ? text : nil))
        // Without a sign, or with two, they are none.
        #expect(PhoneNumber(String(text.dropFirst())) == nil && PhoneNumber("+" + text) == nil)
    }

    @Test("are numbers whose first digit is not 0", arguments: 0...9)
    func firstDigit(digit: Int) {
        #expect((PhoneNumber("+\(digit)123456789") != nil) == (digit != 0))
        #expect(PhoneNumber("+1\(digit)3456789")?.text == "+1\(digit)3456789")
    }

    @Test("are numbers of up to forty signs, with what people write between the digits", arguments: [38, 39, 40, 41])
    func separators(count: Int) {
        for sign in [" ", "-", ".", "(", ")", "/", "‐", "–", "—", "−", "ー", "・"] {
            let text = "+8190" + String(repeating: sign, count: count - 9) + "1234"
            #expect(PhoneNumber(text)?.text == (count <= 40 ? "+81901234" : nil), "\(sign)")
        }
        for sign in ["_", "x", ":", "+", "*", "#", ","] { #expect(PhoneNumber("+8190\(sign)123456") == nil, "\(sign)") }
    }
}
