import WebAuthn

/// What an application has decided of passkeys.
package struct PasskeyRules: Hashable, Sendable {
    package static let maximumOrigins = 20
    package static let maximumAuthenticators = 100

    package var isEnabled = false
    /// The domain that passkeys belong to; `nil` for the host of the server's own address. Passkeys of another domain lead
    /// to nobody any more.
    package var domain: String?
    /// From where passkeys are used beside the domain's own address and the hosted pages.
    package var origins: [String] = []
    /// Whether a PIN, a finger or a face is needed beside a touch.
    package var requiresUserVerification = true
    /// The only kinds of authenticators that are taken, by AAGUID; all when empty.
    package var allowedAuthenticators: [String] = []
    /// Kinds of authenticators that are not taken, by AAGUID.
    package var refusedAuthenticators: [String] = []
    /// Who must have made an authenticator, which proves it by its attestation; nobody is asked when empty.
    package var attestationRoots: [AttestationRoots] = []
    /// Apps for Apple's systems that use the domain's passkeys: `TEAMID.bundle.id`.
    package var appleApps: [String] = []
    /// Apps for Android that use the domain's passkeys. Their certificates are origins.
    package var androidApps: [AndroidApp] = []

    package init() {}

    /// What breaks a rule.
    var faults: [ValidationError] {
        var faults: [ValidationError] = []
        if let domain, !Self.isDomain(domain) {
            faults.append(ValidationError(field: "passkeys.domain", rule: .notADomain))
        }
        if origins.count > Self.maximumOrigins {
            faults.append(
                ValidationError(field: "passkeys.origins", rule: .tooManyFields(maximum: Self.maximumOrigins)))
        } else if !origins.allSatisfy(Self.isOrigin) {
            faults.append(ValidationError(field: "passkeys.origins", rule: .notAnOrigin))
        }
        let lists = [
            ("passkeys.allowedAuthenticators", allowedAuthenticators),
            ("passkeys.refusedAuthenticators", refusedAuthenticators),
        ]
        for (field, list) in lists {
            if list.count > Self.maximumAuthenticators {
                faults.append(
                    ValidationError(field: field, rule: .tooManyFields(maximum: Self.maximumAuthenticators)))
            } else if list.contains(where: { AAGUID($0) == nil }) {
                faults.append(ValidationError(field: field, rule: .notAnAuthenticator))
            }
        }
        return faults + appFaults
    }

    /// Lower-case letters, digits and hyphens between dots: an address of numbers is no domain (WebAuthn §5.1.3).
    static func isDomain(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let labels = text.pieces(at: ".", keepsEmpty: true)
        let isNamed = labels.last.map { !$0.utf8.allSatisfy(isDigit) } ?? false
        return isNamed
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { (97...122).contains($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static let androidPrefix = "android:apk-key-hash:"

    /// The origin of a page, `https` but for `localhost`, or of an Android app by the hash of its certificate.
    private static func isOrigin(_ text: String) -> Bool {
        guard text.utf8.count <= 300 else { return false }
        if text.hasPrefix(androidPrefix) {
            return Base64URL.bytes(of: text.utf8.dropFirst(androidPrefix.utf8.count))?.count == 32
        }
        guard let target = ProofTarget(text), text == "\(target.scheme)://\(target.authority)" else { return false }
        return target.scheme == "https" || target.host == "localhost"
    }
}

extension PasskeyRules {
    /// The domain that passkeys belong to; `nil` while there are none.
    func domain(orHostOf pages: ProofTarget?) -> String? { isEnabled ? domain ?? pages?.passkeyAddress?.domain : nil }

    /// The same where nothing goes on without it.
    ///
    /// - Throws: `passkeysNotEnabled`, also when there is no domain.
    func requiredDomain(orHostOf pages: ProofTarget?) throws(DomainError) -> String {
        guard let domain = domain(orHostOf: pages) else { throw .passkeysNotEnabled }
        return domain
    }
}

extension Application {
    /// The domain that passkeys belong to.
    ///
    /// - Parameter address: The server's own address for people; `nil` while it is not set.
    /// - Returns: `nil` while there are none.
    package func passkeyDomain(orHostOf address: String?) -> String? {
        settings.passkeys.domain(orHostOf: address.flatMap { ProofTarget($0) })
    }
}

/// Who takes an application's passkeys: its rules, with what they leave to the server's own address.
struct PasskeyParty: Sendable {
    let domain: String
    let relyingParty: RelyingParty

    /// - Parameters:
    ///   - application: Whose rules count.
    ///   - pages: The server's own address for people; `nil` while it is not set.
    /// - Throws: `passkeysNotEnabled`, also when there is no domain.
    init(of application: Application, pages: ProofTarget?) throws(DomainError) {
        let rules = application.settings.passkeys
        let domain = try rules.requiredDomain(orHostOf: pages)
        var origins = Set(rules.origins + ["https://\(domain)"] + rules.androidApps.flatMap(\.origins))
        if let own = pages?.passkeyAddress, own.domain == domain || own.domain.hasSuffix(".\(domain)") {
            origins.insert(own.origin)
        }
        self.domain = domain
        let (allowed, refused) = (
            Set(rules.allowedAuthenticators.compactMap { AAGUID($0) }),
            Set(rules.refusedAuthenticators.compactMap { AAGUID($0) })
        )
        relyingParty = RelyingParty(
            id: domain, origins: origins, requiresUserVerification: rules.requiresUserVerification,
            policy: allowed.isEmpty ? .allBut(refused) : .only(allowed.subtracting(refused)))
    }
}

extension ProofTarget {
    /// The authority without its port.
    var host: String { String(authority.before(":")) }

    /// The domain that passkeys of this address belong to, and the origin of its pages; `nil` when it has no domain. An
    /// address of numbers is none (WebAuthn §5.1.3); on this machine `localhost` stands for it.
    var passkeyAddress: (domain: String, origin: String)? {
        let bytes = authority.utf8
        let bracket = authority.hasPrefix("[") ? bytes.firstIndex(of: UInt8(ascii: "]")) : nil
        let end =
            bracket.map { bytes.index(after: $0) } ?? bytes.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        let host = authority[..<end]
        let domain = IPAddress(host)?.isLoopback == true ? "localhost" : String(host)
        guard PasskeyRules.isDomain(domain) else { return nil }
        return (domain, "\(scheme)://\(domain)\(authority[end...])")
    }
}
