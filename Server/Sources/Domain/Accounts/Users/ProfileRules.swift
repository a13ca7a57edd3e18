package import enum OkaeriWire.JSONValue

/// The limits of what users and apps may store about a user.
package struct ProfileRules: Sendable {
    package static let displayName = TextRule(maximumCharacters: 200)
    package static let maximumLocaleCharacters = 35
    package static let maximumFields = 100
    package static let maximumFieldsBytes = 32 * 1024
    package static let maximumFieldLevels = 16
    package static let fieldName = TextRule(maximumCharacters: 128)

    package static func faults(displayName: String?, locale: String?, fields: [String: JSONValue]) -> [ValidationError]
    {
        Self.displayName.faults(of: displayName, field: "displayName") + faults(ofLocale: locale)
            + faults(ofFields: fields)
    }

    /// A language tag: letters and digits in groups of one to eight, joined by hyphens (BCP 47, RFC 5646 §2.1).
    package static func faults(ofLocale locale: String?) -> [ValidationError] {
        guard let locale else { return [] }
        if locale.utf8.count > maximumLocaleCharacters {
            return [ValidationError(field: "locale", rule: .tooLong(maximumCharacters: maximumLocaleCharacters))]
        }
        let groups = locale.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let wellFormed = groups.allSatisfy { group in
            (1...8).contains(group.count) && group.allSatisfy { Base62.alphabet.contains($0) }
        }
        return wellFormed ? [] : [ValidationError(field: "locale", rule: .notALanguageTag)]
    }

    package static func faults(ofFields fields: [String: JSONValue]) -> [ValidationError] {
        guard fields.count <= maximumFields else {
            return [ValidationError(field: "fields", rule: .tooManyFields(maximum: maximumFields))]
        }
        var faults: [ValidationError] = []
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let path = path(of: name)
            faults += fieldName.faults(of: name, field: path)
            faults += faultsInside(value, path: path, level: 1).map { [$0] } ?? []
        }
        guard faults.isEmpty else { return faults }
        return fieldsFit(fields, bytes: maximumFieldsBytes)
            ? [] : [ValidationError(field: "fields", rule: .tooManyBytes(maximum: maximumFieldsBytes))]
    }

    /// Where a field is, for errors. Of a hostile name the first characters are shown.
    package static func path(of name: String) -> String {
        "fields.\(name.prefix(32).filter { !$0.isNewline && $0.isASCII })"
    }

    /// The first fault inside a value. The null character is refused because PostgreSQL cannot store it.
    private static func faultsInside(_ value: JSONValue, path: String, level: Int) -> ValidationError? {
        guard level <= maximumFieldLevels else {
            return ValidationError(field: path, rule: .tooDeep(maximumLevels: maximumFieldLevels))
        }
        switch value {
        case .string(let text):
            return text.utf8.contains(0) ? ValidationError(field: path, rule: .controlCharacter) : nil
        case .array(let values):
            return values.lazy.compactMap { faultsInside($0, path: path, level: level + 1) }.first
        case .object(let members):
            if members.keys.contains(where: { $0.utf8.contains(0) }) {
                return ValidationError(field: path, rule: .controlCharacter)
            }
            return members.values.lazy.compactMap { faultsInside($0, path: path, level: level + 1) }.first
        case .null, .bool, .integer, .number:
            return nil
        }
    }

    /// Whether fields take no more bytes than that as JSON.
    static func fieldsFit(_ fields: [String: JSONValue], bytes: Int) -> Bool {
        var count = JSONByteCount(limit: bytes)
        count.add(.object(fields))
        return !count.isExceeded
    }
}
