/// The words of one kind of mail in one language. Names in double braces stand for values: `{{code}}`.
package struct MailTemplate: Hashable, Codable, Sendable {
    package var subject: String
    package var text: String
    /// Made from the text when it is missing. Values are escaped, the template itself is not.
    package var html: String?

    package init(subject: String, text: String, html: String? = nil) {
        self.subject = subject
        self.text = text
        self.html = html
    }
}

/// What can stand in double braces in a template.
package enum MailValue: String, CaseIterable, Hashable, Sendable {
    /// The application's name.
    case application
    /// What the reader types into the app.
    case code
    /// Where the reader goes.
    case link
    /// How long code and link are good, as a number of minutes.
    case minutes
    /// The same in words of the mail's language: `24 hours`.
    case duration
    /// The mail address that this is about.
    case email
}

extension MailTemplate {
    package static let maximumSubjectCharacters = 200
    package static let maximumTextCharacters = 20_000
    package static let maximumMessageCharacters = 300
    package static let maximumHTMLCharacters = 100_000
    /// The most names in double braces in one part: each stands for a value that may be twenty times as long (decision 0248).
    package static let maximumNames = 100

    /// What breaks a rule: lengths, unknown or far too many names in braces, a subject of several lines, a secret that is not shown. Of a
    /// template that is too long nothing else is looked at.
    package func faults(for kind: MailKind, field: String) -> [ValidationError] {
        let excess = excess(for: kind, field: field)
        guard excess.isEmpty else { return excess }
        var faults = TextRule(maximumCharacters: Self.maximumSubjectCharacters).faults(
            of: subject, field: "\(field).subject")
        faults += Self.faults(of: text, field: "\(field).text")
        if let html { faults += Self.faults(of: html, field: "\(field).html") }
        for (name, part) in [("subject", subject), ("text", text), ("html", html ?? text)] {
            let used = Self.names(in: part)
            if used.count > Self.maximumNames {
                faults.append(
                    ValidationError(field: "\(field).\(name)", rule: .tooManyFields(maximum: Self.maximumNames)))
            }
            if !used.allSatisfy({ MailValue(rawValue: $0) != nil }) {
                faults.append(ValidationError(field: "\(field).\(name)", rule: .unknownPlaceholder))
            }
            if name == "subject" {
                // Subjects are shown on locked screens.
                if used.contains(MailValue.code.rawValue) || used.contains(MailValue.link.rawValue) {
                    faults.append(ValidationError(field: "\(field).subject", rule: .secretInSubject))
                }
            } else if kind.hasSecret, !used.contains(MailValue.code.rawValue),
                !used.contains(MailValue.link.rawValue)
            {
                faults.append(ValidationError(field: "\(field).\(name)", rule: .secretMissing))
            }
        }
        return faults
    }

    /// What is too long.
    func excess(for kind: MailKind, field: String) -> [ValidationError] {
        let textMaximum = kind.isText ? Self.maximumMessageCharacters : Self.maximumTextCharacters
        let parts: [(String, String?, Int)] = [
            ("subject", subject, Self.maximumSubjectCharacters), ("text", text, textMaximum),
            ("html", html, Self.maximumHTMLCharacters),
        ]
        return parts.compactMap { name, part, maximum in
            guard let part, TextRule(maximumCharacters: maximum).isExceeded(by: part) else { return nil }
            return ValidationError(field: "\(field).\(name)", rule: .tooLong(maximumCharacters: maximum))
        }
    }

    /// The bytes of all its parts.
    var bytes: Int { subject.utf8.count + text.utf8.count + (html?.utf8.count ?? 0) }

    /// Whether a value is used anywhere.
    func uses(_ value: MailValue) -> Bool {
        [subject, text, html ?? ""].contains { Self.names(in: $0).contains(value.rawValue) }
    }

    /// The text with values in the place of names. Values are put in once: braces inside them mean nothing.
    package static func fill(_ template: String, _ value: (MailValue) -> String) -> String {
        var filled = ""
        for piece in pieces(of: template) {
            switch piece {
            case .words(let words): filled += words
            case .name(let name): filled += MailValue(rawValue: name).map(value) ?? ""
            }
        }
        return filled
    }

    private static func faults(of text: String, field: String) -> [ValidationError] {
        if text.isEmpty { return [ValidationError(field: field, rule: .empty)] }
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control || ["\n", "\r", "\t"].contains($0)
        }
        return isPlain ? [] : [ValidationError(field: field, rule: .controlCharacter)]
    }

    private static func names(in template: String) -> [String] {
        pieces(of: template).compactMap { if case .name(let name) = $0 { name } else { nil } }
    }

    private enum Piece {
        case words(Substring)
        case name(String)
    }

    /// By bytes: an accent behind a brace is one character with it.
    private static func pieces(of template: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = template[...].utf8
        while let open = pair(of: UInt8(ascii: "{"), in: rest) {
            let inside = rest[open.upperBound...]
            guard let close = pair(of: UInt8(ascii: "}"), in: inside) else { break }
            pieces.append(.words(Substring(rest[..<open.lowerBound])))
            let name = inside[..<close.lowerBound].filter { $0 != UInt8(ascii: " ") }
            pieces.append(.name(String(decoding: name, as: UTF8.self)))
            rest = inside[close.upperBound...]
        }
        pieces.append(.words(Substring(rest)))
        return pieces
    }

    /// Where a sign stands twice in a row for the first time.
    private static func pair(of sign: UInt8, in bytes: Substring.UTF8View) -> Range<String.Index>? {
        var rest = bytes
        while let first = rest.firstIndex(of: sign) {
            let second = rest.index(after: first)
            rest = rest[second...]
            if rest.first == sign { return first..<rest.index(after: second) }
        }
        return nil
    }
}

/// A language that mails are written in.
package enum MailLanguage: String, CaseIterable, Hashable, Sendable {
    case english = "en"
    case japanese = "ja"
    case korean = "ko"

    /// The language for somebody who prefers these.
    ///
    /// - Parameter tags: BCP 47 tags, the most wanted first. Only the first part counts: `ko-KR` is Korean.
    /// - Returns: the first language that mails can be written in; English when there is none.
    package static func best(of tags: [String]) -> MailLanguage {
        for tag in tags {
            let language = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
            if let known = MailLanguage(rawValue: language) { return known }
        }
        return .english
    }
}
