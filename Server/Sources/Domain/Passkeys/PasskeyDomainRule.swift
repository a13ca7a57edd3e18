/// For which domains an application may speak (decision 0144).
///
/// The files of a domain say what all of its applications say, so an app or an origin that one of them adds gets the
/// passkeys of all. A domain that another application has, and one that the server's own pages and its admins' passkeys
/// have, is changed only by who decides for all of them.
struct PasskeyDomainRule: Sendable {
    /// The server's host, as people and as its admins' passkeys know it.
    private let ownHosts: [String]
    private let pages: ProofTarget?

    init(pagesURL: String?) {
        pages = pagesURL.flatMap { ProofTarget($0) }
        // An address of this machine has the domain `localhost` for admins.
        ownHosts = [pages?.host, AdminPasskeyParty(pagesURL: pagesURL).domain].compactMap { $0 }
    }

    /// What breaks the rule.
    ///
    /// - Parameters:
    ///   - application: As it is going to be.
    ///   - before: As it is; `nil` for a new one.
    ///   - who: Who changes it.
    ///   - transaction: The one that changes it.
    /// - Returns: nothing when it may be changed so.
    /// - Throws: `storageUnavailable`.
    func faults(
        of application: Application, after before: Application?, by who: Operator, in transaction: any Transaction
    ) throws(DomainError) -> [ValidationError] {
        let (new, old) = (application.settings.passkeys, before?.settings.passkeys ?? PasskeyRules())
        guard new != old, let reach = who.applications, let domain = claim(new),
            try isShared(domain, by: application, beyond: reach, in: transaction)
        else { return [] }
        guard claim(old) == domain else {
            return [ValidationError(field: "passkeys.domain", rule: .notOwnDomain)]
        }
        return new.additions(since: old).map { ValidationError(field: $0, rule: .notOwnDomain) }
    }

    /// The domain that an application has. One that it names stays its own while passkeys are off.
    private func claim(_ rules: PasskeyRules) -> String? { rules.domain ?? rules.domain(orHostOf: pages) }

    private func isShared(
        _ domain: String, by application: Application, beyond reach: Set<Identifier<Application>>,
        in transaction: any Transaction
    ) throws(DomainError) -> Bool {
        // The server's pages take passkeys of the domains above theirs too.
        if ownHosts.contains(where: { $0 == domain || $0.hasSuffix(".\(domain)") }) { return true }
        return try transaction.applications().contains {
            $0.id != application.id && !reach.contains($0.id) && claim($0.settings.passkeys) == domain
        }
    }
}

extension PasskeyRules {
    /// The settings by which an app or an origin has the domain's passkeys that had none of them before.
    func additions(since old: PasskeyRules) -> [String] {
        let members = [
            ("passkeys.origins", Set(origins).isSubset(of: old.origins)),
            ("passkeys.appleApps", Set(appleApps).isSubset(of: old.appleApps)),
            ("passkeys.androidApps", Set(signedApps).isSubset(of: old.signedApps)),
        ]
        return members.filter { !$0.1 }.map { $0.0 }
    }

    /// Each certificate of each app for Android.
    fileprivate var signedApps: [[String]] {
        androidApps.flatMap { app in app.certificates.map { [app.packageName, $0] } }
    }
}
