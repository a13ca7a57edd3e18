package import enum OkaeriWire.JSONValue

/// What an application decides about one custom field of its users.
package struct FieldRule: Hashable, Sendable {
    /// Who may read it, beside the server's operators, who read everything.
    package enum Reader: String, CaseIterable, Hashable, Sendable {
        /// Everybody who may see the user at all.
        case everybody = "public"
        /// The user alone.
        case owner
        /// Nobody else: no app sees it.
        case server
    }

    /// Who may write it, beside the server's operators.
    package enum Writer: String, CaseIterable, Hashable, Sendable {
        /// The user, and whom the user's access list lets.
        case owner
        /// Nobody else.
        case server
    }

    /// The longest label, in characters.
    package static let maximumLabelCharacters = 100
    /// The most languages of a label.
    package static let maximumLabels = 20

    package let name: String
    package var kind: FieldKind
    package var reader: Reader
    package var writer: Writer
    /// Whether nobody is registered without it; anonymous users may be.
    package var isRequired: Bool
    /// What new users have when nobody says otherwise.
    package var standard: JSONValue?
    /// What people see beside it where they type it, by BCP 47 tag.
    package var labels: [String: String]

    package init(
        name: String, kind: FieldKind = .any, reader: Reader = .everybody, writer: Writer = .owner,
        isRequired: Bool = false, standard: JSONValue? = nil, labels: [String: String] = [:]
    ) {
        self.name = name
        self.kind = kind
        self.reader = reader
        self.writer = writer
        self.isRequired = isRequired
        self.standard = standard
        self.labels = labels
    }

    /// The rules that this rule breaks itself.
    var faults: [ValidationError] {
        var faults = ProfileRules.fieldName.faults(of: name, field: "name")
        if name.utf8.contains(0) { faults.append(ValidationError(field: "name", rule: .controlCharacter)) }
        // A writer would find out by trying what is there.
        if reader == .server, writer == .owner { faults.append(ValidationError(field: "write", rule: .unreadable)) }
        if let standard {
            if standard == .null { faults.append(ValidationError(field: "default", rule: .required)) }
            faults += ProfileRules.faults(ofFields: [name: standard]).map {
                ValidationError(field: "default", rule: $0.rule)
            }
            if !kind.fits(standard) { faults.append(ValidationError(field: "default", rule: .notOfKind(kind))) }
        } else if isRequired, writer == .server {
            // Nobody could ever sign up.
            faults.append(ValidationError(field: "default", rule: .required))
        }
        guard labels.count <= Self.maximumLabels else {
            return faults + [ValidationError(field: "label", rule: .tooManyFields(maximum: Self.maximumLabels))]
        }
        for (language, label) in labels.sorted(by: { $0.key < $1.key }) {
            faults += ProfileRules.faults(ofLocale: language).map { ValidationError(field: "label", rule: $0.rule) }
            faults += TextRule(maximumCharacters: Self.maximumLabelCharacters).faults(of: label, field: "label")
        }
        return faults
    }
}

extension FieldRule {
    /// Whether a user that is there already breaks the rule.
    func isBroken(by user: User) -> Bool {
        guard let value = user.fields[name], value != .null else { return isRequired && !user.isAnonymous }
        return !kind.fits(value)
    }
}

/// In whose name fields are read and written.
package enum FieldActor: Hashable, Sendable {
    /// Another user, or nobody in particular.
    case others
    /// The user.
    case owner
    /// An operator, an administrator's key, or the server by itself.
    case server
}
