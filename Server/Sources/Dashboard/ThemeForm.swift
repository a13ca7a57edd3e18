import Domain
import Foundation
import HTTPSupport
import OkaeriWire
import PageSupport

/// A theme as fields of a form.
struct ThemeForm {
    let request: DashboardRequest
    let theme: Theme
    let form: FormValues

    private static let shapes = ["rounded", "capsule", "square"]
    private static let fonts = ["system", "serif", "rounded", "monospaced"]

    /// - Throws: `fieldsRefused`.
    static func draft(_ sent: MultipartForm, over stored: JSONValue?) throws(DomainError) -> ThemeDraft {
        let form = sent.fields
        var members: [String: JSONValue] = [:]
        if case .object(let kept)? = stored { members = kept }
        func set(_ name: String, _ value: JSONValue?) { members[name] = value }
        set("brand", form.text("brand").isEmpty ? nil : .string(form.text("brand")))
        let radius = form.text("cornerRadius")
        guard radius.isEmpty || Int64(radius, radix: 10) != nil else {
            throw .fieldsRefused([ValidationError(field: "theme.cornerRadius", rule: .notOffered)])
        }
        set("cornerRadius", Int64(radius, radix: 10).map { .integer($0) })
        set("buttonShape", form.text("buttonShape").isEmpty ? nil : .string(form.text("buttonShape")))
        set("font", form.text("font").isEmpty ? nil : .string(form.text("font")))
        for appearance in Theme.Appearance.allCases {
            var colours: [String: JSONValue] = [:]
            for token in Theme.ColourToken.allCases {
                let text = form.text("\(appearance.rawValue).\(token.rawValue)")
                // The standard colour is none of the theme's own.
                let standard = Theme().colour(token, in: appearance).hex
                if !text.isEmpty, text.uppercased() != standard.uppercased() { colours[token.rawValue] = .string(text) }
            }
            set(appearance.rawValue, colours.isEmpty ? nil : .object(colours))
        }
        for picture in pictureNames {
            if !form.text("remove.\(picture)").isEmpty { set(picture, nil) }
            guard let bytes = sent.files[picture] else { continue }
            guard let text = ThemePicture(bytes: bytes)?.text else {
                throw .fieldsRefused([ValidationError(field: "theme.\(picture)", rule: .notOffered)])
            }
            set(picture, .string(text))
        }
        set("texts", try texts(form, over: members["texts"]))
        return try ThemeDraft(.object(members))
    }

    func fields(_ faults: [ValidationError]) -> [PageField] {
        func choices(_ words: [String]) -> [(value: String, label: String)] {
            [("", request.text("theme.standard"))] + words.map { ($0, request.text("theme.\($0)")) }
        }
        func field(
            _ name: String, _ value: String, _ kind: PageField.Kind = .text, _ words: [String] = [], hint: String? = nil
        ) -> PageField {
            PageField(
                name, label: request.text("theme.\(name)"), kind: kind, value: form[name] ?? value, hint: hint,
                error: faults.first { $0.field == "theme.\(name)" }.map(wordsAtField), isRequired: false
            ).offering(words.isEmpty ? [] : choices(words))
        }
        return [
            field("brand", theme.brand ?? ""),
            field(
                "cornerRadius", theme.cornerRadius.map(String.init) ?? "", .number,
                hint: request.text("theme.cornerRadiusHint")),
            field("buttonShape", theme.buttonShape?.rawValue ?? "", .select, Self.shapes),
            field("font", theme.font?.rawValue ?? "", .select, Self.fonts),
        ]
    }

    private static let pictureNames = ["logo", "backgroundImage"]

    /// Files to choose, and boxes that take away what is there.
    func pictures(_ faults: [ValidationError]) -> [PageTemplates.Model] {
        let present = ["logo": theme.logo, "backgroundImage": theme.backgroundImage]
        let limits = ["logo": ThemeDraft.maximumLogoBytes, "backgroundImage": ThemeDraft.maximumBackgroundBytes]
        return Self.pictureNames.map { name in
            let kilobytes = String((limits[name] ?? 0) / 1024)
            let field = PageField(
                name, label: request.text("theme.\(name)"),
                hint: request.text("theme.pictureHint", ["kilobytes": kilobytes]),
                error: faults.contains { $0.field == "theme.\(name)" }
                    ? request.text("theme.badPicture", ["kilobytes": kilobytes]) : nil, isRequired: false)
            // Under names of their own: the box below would show them as its own otherwise.
            var model = field.model
            for member in ["hint", "error", "describedBy"] {
                model["picture-\(member)"] = model.removeValue(forKey: member)
            }
            if let picture = present[name] ?? nil {
                model["shown"] = picture.inlineText ?? ""
                model["isThere"] = true
                model["removal"] =
                    PageField(
                        "remove.\(name)", label: request.text("theme.remove.\(name)"), kind: .checkbox,
                        value: form.text("remove.\(name)"), isRequired: false
                    ).model
            }
            return model
        }
    }

    /// Texts in place of the standard ones: a key and its text in each line.
    func texts(_ faults: [ValidationError]) -> [PageField] {
        PageLanguage.allCases.map { language in
            let name = "texts.\(language.rawValue)"
            let own = theme.texts[language.rawValue] ?? [:]
            let lines = own.sorted { $0.key < $1.key }.map { "\($0) = \($1)" }.joined(separator: "\n")
            return PageField(
                name, label: request.text("theme.texts", ["language": language.ownName]), kind: .multiline,
                value: form[name] ?? lines, hint: request.text("theme.textsHint"),
                error: faults.contains { $0.field == "theme.\(name)" } ? request.text("theme.badTexts") : nil,
                isRequired: false)
        }
    }

    /// - Throws: `fieldsRefused` for a line without a key or text, or too long ones.
    private static func texts(_ form: FormValues, over stored: JSONValue?) throws(DomainError) -> JSONValue? {
        var languages: [String: JSONValue] = [:]
        if case .object(let kept)? = stored { languages = kept }
        for language in PageLanguage.allCases {
            let name = "texts.\(language.rawValue)"
            guard let typed = form[name] else { continue }
            var own: [String: JSONValue] = [:]
            for line in typed.split(whereSeparator: \.isNewline) where !line.allSatisfy(\.isWhitespace) {
                let refusal = DomainError.fieldsRefused([ValidationError(field: "theme.\(name)", rule: .notOffered)])
                guard let parts = line.cut(at: "="), !parts.after.isEmpty else { throw refusal }
                let (key, text) = (parts.before.withoutBlanks, parts.after.withoutBlanks)
                guard own.count < maximumTexts, text.utf8.count <= maximumTextBytes,
                    (1...100).contains(key.utf8.count), key.utf8.contains(UInt8(ascii: ".")),
                    key.utf8.allSatisfy(isOfKey)
                else { throw refusal }
                own[key] = .string(text)
            }
            languages[language.rawValue] = own.isEmpty ? nil : .object(own)
        }
        return languages.isEmpty ? nil : .object(languages)
    }

    private static let maximumTexts = 300
    private static let maximumTextBytes = 1000

    private static func isOfKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The field of the form that a fault is about.
    static func field(_ fault: ValidationError) -> String? {
        let name = String(fault.field.dropFirst("theme.".count))
        let isField =
            pictureNames.contains(name) || name.hasPrefix("texts.") || ["brand", "cornerRadius"].contains(name)
        return isField ? name : nil
    }

    /// What stands above the form, with the label of the field.
    func words(_ fault: ValidationError) -> String {
        let words = wordsAtField(fault)
        if let language = Self.language(of: fault) {
            return "\(request.text("theme.texts", ["language": language.ownName])): \(words)"
        }
        return request.labelled(fault.field, words)
    }

    private func wordsAtField(_ fault: ValidationError) -> String {
        switch (fault.field, fault.rule) {
        case ("theme.logo", _): pictureWords(ThemeDraft.maximumLogoBytes)
        case ("theme.backgroundImage", _): pictureWords(ThemeDraft.maximumBackgroundBytes)
        case ("theme.cornerRadius", _): request.text("theme.cornerRadiusHint")
        case ("theme", .tooManyBytes(let maximum)):
            request.text("theme.tooLarge", ["kilobytes": String(maximum / 1024)])
        default: Self.language(of: fault) == nil ? request.words(of: fault.rule) : request.text("theme.badTexts")
        }
    }

    /// The language of the texts that a fault is about; `nil` for any other part of the theme.
    private static func language(of fault: ValidationError) -> PageLanguage? {
        PageLanguage.allCases.first { fault.field == "theme.texts.\($0.rawValue)" }
    }

    private func pictureWords(_ maximumBytes: Int) -> String {
        request.text("theme.badPicture", ["kilobytes": String(maximumBytes / 1024)])
    }

    var colours: [PageTemplates.Model] {
        Theme.ColourToken.allCases.map { token in
            func value(_ appearance: Theme.Appearance) -> String {
                form["\(appearance.rawValue).\(token.rawValue)"] ?? theme.colour(token, in: appearance).hex
            }
            return [
                "token": token.rawValue, "label": request.text("theme.colour.\(token.rawValue)"),
                "light": value(.light),
                "dark": value(.dark),
            ]
        }
    }
}

extension ThemePicture {
    /// A picture from a file; what it is, its first bytes tell. `nil` for any other kind.
    fileprivate init?(bytes: [UInt8]) {
        let kinds: [(mediaType: String, offset: Int, mark: [UInt8])] = [
            ("image/png", 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ("image/jpeg", 0, [0xff, 0xd8, 0xff]),
            ("image/webp", 8, Array("WEBP".utf8)), ("image/gif", 0, Array("GIF8".utf8)),
        ]
        guard let kind = kinds.first(where: { bytes.dropFirst($0.offset).starts(with: $0.mark) }) else { return nil }
        self.init("data:\(kind.mediaType);base64,\(Data(bytes).base64EncodedString())")
    }

    /// The picture itself as an address; `nil` for one that is elsewhere.
    var inlineText: String? {
        guard case .inline = place else { return nil }
        return text
    }
}
