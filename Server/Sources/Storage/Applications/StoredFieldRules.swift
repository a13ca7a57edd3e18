import Domain
import enum OkaeriWire.JSONValue

/// The rules for fields as stored. A word that a newer program wrote counts as the strictest that this one knows.
struct StoredFieldRules: Codable {
    private var isClosed: Bool?
    private var list: [Rule]
    private var maximumFields: Int?
    private var maximumFieldsBytes: Int?
    private var maximumUserNameCharacters: Int?

    private struct Rule: Codable {
        var name: String
        var kind: String?
        var read: String?
        var write: String?
        var isRequired: Bool?
        var standard: JSONValue?
        var labels: [String: String]?

        init(_ rule: FieldRule) {
            name = rule.name
            kind = rule.kind == .any ? nil : rule.kind.rawValue
            read = rule.reader.rawValue
            write = rule.writer.rawValue
            isRequired = rule.isRequired ? true : nil
            standard = rule.standard
            labels = rule.labels.isEmpty ? nil : rule.labels
        }

        var rule: FieldRule {
            FieldRule(
                name: name, kind: kind.flatMap(FieldKind.init(rawValue:)) ?? .any,
                reader: read.flatMap(FieldRule.Reader.init(rawValue:)) ?? .server,
                writer: write.flatMap(FieldRule.Writer.init(rawValue:)) ?? .server, isRequired: isRequired ?? false,
                standard: standard, labels: labels ?? [:])
        }
    }

    /// `nil` when nothing was decided.
    init?(_ rules: FieldRules) {
        let (limits, standard) = (rules.limits, ProfileLimits.standard)
        guard !rules.isEmpty || limits != standard else { return nil }
        maximumFields = limits.fields == standard.fields ? nil : limits.fields
        maximumFieldsBytes = limits.fieldsBytes == standard.fieldsBytes ? nil : limits.fieldsBytes
        maximumUserNameCharacters =
            limits.userNameCharacters == standard.userNameCharacters ? nil : limits.userNameCharacters
        isClosed = rules.isClosed ? true : nil
        list = rules.sorted.map(Rule.init(_:))
    }

    var rules: FieldRules {
        let standard = ProfileLimits.standard
        return FieldRules(
            list.map(\.rule), isClosed: isClosed ?? false,
            limits: ProfileLimits(
                fields: maximumFields ?? standard.fields, fieldsBytes: maximumFieldsBytes ?? standard.fieldsBytes,
                userNameCharacters: maximumUserNameCharacters ?? standard.userNameCharacters))
    }
}
