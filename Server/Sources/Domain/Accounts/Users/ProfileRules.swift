package import enum OkaeriWire.JSONValue

/// How much an application lets each user hold. Apps of old protocols kept long lists and the state of games in users, and had
/// long names: an application can allow more than the standard.
package struct ProfileLimits: Hashable, Sendable {
    package var fields: Int
    /// What all fields together take as JSON.
    package var fieldsBytes: Int
    /// The longest user name in the protocols that take any text; Okaeri's own has a limit of its own.
    package var userNameCharacters: Int

    package init(fields: Int = 100, fieldsBytes: Int = 32 * 1024, userNameCharacters: Int = 255) {
        self.fields = fields
        self.fieldsBytes = fieldsBytes
        self.userNameCharacters = userNameCharacters
    }

    package static let standard = ProfileLimits()
    package static let fieldsRange: ClosedRange<Int64> = 100...400
    /// Up to 256 KiB: a user is read whole with each request that needs one.
    package static let fieldsBytesRange: ClosedRange<Int64> = 32_768...262_144
    /// Up to what fits into an index in any script.
    package static let userNameRange: ClosedRange<Int64> = 255...500

    /// Both, whichever allows more.
    func widened(to other: ProfileLimits) -> ProfileLimits {
        ProfileLimits(
            fields: max(fields, other.fields), fieldsBytes: max(fieldsBytes, other.fieldsBytes),
            userNameCharacters: max(userNameCharacters, other.userNameCharacters))
    }

    /// As the audit log has them.
    var words: String { "\(fields) fields, \(fieldsBytes) bytes, \(userNameCharacters) characters" }

    /// What all values of a change take as JSON: twice of what fields may, because it can take away what was there.
    package var changeBytes: Int { 2 * fieldsBytes }

    /// The limits that are out of their own bounds.
    var faults: [ValidationError] {
        [
            ("limits.fields", fields, Self.fieldsRange), ("limits.fieldsBytes", fieldsBytes, Self.fieldsBytesRange),
            ("limits.userNameCharacters", userNameCharacters, Self.userNameRange),
        ].compactMap { field, value, range in
            range.contains(Int64(clamping: value)) ? nil : ValidationError(field: field, rule: .outOfRange(range))
        }
    }
}

/// The rules for what users and apps may store about a user.
package struct ProfileRules: Sendable {
    package static let displayName = TextRule(maximumCharacters: 200)
    package static let maximumLocaleCharacters = 35
    package static let maximumFieldLevels = 16
    package static let fieldName = TextRule(maximumCharacters: 128)
    /// A user's name at a provider: a longer one is vouched for by no provider, and has no room in an index.
    static let subject = TextRule(maximumCharacters: 255)

    package static func faults(
        displayName: String?, locale: String?, fields: [String: JSONValue], within limits: ProfileLimits = .standard
    ) -> [ValidationError] {
        Self.displayName.faults(of: displayName, field: "displayName") + faults(ofLocale: locale)
            + faults(ofFields: fields, within: limits)
    }

    /// The rules that a user name of another service breaks. Spelled out it must have room in an index too: `ﷺ` is eighteen letters.
    static func faults(ofImportedUserName name: String?, within limits: ProfileLimits) -> [ValidationError] {
        let faults = TextRule(maximumCharacters: limits.userNameCharacters).faults(of: name, field: "username")
        guard faults.isEmpty, let name else { return faults }
        let longest = Int(clamping: ProfileLimits.userNameRange.upperBound)
        return TextRule(maximumCharacters: longest, mayBeEmpty: true)
            .faults(of: IdentifierFolding.folded(name), field: "username")
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

    package static func faults(
        ofFields fields: [String: JSONValue], within limits: ProfileLimits = .standard
    ) -> [ValidationError] {
        guard fields.count <= limits.fields else {
            return [ValidationError(field: "fields", rule: .tooManyFields(maximum: limits.fields))]
        }
        var faults: [ValidationError] = []
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let path = path(of: name)
            faults += fieldName.faults(of: name, field: path)
            faults += faultsInside(value, path: path, level: 1).map { [$0] } ?? []
        }
        guard faults.isEmpty else { return faults }
        return fieldsFit(fields, bytes: limits.fieldsBytes)
            ? [] : [ValidationError(field: "fields", rule: .tooManyBytes(maximum: limits.fieldsBytes))]
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
