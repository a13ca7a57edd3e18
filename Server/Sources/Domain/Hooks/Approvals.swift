import enum OkaeriWire.JSONValue

/// That a user may be made: what a hook said, or that it is down and nobody has to be asked then. What is stored without one
/// where it is needed is refused, so that no way of registration leads past the hook.
struct SignUpApproval: Sendable {
    /// The user's id, which the hook knows already.
    let user: Identifier<User>
    /// What the hook adds, of fields that only the server writes.
    let fields: [String: JSONValue]
}

extension AskHook {
    /// Asks before a user is made.
    ///
    /// - Parameters:
    ///   - draft: The user as it will be, judged.
    ///   - email: The address that a provider vouches for.
    ///   - address: Where the request came from.
    /// - Returns: `nil` when nobody has to be asked.
    /// - Throws: `hookRefused`, `hookUnavailable`.
    func beforeSignUp(
        of draft: UserRegistration, vouched email: ProviderEmail?, from address: ClientAddress
    ) async throws(DomainError) -> SignUpApproval? {
        guard let hook = draft.hook else { return nil }
        var subject = HookSubject(draft.user)
        subject.vouchedEmail = email
        subject.way = draft.way
        subject.address = address.text
        let said = try await self(hook, about: subject, in: draft.application) { fields, _ in
            draft.reason(against: fields)
        }
        return SignUpApproval(user: draft.user.id, fields: said?.fields ?? [:])
    }

    /// Asks before an anonymous user becomes a registered one.
    ///
    /// - Parameters:
    ///   - before: The user as it is.
    ///   - user: The user as it will be.
    ///   - email: The address that a provider vouches for.
    ///   - origin: Where the request came from.
    ///   - application: Where.
    /// - Returns: whether the hook was asked; `false` when nobody has to be.
    /// - Throws: `hookRefused`, `hookUnavailable`.
    func beforeUpgrade(
        of before: User, to user: User, vouched email: ProviderEmail?, from origin: RequestOrigin,
        in application: Application
    ) async throws(DomainError) -> Bool {
        guard let hook = application.hook(beforeUpgradeOf: before, to: user) else { return false }
        var subject = HookSubject(user)
        subject.vouchedEmail = email
        subject.address = origin.address
        do throws(DomainError) {
            _ = try await self(hook, about: subject, in: application) { _, _ in nil }
        } catch {
            if error.code == .hookRefused {
                try await refusals.note(.userUpgraded, by: .upgrade, to: user.id, from: origin, in: application.id)
            }
            throw error
        }
        return true
    }

    /// Asks before an access token is issued.
    ///
    /// - Parameters:
    ///   - who: Whose token it is.
    ///   - audience: For whom.
    ///   - claims: What the token says by the application's rules.
    /// - Returns: the claims that the hook adds.
    /// - Throws: `hookRefused`, `hookUnavailable`.
    func beforeToken(
        for who: Authenticated, audience: String, claims: [String: JSONValue]
    ) async throws(DomainError) -> [String: JSONValue] {
        guard let hook = who.application.activeHook(.accessToken) else { return [:] }
        var subject = HookSubject(who.user)
        (subject.session, subject.audience, subject.claims) = (who.session.id, audience, claims)
        let rules = who.application.settings.access
        do throws(DomainError) {
            let said = try await self(hook, about: subject, in: who.application) { _, added in
                rules.reason(against: added, beside: claims)
            }
            return said?.claims ?? [:]
        } catch {
            if error.code == .hookRefused {
                try await refusals.note(
                    .accessTokenIssued, by: .accessToken, to: who.user.id,
                    from: RequestOrigin(address: who.session.address), in: who.application.id)
            }
            throw error
        }
    }
}

extension Application {
    /// Refuses what an upgrade's hook would have had to be asked about.
    ///
    /// - Throws: `hookUnavailable`: the same request, sent again, is asked about.
    func requireApproval(_ isApproved: Bool, ofUpgrade before: User, to user: User) throws(DomainError) {
        guard isApproved || hook(beforeUpgradeOf: before, to: user) == nil else { throw .hookUnavailable }
    }
}

extension UserRegistration {
    /// The hook that is asked before the user is made; `nil` when nobody is asked.
    var hook: Hook? { way.asksHook ? application.hook(beforeSignUpOf: user) : nil }

    /// What is wrong with fields that a hook adds, in words; `nil` for nothing.
    func reason(against fields: [String: JSONValue]) -> String? {
        let rules = application.settings.fieldRules
        if let name = fields.keys.sorted().first(where: { rules.mayWrite($0, .owner) || fields[$0] == .null }) {
            return DeliveryFault.text(.hookFieldNotServers, ProfileRules.path(of: name))
        }
        let together = user.fields.merging(fields) { _, added in added }
        let faults =
            rules.faults(registeringWith: fields, by: .server, demandsAll: false)
            + ProfileRules.faults(ofFields: together, within: rules.limits)
        return faults.first.map { DeliveryFault.text(.hookFieldRefused, $0.field) }
    }
}

extension AccessRules {
    /// What is wrong with claims that a hook adds, in words; `nil` for nothing.
    func reason(against added: [String: JSONValue], beside own: [String: JSONValue]) -> String? {
        guard added.count <= AskHook.maximumClaims else {
            return DeliveryFault.text(.hookClaimsTooMany, String(AskHook.maximumClaims))
        }
        let ruled = Set(claims.map { $0.within ?? $0.name })
        for (name, value) in added.sorted(by: { $0.key < $1.key }) {
            guard ClaimRule(name, .constant(value)).faults(FieldRules()).isEmpty else {
                let shown = String(name.unicodeScalars.prefix(ClaimRule.maximumNameCharacters))
                return DeliveryFault.text(.hookClaimRefused, shown)
            }
            // What a rule says stays, also of a user for whom it says nothing.
            if ruled.contains(name) { return DeliveryFault.text(.hookClaimRuled, name) }
        }
        guard ProfileRules.fieldsFit(own.merging(added) { rule, _ in rule }, bytes: Access.maximumClaimsBytes) else {
            return DeliveryFault.text(.hookClaimsTooLong, String(Access.maximumClaimsBytes))
        }
        return nil
    }
}
