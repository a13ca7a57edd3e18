import Domain
import OutboundServices
import Testing

@Suite("The words of mails")
struct MailTemplateTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)
    private static let id = Identifier<QueuedMail>(rawValue: "0000000000000001")

    private static func application(_ name: String = "花アプリ", _ mail: MailSettings = MailSettings()) -> Application {
        Application(
            id: Identifier(rawValue: "app"), name: name, adminKeyDigest: SecretDigest(of: []),
            settings: ApplicationSettings(mail: mail), createdAt: now)
    }

    private static func rendered(_ kind: MailKind, _ languages: [String] = ["ja"]) -> RenderedMessage {
        RenderedMessage(
            kind: kind, recipient: "hana@example.com", languages: languages, code: "1234 5678", minutes: 10,
            email: "hana@example.com")
    }

    private static func message(
        _ rendered: RenderedMessage, from application: Application = application()
    ) -> MailMessage {
        rendered.message(id: id, from: application, writtenAt: now, by: HTMLMailRenderer())
    }

    @Test("say everything in every language", arguments: MailKind.allCases, MailLanguage.allCases)
    func allTexts(kind: MailKind, language: MailLanguage) {
        for settings in [
            MailSettings(), MailSettings(verificationURL: "https://a.example/v", resetURL: "https://a.example/r?x=1"),
        ] {
            let message = Self.message(
                Self.rendered(kind, [language.rawValue]), from: Self.application("花アプリ", settings))
            #expect(message.language == language.rawValue)
            #expect(message.subject.contains("花アプリ"))
            #expect(!message.subject.contains("1234"))
            for text in [message.text, message.html] {
                #expect(!text.contains("{{") && !text.contains("}}"))
                if kind.hasSecret { #expect(text.contains("1234 5678")) }
                // A password has no end.
                let ends = kind.hasSecret && ![.chosenPassword, .textedPassword].contains(kind)
                if ends { #expect(text.contains("10")) }
            }
            #expect(message.html.hasPrefix("<!DOCTYPE html>"))
            #expect(message.html.contains(#"<html lang="\#(language.rawValue)">"#))
        }
    }

    @Test("are filled in whatever sign joins a brace", arguments: ["\u{301}", "\u{FE0F}", "\u{600}"])
    func joinedBraces(sign: String) {
        let filled = MailTemplate.fill("\(sign){{ code }}\(sign)") { $0 == .code ? "1234" : "" }
        #expect(filled.utf8.elementsEqual("\(sign)1234\(sign)".utf8))
    }

    @Test("say what the code is for that stands beside the link to a new password", arguments: MailLanguage.allCases)
    func codeBesideLink(language: MailLanguage) {
        var reset = Self.rendered(.passwordReset, [language.rawValue])
        reset.pages = "https://id.example.com/a/app"
        let paragraphs = Self.message(reset).text.replacing("\r\n", with: "\n").split(separator: "\n\n")
        let link = paragraphs.firstIndex { $0.hasPrefix("https://id.example.com/a/app/reset?token=") }
        let code = paragraphs.firstIndex(of: "1234 5678")
        #expect(link != nil && link.map { $0 + 2 } == code, "\(paragraphs)")
        // An application's own page takes the token of its link, and needs no code.
        let own = Self.message(reset, from: Self.application("花アプリ", MailSettings(resetURL: "https://a.example/r")))
        #expect(!own.text.split(whereSeparator: \.isNewline).contains("1234 5678"))
    }

    @Test("name the page that restores an account, and the providers that lead to it", arguments: MailLanguage.allCases)
    func furtherWords(language: MailLanguage) {
        let pages = "https://id.example.com/a/app"
        var deletion = RenderedMessage(
            kind: .deletionRequested, recipient: "hana@example.com", languages: [language.rawValue])
        #expect(!Self.message(deletion).text.contains("/log-in"))
        deletion.pages = pages
        var password = RenderedMessage(
            kind: .passwordChanged, recipient: "hana@example.com", languages: [language.rawValue])
        (password.linked, password.pages) = (["Google", "Yahoo! JAPAN ID"], pages)
        for (mail, words) in [
            (Self.message(deletion), ["\(pages)/log-in"]),
            (Self.message(password), ["\(pages)/account", "Google", "Yahoo! JAPAN ID"]),
        ] {
            for word in words { #expect(mail.text.contains(word) && mail.html.contains(word), "\(word)") }
        }
        password.pages = nil
        let alone = Self.message(password).text
        #expect(alone.contains("Google") && !alone.contains("https://"))
    }

    @Test(
        "stand in a mail whatever separator of lines came along with a name or a subject that was pasted",
        arguments: ["\u{2028}", "\u{2029}", "\u{85}"])
    func separators(separator: String) throws {
        let names = [
            Self.application("花\(separator)アプリ"),
            Self.application("花", MailSettings(senderName: "花\(separator)アプリ")),
            Self.application(
                "花",
                MailSettings(templates: [
                    .logInCode: [
                        .japanese: MailTemplate(subject: "花\(separator)アプリ", text: "{{code}}\(separator){{email}}")
                    ]
                ])),
        ]
        for application in names {
            let message = Self.message(Self.rendered(.logInCode), from: application)
            #expect([message.senderName, message.subject].contains { $0.contains("花 アプリ") })
            #expect(throws: Never.self) { try MIMEMessage(message, from: "noreply@example.com") }
        }
    }

    @Test(
        "are in the first language that they know, else in English",
        arguments: [
            (["ko-KR", "ja"], MailLanguage.korean), (["fr", "ja-JP", "ko"], .japanese), (["JA"], .japanese),
            (["en-GB"], .english), ([], .english), (["fr", "de"], .english), (["jav", "kok"], .english),
            (["ko_KR"], .korean), ([""], .english),
        ])
    func languages(tags: [String], language: MailLanguage) {
        #expect(MailLanguage.best(of: tags) == language)
    }

    @Test(
        "say how long they are good as people say it, and own words as they want it",
        arguments: [
            (MailLanguage.english, 1440, "good for 24 hours and"), (.english, 60, "good for 1 hour and"),
            (.english, 10, "good for 10 minutes and"), (.japanese, 1440, "有効期間は24時間で"),
            (.japanese, 60, "有効期間は1時間で"), (.korean, 1440, "24시간 동안"), (.korean, 90, "1시간 30분 동안"),
        ])
    func duration(language: MailLanguage, minutes: Int, words: String) {
        var rendered = Self.rendered(.registration, [language.rawValue])
        rendered.minutes = minutes
        #expect(Self.message(rendered).text.contains(words))
        let own = MailTemplate(subject: "s", text: "{{code}} {{minutes}} / {{duration}}")
        let settings = MailSettings(templates: [.registration: [language: own]])
        #expect(settings.faults().isEmpty)
        let text = Self.message(rendered, from: Self.application("App", settings)).text
        #expect(text.hasPrefix("1234 5678 \(minutes) / ") && !text.hasSuffix(" / "))
    }

    @Test("lead to the application's pages")
    func links() {
        let settings = MailSettings(verificationURL: "https://a.example/v", resetURL: "https://a.example/r?x=1")
        var rendered = Self.rendered(.passwordReset)
        rendered.code = "ABCD-EFGH"
        let reset = Self.message(rendered, from: Self.application("App", settings))
        #expect(reset.text.contains("https://a.example/r?x=1&token=ABCD-EFGH\n"))
        #expect(reset.html.contains(#"<a href="https://a.example/r?x=1&amp;token=ABCD-EFGH">"#))
        rendered.kind = .emailVerification
        #expect(
            Self.message(rendered, from: Self.application("App", settings)).text.contains(
                "https://a.example/v?token=ABCD-EFGH\n"))
    }

    @Test("keep values out of the markup")
    func escaping() {
        let name = #"<script>alert("1")</script> & 'co' {{code}}"#
        let message = Self.message(Self.rendered(.logInCode), from: Self.application(name))
        #expect(!message.html.contains("<script>"))
        #expect(
            message.html.contains(
                "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39; {{code}}"))
        #expect(message.text.contains(name))
        #expect(message.subject.contains("{{code}}"), "a value is no template")
        let own = MailTemplate(subject: "s", text: "{{code}}", html: "<b>{{ application }}</b>{{code}}")
        let settings = MailSettings(templates: [.logInCode: [.japanese: own]])
        #expect(
            Self.message(Self.rendered(.logInCode), from: Self.application("<i>", settings)).html
                == "<b>&lt;i&gt;</b>1234 5678")
    }

    @Test("put no line breaks of names into the subject")
    func subjectLines() {
        let message = Self.message(Self.rendered(.logInCode), from: Self.application("a\r\nBcc: eve@example.com"))
        #expect(!message.subject.contains { $0.isNewline })
    }

    @Test("are the application's own where it has some, in that language alone")
    func ownTemplates() {
        let own = MailTemplate(subject: "いらっしゃい", text: "どうぞ <{{code}}>\n\n二段落")
        let linked = MailTemplate(subject: "r", text: "{{link}}")
        let application = Self.application(
            "App", MailSettings(templates: [.logInCode: [.japanese: own], .passwordReset: [.japanese: linked]]))
        let message = Self.message(Self.rendered(.logInCode), from: application)
        #expect(message.subject == "いらっしゃい")
        #expect(message.text == "どうぞ <1234 5678>\n\n二段落")
        #expect(message.html.contains("<p>どうぞ &lt;<strong") && message.html.contains("<p>二段落</p>"))
        #expect(Self.message(Self.rendered(.logInCode, ["ko"]), from: application).subject.contains("로그인"))
        let withoutPage = Self.message(Self.rendered(.passwordReset), from: application)
        #expect(withoutPage.text.contains("1234 5678"), "a template that wants a link is no use without a page")
    }

    @Test(
        "are refused when they would not work",
        arguments: [
            (MailTemplate(subject: "s", text: "no code"), "text", ValidationError.Rule.secretMissing),
            (MailTemplate(subject: "s", text: "{{code}}", html: "<p>"), "html", .secretMissing),
            (MailTemplate(subject: "{{code}}", text: "{{code}}"), "subject", .secretInSubject),
            (MailTemplate(subject: "s", text: "{{code}} {{password}}"), "text", .unknownPlaceholder),
            (MailTemplate(subject: "a\nb", text: "{{code}}"), "subject", .controlCharacter),
            (MailTemplate(subject: "", text: "{{code}}"), "subject", .empty),
            (MailTemplate(subject: "s", text: ""), "text", .empty),
            (MailTemplate(subject: "s", text: "{{code}}\u{0}"), "text", .controlCharacter),
            (
                MailTemplate(subject: "s", text: "{{code}}" + String(repeating: "a", count: 20_000)), "text",
                .tooLong(maximumCharacters: 20_000)
            ),
        ])
    func refusedTemplates(template: MailTemplate, part: String, rule: ValidationError.Rule) {
        let settings = MailSettings(templates: [.logInCode: [.korean: template]])
        #expect(
            settings.faults().contains(ValidationError(field: "mail.templates.log-in-code.ko.\(part)", rule: rule)),
            "\(settings.faults())")
    }

    @Test(
        "lead to pages and to apps, and run nothing",
        arguments: [
            ("https://app.example.com/reset", true), ("https://app.example.com/r?a=1", true),
            ("com.example.app://reset", true), ("http://localhost:3000/r", true), ("http://example.com/r", false),
            ("javascript:alert(1)", false), ("JavaScript:alert(1)", false), ("data:text/html,x", false), ("", false),
            ("reset", false), ("https://", false), ("https://a.example/#t", false), ("https://u:p@a.example/", false),
            ("https://a.example/\r\nX: y", false), ("https://a.example/<x>", false), ("https://花.example/", false),
        ])
    func linkRules(link: String, isAllowed: Bool) {
        #expect(MailSettings(resetURL: link).faults().isEmpty == isAllowed, "\(link)")
        #expect(MailSettings(verificationURL: link).faults().isEmpty == isAllowed, "\(link)")
    }
}
