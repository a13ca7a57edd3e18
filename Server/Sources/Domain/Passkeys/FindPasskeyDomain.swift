/// Everything that the applications of one domain say of its passkeys.
package struct PasskeyDomain: Hashable, Sendable {
    /// More apps or origins of one kind are not listed: systems read no more than 128 KiB.
    package static let maximumListed = 500

    /// Other sites from which the domain's passkeys are used (WebAuthn level 3, §5.11).
    package fileprivate(set) var origins: [String] = []
    package fileprivate(set) var appleApps: [String] = []
    /// Each package once.
    package fileprivate(set) var androidApps: [PasskeyRules.AndroidApp] = []

    /// What the applications with these rules say.
    package init(_ domain: String, _ rules: [PasskeyRules]) {
        for rules in rules { add(rules, to: domain) }
    }

    fileprivate mutating func add(_ rules: PasskeyRules, to domain: String) {
        for origin in rules.origins where origin.hasPrefix("https://") && origin != "https://\(domain)" {
            if origins.count < Self.maximumListed, !origins.contains(origin) { origins.append(origin) }
        }
        for app in rules.appleApps where appleApps.count < Self.maximumListed && !appleApps.contains(app) {
            appleApps.append(app)
        }
        for app in rules.androidApps {
            if let index = androidApps.firstIndex(where: { $0.packageName == app.packageName }) {
                let new = app.certificates.filter { !androidApps[index].certificates.contains($0) }
                let room = max(0, Self.maximumListed - androidApps[index].certificates.count)
                androidApps[index].certificates += new.prefix(room)
            } else if androidApps.count < Self.maximumListed {
                androidApps.append(app)
            }
        }
    }
}

/// Finds the applications whose passkeys belong to a domain. The domains of all applications are kept until one changes.
package struct FindPasskeyDomain: Sendable {
    private let store: any Store
    private let pages: ProofTarget?
    private let known: Cache<Key, [String: PasskeyDomain]>

    private enum Key: Hashable { case all }

    init(store: any Store, validity: any CacheValidity, pages: ProofTarget?) {
        self.store = store
        self.pages = pages
        known = Cache(validity: validity)
    }

    /// - Parameter domain: In lower case, without a port.
    /// - Returns: `nil` for a domain of no application.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(_ domain: String) async throws(DomainError) -> PasskeyDomain? {
        try await known.value(for: .all) { () async throws(DomainError) in
            let applications = try await store.read { transaction throws(DomainError) in
                try transaction.applications()
            }
            var domains: [String: PasskeyDomain] = [:]
            for application in applications {
                let rules = application.settings.passkeys
                guard let domain = rules.domain(orHostOf: pages) else { continue }
                domains[domain, default: PasskeyDomain(domain, [])].add(rules, to: domain)
            }
            return domains
        }[domain]
    }

    /// Where a passkey belongs that leads to nobody in an application, nor elsewhere on the server. Another application of the
    /// same domain may have it, or an admin, by whose address applications have their passkeys too; then an authenticator must
    /// not be asked to forget it (decision 0299).
    ///
    /// - Returns: the domain; `nil` when the passkey leads to somebody, cannot be one, or the application has no passkeys.
    /// - Throws: `storageUnavailable`.
    package func domain(ofUnknown passkey: String, in application: Application) async throws(DomainError) -> String? {
        guard passkey.utf8.count <= Passkey.maximumIdCharacters,
            let domain = application.settings.passkeys.domain(orHostOf: pages)
        else { return nil }
        let isKnown = try await store.read { transaction throws(DomainError) in try transaction.hasPasskey(passkey) }
        return isKnown ? nil : domain
    }

    func forget(_ change: Change) {
        if case .application = change { known.forgetAll() }
    }
}
