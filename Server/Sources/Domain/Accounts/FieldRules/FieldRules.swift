package import enum OkaeriWire.JSONValue

/// What an application decides about its users' custom fields. It is the only code that judges, fills and
/// hidden: use cases that write pass `settle` or `registered`, and adapters can show a user only as a `UserView`.
///
/// Without rules nothing is looked at.
package struct FieldRules: Hashable, Sendable {
    /// The most rules.
    package static let maximumRules = ProfileLimits.standard.fields
    /// What all defaults together may take of a user's fields.
    package static let maximumDefaultBytes = 8 * 1024

    package private(set) var rules: [String: FieldRule]
    /// Whether fields without a rule are the server's to write and the user's alone to read. Otherwise they are as
    /// fields are without any rules: the user writes them, and everybody reads them who sees the user.
    package var isClosed: Bool
    /// How much a user may hold.
    package var limits: ProfileLimits

    package init(_ rules: [FieldRule] = [], isClosed: Bool = false, limits: ProfileLimits = .standard) {
        self.limits = limits
        self.rules = Dictionary(rules.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        self.isClosed = isClosed
    }

    /// Whether there is nothing to look at but the limits.
    package var isEmpty: Bool { rules.isEmpty && !isClosed }

    /// All rules, by name.
    package var sorted: [FieldRule] { rules.values.sorted { $0.name < $1.name } }

    package subscript(name: String) -> FieldRule? {
        get { rules[name] }
        set { rules[name] = newValue }
    }

    package func mayRead(_ name: String, _ actor: FieldActor) -> Bool {
        let reader = rules[name]?.reader ?? (isClosed ? .owner : .everybody)
        return switch actor {
        case .server: true
        case .owner: reader != .server
        case .others: reader == .everybody
        }
    }

    package func mayWrite(_ name: String, _ actor: FieldActor) -> Bool {
        let writer = rules[name]?.writer ?? (isClosed ? .server : .owner)
        return actor == .server || writer == .owner
    }

    /// The fields that somebody may see.
    package func shown(_ fields: [String: JSONValue], to actor: FieldActor) -> [String: JSONValue] {
        isEmpty || actor == .server ? fields : fields.filter { mayRead($0.key, actor) }
    }

    /// The rules that these rules break themselves.
    var faults: [ValidationError] {
        guard rules.count <= Self.maximumRules else {
            return [ValidationError(field: "fields", rule: .tooManyFields(maximum: Self.maximumRules))]
        }
        var faults = limits.faults + sorted.flatMap(\.faults)
        let defaults = rules.compactMapValues(\.standard)
        if faults.isEmpty, !ProfileRules.fieldsFit(defaults, bytes: Self.maximumDefaultBytes) {
            faults.append(ValidationError(field: "default", rule: .tooManyBytes(maximum: Self.maximumDefaultBytes)))
        }
        return faults
    }
}

extension FieldRules {
    /// Judges a change of a user's fields and completes it: fields that the actor may not write, and that were not named,
    /// stay; a user that becomes registered gets what is missing and has a default.
    ///
    /// What is there already and breaks a rule is left alone until it changes.
    ///
    /// - Parameters:
    ///   - user: The user as it shall become.
    ///   - before: The user as it was.
    ///   - named: The fields that the request names, changed or not.
    ///   - actor: In whose name.
    /// - Returns: the rules that were broken.
    func settle(
        _ user: inout User, from before: User, named: some Sequence<String>, by actor: FieldActor
    ) -> [ValidationError] {
        guard !isEmpty else { return [] }
        let named = Set(named)
        var faults: [ValidationError] = []
        for name in named.union(before.fields.keys).union(user.fields.keys).sorted() {
            let isChanged = before.fields[name] != user.fields[name]
            if mayWrite(name, actor) {
                if isChanged { faults += kindFaults(name, user.fields[name]) }
            } else if named.contains(name), isChanged || !mayRead(name, actor) {
                // Also when nothing would change: one who cannot read it must not find out by guessing.
                faults.append(refusal(of: name))
            } else {
                user.fields[name] = before.fields[name]
            }
        }
        let becomesRegistered = before.isAnonymous && !user.isAnonymous
        if becomesRegistered { complete(&user.fields) }
        return faults
            + missing(in: user.fields) { becomesRegistered || Self.isThere(before.fields[$0]) }
    }

    /// A new user with the defaults. Without identifiers and providers nothing is required: the app must get in.
    ///
    /// - Parameters:
    ///   - user: The user with the fields that were named.
    ///   - actor: In whose name.
    ///   - demandsAll: Whether a registered user must have the required fields.
    /// - Returns: the user with the defaults.
    /// - Throws: `fieldsRefused`.
    func registered(
        _ user: User, by actor: FieldActor, demandsAll: Bool = true
    ) throws(DomainError) -> User {
        guard !isEmpty else { return user }
        var user = user
        var faults = faults(registering: user, by: actor, demandsAll: demandsAll)
        complete(&user.fields)
        if faults.isEmpty { faults = ProfileRules.faults(ofFields: user.fields, within: limits) }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        return user
    }

    /// The rules that a new user's fields break.
    func faults(registering user: User, by actor: FieldActor, demandsAll: Bool = true) -> [ValidationError] {
        faults(registeringWith: user.fields, by: actor, demandsAll: demandsAll && !user.isAnonymous)
    }

    /// The rules that the fields of somebody who wants to register break.
    package func faults(
        registeringWith fields: [String: JSONValue], by actor: FieldActor, demandsAll: Bool = true
    ) -> [ValidationError] {
        guard !isEmpty else { return [] }
        var faults = fields.sorted { $0.key < $1.key }.flatMap { name, value in
            mayWrite(name, actor) ? kindFaults(name, value) : [refusal(of: name)]
        }
        guard demandsAll else { return faults }
        var complete = fields
        self.complete(&complete)
        faults += missing(in: complete) { _ in true }
        return faults
    }

    private static func isThere(_ value: JSONValue?) -> Bool { value != nil && value != .null }

    private func complete(_ fields: inout [String: JSONValue]) {
        for (name, rule) in rules where rule.standard != nil && !Self.isThere(fields[name]) {
            fields[name] = rule.standard
        }
    }

    private func missing(
        in fields: [String: JSONValue], where isDemanded: (String) -> Bool
    ) -> [ValidationError] {
        sorted.filter { $0.isRequired && !Self.isThere(fields[$0.name]) && isDemanded($0.name) }
            .map { ValidationError(field: ProfileRules.path(of: $0.name), rule: .required) }
    }

    private func kindFaults(_ name: String, _ value: JSONValue?) -> [ValidationError] {
        guard let value, let kind = rules[name]?.kind, !kind.fits(value) else { return [] }
        return [ValidationError(field: ProfileRules.path(of: name), rule: .notOfKind(kind))]
    }

    private func refusal(of name: String) -> ValidationError {
        ValidationError(field: ProfileRules.path(of: name), rule: rules[name] == nil ? .notDeclared : .readOnly)
    }
}

extension FieldRule {
    /// Whether nobody registers without an answer of their own.
    package var needsAnswer: Bool { isRequired && standard == nil }

    /// Whether sign-up forms ask for it: nobody registers without it, or it has a label; as far as people may write it.
    package var isAsked: Bool { writer == .owner && (needsAnswer || !labels.isEmpty) }
}

extension FieldRules {
    /// The fields that sign-up forms ask for, by name.
    package var asked: [FieldRule] { sorted.filter(\.isAsked) }
}
