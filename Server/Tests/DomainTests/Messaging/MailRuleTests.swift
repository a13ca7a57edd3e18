import Domain
import Foundation
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@Suite("Rules of an application's mails")
struct MailRuleTests {
    private static func faults(_ kind: MailKind, _ template: MailTemplate) -> [String: ValidationError.Rule] {
        Dictionary(
            template.faults(for: kind, field: "t").map { ($0.field, $0.rule) }, uniquingKeysWith: { first, _ in first })
    }

    @Test("let a template say what its kind is for", arguments: MailKind.allCases)
    func good(kind: MailKind) {
        for text in [
            "Your code: {{code}}", "{{ link }}", "Hello\n\t{{application}}: {{code}}, {{minutes}} min, {{email}}\r\n",
        ] {
            #expect(Self.faults(kind, MailTemplate(subject: "Hello {{application}}", text: text)) == [:])
            #expect(Self.faults(kind, MailTemplate(subject: "Hello", text: text, html: "<p>\(text)</p>")) == [:])
        }
    }

    @Test("keep the secret in the text, and out of what a locked screen shows", arguments: MailKind.allCases)
    func secret(kind: MailKind) {
        let missing: [String: ValidationError.Rule] =
            kind.hasSecret ? ["t.text": .secretMissing, "t.html": .secretMissing] : [:]
        #expect(Self.faults(kind, MailTemplate(subject: "Hello", text: "no more")) == missing)
        #expect(
            Self.faults(kind, MailTemplate(subject: "Hello", text: "no more {code} {{ cod e", html: nil)) == missing)
        let inText = Self.faults(kind, MailTemplate(subject: "Hello", text: "{{code}}", html: "<p></p>"))
        #expect(inText == (kind.hasSecret ? ["t.html": .secretMissing] : [:]))
        let inMarkup = Self.faults(kind, MailTemplate(subject: "Hello", text: "x", html: "{{link}}"))
        #expect(inMarkup == (kind.hasSecret ? ["t.text": .secretMissing] : [:]))
        for subject in ["{{code}}", "See {{link}}", "{{ code }}"] {
            #expect(
                Self.faults(kind, MailTemplate(subject: subject, text: "{{code}}")) == ["t.subject": .secretInSubject])
        }
    }

    @Test("know six names in braces, and no others", arguments: ["", "Code", "password", "{code", "codes", "花"])
    func names(name: String) {
        let known = MailValue.allCases.map(\.rawValue)
        #expect(Set(known) == ["application", "code", "link", "minutes", "duration", "email"])
        let faults = Self.faults(
            .passwordChanged, MailTemplate(subject: "{{\(name)}}", text: "{{\(name)}}", html: "{{\(name)}}"))
        #expect(
            faults == ["t.subject": .unknownPlaceholder, "t.text": .unknownPlaceholder, "t.html": .unknownPlaceholder])
    }

    @Test(
        "limit lengths, by characters and for each part",
        arguments: [
            (MailKind.passwordReset, 20_000), (.phoneVerification, 300), (.textedReset, 300), (.logInCode, 20_000),
        ])
    func lengths(kind: MailKind, maximum: Int) {
        func text(_ count: Int) -> String { "{{code}}" + String(repeating: "花", count: count - 8) }
        #expect(Self.faults(kind, MailTemplate(subject: "s", text: text(maximum))) == [:])
        #expect(
            Self.faults(kind, MailTemplate(subject: "s", text: text(maximum + 1)))
                == ["t.text": .tooLong(maximumCharacters: maximum)])
        #expect(Self.faults(kind, MailTemplate(subject: "s", text: text(20), html: text(100_000))) == [:])
        #expect(
            Self.faults(kind, MailTemplate(subject: "s", text: text(20), html: text(100_001)))
                == ["t.html": .tooLong(maximumCharacters: 100_000)])
        let subject = String(repeating: "花", count: 200)
        #expect(Self.faults(kind, MailTemplate(subject: subject, text: text(20))) == [:])
        #expect(
            Self.faults(kind, MailTemplate(subject: subject + "花", text: text(20)))
                == ["t.subject": .tooLong(maximumCharacters: 200)])
        #expect(Self.faults(kind, MailTemplate(subject: "", text: text(20))) == ["t.subject": .empty])
        #expect(Self.faults(kind, MailTemplate(subject: "a\nb", text: text(20))) == ["t.subject": .controlCharacter])
        #expect(Self.faults(kind, MailTemplate(subject: "s", text: "{{code}}\u{1}")) == ["t.text": .controlCharacter])
        #expect(
            Self.faults(kind, MailTemplate(subject: "s", text: text(20), html: "\0{{code}}")) == [
                "t.html": .controlCharacter
            ])
    }

    @Test("look at nothing else in a template that is too long", arguments: MailKind.allCases)
    func excess(kind: MailKind) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let field = "mail.templates.\(kind.rawValue).ko"
        let long = MailTemplate(
            subject: "{{link}}\n" + String(repeating: "x", count: 200),
            text: "https://evil.example/{{code}}\0" + String(repeating: "x", count: 20_000),
            html: "<img src='https://evil.example/{{code}}'>{{x}}" + String(repeating: "花", count: 100_000))
        let refused = await world.refusal {
            try await world.modules.messaging.changeMailSettings(of: application.id, by: .local) {
                $0.templates[kind, default: [:]][.korean] = long
            }
        }
        let maximum = kind.isText ? 300 : 20_000
        let expected = [("subject", 200), ("text", maximum), ("html", 100_000)].map {
            ValidationError(field: "\(field).\($0)", rule: .tooLong(maximumCharacters: $1))
        }
        #expect(refused == .fieldsRefused(expected))
    }

    /// They were scanned in the transaction, which all changes wait for.
    @Test("are looked through before the transaction that stores them, and not again when something else changes")
    func beforeTransaction() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let change = world.modules.messaging.changeMailSettings
        func times(
            _ work: @escaping @Sendable (inout MailSettings) -> Void
        ) async throws -> (before: Duration, within: Duration) {
            let begun = Mutex<ContinuousClock.Instant?>(nil)
            let start = ContinuousClock.now
            let changed = try await change(
                of: application.id,
                isCurrent: { _ in
                    begun.withLock { $0 = .now }
                    return true
                }, by: .local, work)
            let (end, inside) = (ContinuousClock.now, try #require(begun.withLock { $0 }))
            #expect(changed.settings.mail.templates.count == 4)
            return (start.duration(to: inside), inside.duration(to: end))
        }
        var (isBefore, isLeftOut) = (false, false)
        // A machine that stands still does so once.
        for number in 0..<5 where !isBefore || !isLeftOut {
            let words = "\(number) {{code}}" + String(repeating: " <i class='a'>b</i>", count: 5_200)
            let template = MailTemplate(subject: "s", text: String(words.prefix(19_000)), html: words)
            let new = try await times { mail in
                for kind in [MailKind.passwordReset, .registration, .emailVerification, .logInCode] {
                    mail.templates[kind] = [.english: template]
                }
            }
            let other = try await times { $0.senderName = "Sender \(number)" }
            isBefore = isBefore || new.within < new.before
            isLeftOut = isLeftOut || other.before + other.within < new.before
        }
        #expect(isBefore)
        #expect(isLeftOut)
    }

    @Test("let a value stand a hundred times in a part, so that no mail is many times as long as its template")
    func counts() {
        for name in ["link", "application", "x"] {
            let words = "{{code}} " + String(repeating: "{{\(name)}} ", count: MailTemplate.maximumNames)
            let faults = MailTemplate(subject: "s", text: words, html: words).faults(for: .passwordReset, field: "t")
            let count = faults.filter { $0.rule == .tooManyFields(maximum: MailTemplate.maximumNames) }.map(\.field)
            #expect(count == ["t.text", "t.html"])
        }
        let most = String(repeating: "{{link}} ", count: MailTemplate.maximumNames)
        #expect(Self.faults(.passwordReset, MailTemplate(subject: "s", text: most, html: most)) == [:])
    }

    @Test("bound the own words of all mails together, and let those of before be changed as long as they do not grow")
    func together() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let change = world.modules.messaging.changeMailSettings
        let long = MailTemplate(subject: "s", text: "x", html: String(repeating: "花", count: 99_000))
        let kinds = MailKind.allCases.filter { !$0.hasSecret }
        for kind in kinds.prefix(3) {
            try await change(of: application.id, by: .local) { $0.templates[kind] = [.korean: long] }
        }
        let maximum = MailSettings.maximumWordsBytes
        let refused = await world.refusal {
            try await change(of: application.id, by: .local) { $0.templates[kinds[3]] = [.korean: long] }
        }
        #expect(
            refused
                == .fieldsRefused([ValidationError(field: "mail.templates", rule: .tooManyBytes(maximum: maximum))]))
        // An older program has stored more.
        let id = application.id
        try await world.engine.write { transaction throws(DomainError) in
            guard var stored = try transaction.application(id) else { throw .applicationUnknown }
            for kind in kinds { stored.settings.mail.templates[kind] = [.english: long] }
            try transaction.update(stored)
        }
        for template in [MailTemplate(subject: "s", text: "short"), nil] {
            _ = try await change(of: id, by: .local) { $0.templates[kinds[0]]?[.english] = template }
        }
        let grown = await world.refusal {
            try await change(of: id, by: .local) { $0.templates[kinds[0], default: [:]][.english] = long }
        }
        #expect(grown == refused)
        #expect(try await change(of: id, by: .local) { $0.senderName = "Okaeri" }.settings.mail.senderName == "Okaeri")
    }

    @Test(
        "fill in values once, and leave all else as it stands",
        arguments: [
            ("{{code}}", "<code>"), ("a{{code}}b{{ link }}c", "a<code>b<link>c"), ("{{code}}{{code}}", "<code><code>"),
            ("{{unknown}}x", "x"), ("{{code", "{{code"), ("code}}", "code}}"), ("{{{code}}}", "}"), ("", ""),
            ("{{code}} }} {{", "<code> }} {{"), ("{ {code} }", "{ {code} }"), ("{{}}", ""),
        ])
    func fill(template: String, filled: String) {
        // What a value says is not filled in again.
        #expect(MailTemplate.fill(template) { "<\($0.rawValue)>" } == filled)
        let again = MailTemplate.fill(template) { _ in "{{email}}" }
        #expect(again == filled.replacing("<code>", with: "{{email}}").replacing("<link>", with: "{{email}}"))
    }

    @Test(
        "let a token stand behind an address that leads somewhere",
        arguments: [
            ("https://app.example/verify", true), ("https://app.example?x=1", true), ("HTTPS://app.example/", true),
            ("http://localhost:8080/verify", true), ("http://127.0.0.1/", true), ("com.example.app:/verify", true),
            ("myapp://verify", true),
            ("http://app.example/", false), ("https://", false), ("https:///x", false), ("javascript:alert(1)", false),
            ("JavaScript:x", false), ("data:text/html,x", false), ("vbscript:x", false), ("file:///etc", false),
            ("blob:x", false), ("about:blank", false), ("/verify", false), ("https://app.example/#x", false),
            ("https://u@app.example/", false), ("https://app.example/a b", false), ("https://app.example/\"", false),
            ("https://app.example/<", false), ("https://app.example/'", false), ("https://app.example/花", false),
        ])
    func links(link: String, isTaken: Bool) {
        for settings in [MailSettings(verificationURL: link), MailSettings(resetURL: link)] {
            let field = settings.resetURL == nil ? "mail.verificationURL" : "mail.resetURL"
            #expect(settings.faults() == (isTaken ? [] : [ValidationError(field: field, rule: .notALink)]), "\(link)")
        }
    }

    @Test("keep a link of before that is refused now, send nobody there, and judge what comes anew")
    func refusedLinks() {
        let before = MailSettings(verificationURL: "javascript:x", resetURL: "https://app.example/#x")
        var after = before
        after.senderName = "Star team"
        #expect(after.faults(since: before).isEmpty)
        after.resetURL = "https://app.example/#y"
        #expect(after.faults(since: before) == [ValidationError(field: "mail.resetURL", rule: .notALink)])
        for kind in [MailKind.emailVerification, .passwordReset, .registration] {
            #expect(before.link(for: kind, token: "T") == nil)
            #expect(
                before.link(for: kind, token: "T", pages: "https://id.example/p")
                    == MailSettings().link(for: kind, token: "T", pages: "https://id.example/p"))
        }
    }

    @Test("name the template and the language of a fault, and limit the sender's name and links")
    func settings() {
        let bad = MailTemplate(subject: "", text: "{{code}}")
        let settings = MailSettings(
            senderName: String(repeating: "x", count: 101),
            templates: [.passwordReset: [.korean: bad, .japanese: bad], .logInCode: [.english: bad]])
        #expect(
            settings.faults().map(\.field) == [
                "mail.senderName", "mail.templates.log-in-code.en.subject", "mail.templates.password-reset.ja.subject",
                "mail.templates.password-reset.ko.subject",
            ])
        #expect(MailSettings(senderName: String(repeating: "x", count: 100)).faults().isEmpty)
        let longest = "https://app.example/" + String(repeating: "x", count: 480)
        #expect(MailSettings(resetURL: longest).faults().isEmpty)
        #expect(MailSettings(resetURL: longest + "x").faults().map(\.rule) == [.tooLong(maximumCharacters: 500)])
    }

    @Test("send people to the application's own page before the server's", arguments: MailKind.allCases)
    func pages(kind: MailKind) {
        let own = MailSettings(verificationURL: "https://a.example/v", resetURL: "https://a.example/r?x=1")
        let (links, served): (String?, String?) =
            switch kind {
            case .emailVerification: ("https://a.example/v?token=T", "https://id.example/p/verify?token=T")
            case .passwordReset: ("https://a.example/r?x=1&token=T", "https://id.example/p/reset?token=T")
            case .registration: ("https://a.example/r?x=1&token=T", "https://id.example/p/register?token=T")
            case .emailRecovery: (nil, "https://id.example/p/recover?token=T")
            case .textedReset: (nil, "https://id.example/p/reset?token=T")
            default: (nil, nil)
            }
        #expect(own.link(for: kind, token: "T") == links)
        #expect(own.link(for: kind, token: "T", pages: "https://id.example/p") == links ?? served)
        #expect(MailSettings().link(for: kind, token: "T", pages: "https://id.example/p") == served)
        #expect(MailSettings().link(for: kind, token: "T") == nil)
    }
}

@Suite("The form of a code")
struct CodeFormTests {
    @Test(
        "fits its kind: what is typed within minutes is short, what is copied is long", arguments: MailKind.allCases,
        [true, false])
    func life(kind: MailKind, hasLink: Bool) {
        let form = CodeForm.form(of: kind, hasLink: hasLink)
        switch form {
        case .digits(let count):
            // Requirement 9.
            #expect(form.life == .seconds(600) && [6, 8].contains(count))
        case .token(let life):
            // Requirement 13: 140 bits.
            #expect(form.life == life && [.seconds(3600), .days(1), .days(7)].contains(life))
        }
        let bare = form.example.filter { $0 != " " && $0 != "-" }
        for number in UInt64(0)..<20 {
            let code = form.new(CountingRandomness(seed: number))
            #expect(code.map { $0 == " " || $0 == "-" } == form.example.map { $0 == " " || $0 == "-" }, "\(code)")
            let normal = CodeForm.normal(code)
            #expect(normal?.count == bare.count && normal == CodeForm.normal(code.lowercased()))
            // As a person types it: in groups of another size, and with letters that look like digits.
            let typed = code.replacing("0", with: "o").replacing("1", with: "l").replacing(" ", with: "").replacing(
                "-", with: " ")
            #expect(CodeForm.normal(typed) == normal)
        }
    }

    @Test(
        "uses every sign about equally often",
        arguments: [(CodeForm.digits(count: 8), 10), (.token(life: .days(1)), 32)])
    func distribution(form: CodeForm, signs: Int) {
        let randomness = CountingRandomness(seed: 11)
        var counts: [Character: Int] = [:]
        for _ in 0..<1000 {
            for sign in form.new(randomness) where sign != " " && sign != "-" { counts[sign, default: 0] += 1 }
        }
        let expected = counts.values.reduce(0, +) / signs
        #expect(counts.count == signs && !counts.keys.contains { "ILOU".contains($0) })
        #expect(counts.values.allSatisfy { ($0 - expected).magnitude < expected / 4 }, "\(counts)")
    }

    @Test("is read up to 200 bytes", arguments: [(200, true), (201, false)])
    func length(count: Int, isRead: Bool) {
        #expect((CodeForm.normal(String(repeating: "1", count: count)) != nil) == isRead)
    }
}

@Suite("What a queued mail holds")
struct MailPayloadTests {
    private static let payloads: [(MailPayload, name: String)] = [
        (.request(MessageRequest(kind: .logInCode, address: "hana@example.com", languages: ["ja"])), "errand"),
        (.rendered(RenderedMessage(kind: .emailChanged, recipient: "hana@example.com", languages: [])), "letter"),
    ]

    @Test("is stored under the names that it has had, and read again", arguments: payloads.indices)
    func stored(index: Int) throws {
        let (payload, name) = Self.payloads[index]
        let bytes = try JSONEncoder().encode(payload)
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(#"{"\#(name)":{"_0":{"#))
        #expect(try JSONDecoder().decode(MailPayload.self, from: bytes) == payload)
    }
}
