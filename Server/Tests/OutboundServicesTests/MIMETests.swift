import Domain
import Foundation
import OutboundServices
import TestMailServer
import Testing

@Suite("A mail as it is sent")
struct MIMETests {
    private static func message(
        subject: String = "Subject", sender: String = "Okaeri", recipient: String = "hana@example.com",
        text: String = "text", html: String = "<p>html</p>", id: String = "0000000000000001"
    ) -> MailMessage {
        MailMessage(
            id: id, senderName: sender, recipient: recipient, subject: subject, text: text, html: html,
            language: "ja", writtenAt: Timestamp(milliseconds: 1_795_252_542_000))
    }

    private static func read(_ message: MailMessage) throws -> (lines: [String], mail: ReceivedMail) {
        let bytes = try MIMEMessage(message, from: "noreply@example.com").bytes
        let text = String(decoding: bytes, as: UTF8.self)
        return (text.components(separatedBy: "\r\n"), ReceivedMail(bytes: Data(bytes)))
    }

    @Test("has what a mail must have")
    func headers() throws {
        let (_, mail) = try Self.read(Self.message())
        #expect(mail.headers["from"] == #""Okaeri" <noreply@example.com>"#)
        #expect(mail.headers["to"] == "<hana@example.com>")
        #expect(mail.headers["date"] == "Sat, 21 Nov 2026 09:15:42 +0000")
        #expect(mail.headers["message-id"] == "<0000000000000001@example.com>")
        #expect(mail.headers["mime-version"] == "1.0")
        #expect(mail.headers["auto-submitted"] == "auto-generated")
    }

    @Test(
        "carries any text in subject, sender and both parts",
        arguments: [
            "plain", "パスワードの再設定のご案内をお送りします。どうぞよろしくお願いいたします。", "비밀번호 재설정 안내 메일입니다",
            "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "=?utf-8?B?aGk=?=", #"quotes " and \ and <brackets>, commas"#,
            String(repeating: "long ", count: 60),
        ])
    func anyText(text: String) throws {
        let (lines, mail) = try Self.read(Self.message(subject: text, sender: text, text: text, html: text))
        #expect(mail.subject == text.trimmingCharacters(in: .whitespaces) || mail.subject == text)
        #expect(mail.text == text)
        #expect(mail.html == text)
        let sender = mail.sender.replacing(#"\""#, with: #"""#).replacing(#"\\"#, with: #"\"#)
        #expect(sender.contains(text), "\(sender)")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
    }

    @Test("keeps lines, also those that a mail server would take for the end")
    func hostileBody() throws {
        let (lines, mail) = try Self.read(Self.message(text: "one\n.\r\n\r.two\nQUIT\n--=_okaeri_0000000000000001--"))
        #expect(mail.text == "one\r\n.\r\n\r\n.two\r\nQUIT\r\n--=_okaeri_0000000000000001--")
        #expect(lines.filter { $0.hasPrefix("--=_okaeri_") }.count == 3)
        #expect(!lines.contains("."))
    }

    @Test(
        "refuses what would begin a header or a command of its own",
        arguments: ["a\r\nBcc: eve@example.com", "a\nb", "a\rb", "a\u{0}b", "a\u{85}b", "a\u{2028}b", "a\u{7f}b"])
    func injection(text: String) {
        for message in [
            Self.message(subject: text), Self.message(sender: text), Self.message(recipient: "\(text)@example.com"),
            Self.message(id: text),
        ] {
            #expect(throws: MIMEMessage.Refusal.self) { try MIMEMessage(message, from: "noreply@example.com") }
        }
        #expect(throws: MIMEMessage.Refusal(field: "sender")) {
            try MIMEMessage(Self.message(), from: "\(text)@example.com")
        }
    }

    @Test(
        "refuses recipients that are not one address",
        arguments: [
            "", "hana", "@example.com", "hana@", "a@b@c", "a@\u{301}b@c", "a@b\u{600}@c",
            "hana@example.com,eve@example.com", "<hana@example.com>",
            "hana@example.com> NOTIFY=SUCCESS", "hana example@example.com", "hana@exam ple.com", "\"a\"@example.com",
            String(repeating: "a", count: 400) + "@example.com",
        ])
    func recipients(recipient: String) {
        #expect(throws: MIMEMessage.Refusal(field: "recipient")) {
            try MIMEMessage(Self.message(recipient: recipient), from: "noreply@example.com")
        }
    }

    @Test(
        "goes to an address with dots between no words in quotation marks",
        arguments: [
            ("hana..ko@docomo.ne.jp", #""hana..ko"@docomo.ne.jp"#), ("hana.@ezweb.ne.jp", #""hana."@ezweb.ne.jp"#),
            ("hana.ko@docomo.ne.jp", "hana.ko@docomo.ne.jp"),
        ])
    func dots(recipient: String, sent: String) throws {
        let message = Self.message(recipient: recipient)
        #expect(try MIMEMessage(message, from: "noreply@example.com").recipient == sent)
        #expect(try Self.read(message).mail.headers["to"] == "<\(sent)>")
    }

    @Test("survives ten thousand random subjects, and never lets one out of its header")
    func randomSubjects() throws {
        var generator = SystemRandomNumberGenerator()
        let scalars = (0..<10_000).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2ffff, using: &generator)) }
        for start in stride(from: 0, to: scalars.count - 8, by: 8) {
            let subject = String(String.UnicodeScalarView(scalars[start..<start + 8]))
            do {
                let (lines, mail) = try Self.read(Self.message(subject: subject))
                #expect(lines.filter { $0.hasPrefix("Subject:") }.count == 1)
                #expect(mail.subject.unicodeScalars.elementsEqual(subject.unicodeScalars), "\(Array(subject.utf8))")
            } catch is MIMEMessage.Refusal {
                #expect(
                    subject.unicodeScalars.contains { scalar in
                        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                    })
            }
        }
    }
}
