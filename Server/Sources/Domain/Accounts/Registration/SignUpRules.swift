/// What an application demands of people who register, beside its custom fields and the length of passwords, and what its
/// sign-up forms ask for. The published profile has it too, so that forms can say it before the server does.
package struct SignUpRules: Hashable, Sendable {
    /// What the fewest characters of a user name can be.
    package static let lengths = 1...NewIdentifiers.maximumCharacters

    /// The fewest characters of a new user name, in Unicode scalars of its NFKC form.
    package var usernameMinimumCharacters = 1
    /// Whether nobody registers by identifiers without a mail address among them.
    package var isEmailRequired = false
    /// Whether sign-up forms have a field for a phone number.
    package var asksPhone = false
    /// Whether sign-up forms have a field for the name that is shown.
    package var asksDisplayName = false
    /// Whether the apps of old protocols are held to it too. By default they keep the rules of their own service.
    package var holdsOldProtocols = false

    package init() {}

    /// What breaks a rule.
    var faults: [ValidationError] {
        guard !Self.lengths.contains(usernameMinimumCharacters) else { return [] }
        let rule: ValidationError.Rule =
            usernameMinimumCharacters < Self.lengths.lowerBound
            ? .tooShort(minimumCharacters: Self.lengths.lowerBound)
            : .tooLong(maximumCharacters: Self.lengths.upperBound)
        return [ValidationError(field: "signUp.usernameMinimumCharacters", rule: rule)]
    }
}

extension AccountRules {
    /// The rules with what an application demands beside them: in Okaeri's own protocol and on the pages always, in an old
    /// protocol when the application says so.
    func held(to demands: SignUpRules) -> AccountRules {
        guard userNames == .visible || demands.holdsOldProtocols else { return self }
        var rules = self
        rules.userNameMinimumCharacters = demands.usernameMinimumCharacters
        rules.demandsEmail = demands.isEmailRequired && takesEmail
        return rules
    }
}

extension NewIdentifiers {
    /// The identifiers that registration demands and that neither these nor the user has. What a registered user lacks
    /// already is not demanded by a later change.
    ///
    /// - Parameters:
    ///   - user: The user with these identifiers.
    ///   - before: The user without them.
    /// - Returns: the rules that are broken.
    func missing(in user: User, from before: User) -> [ValidationError] {
        guard rules.demandsEmail, !isEmpty, user.email == nil, pendingEmail == nil,
            before.email != nil || before.typedIdentifiers.isEmpty
        else { return [] }
        // What was typed and is no address has its own fault.
        if case .set = email { return [] }
        return [ValidationError(field: "email", rule: .required)]
    }
}
