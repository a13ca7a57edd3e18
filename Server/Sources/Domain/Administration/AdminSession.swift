/// The proof of an admin's finished log-in. The dashboard keeps its token in a cookie, the API in `Authorization`.
package struct AdminSession: Hashable, Sendable {
    /// How long it lives without use (requirement 20: an hour at the second assurance level).
    package static let idleLifetime: Duration = .seconds(3600)
    /// How long it lives at the most.
    package static let lifetime: Duration = .seconds(12 * 3600)
    /// How exact `lastUsedAt` is.
    package static let resolution: Duration = .seconds(60)
    /// How long password and code count for what a session alone must not be enough for (requirement 18).
    package static let freshness: Duration = .seconds(600)
    package static let tokenPrefix = "okd_"

    package let digest: SecretDigest
    package let admin: Identifier<Admin>
    package let createdAt: Timestamp
    package var lastUsedAt: Timestamp
    /// When the admin last proved to be there in it.
    package var authenticatedAt: Timestamp
    /// The passkey that proved it; the session ends with it. `nil` for what else there is.
    package var passkey: String?
    /// The identity at the provider of admins that proved it; the session ends with it. `nil` for what else there is.
    package var identity: String?

    /// Names a session whatever token it has by now.
    struct Reference: Hashable, Sendable {
        let admin: Identifier<Admin>
        let createdAt: Timestamp
    }

    /// What an admin proved to be there by.
    enum Credential: Sendable {
        /// With a one-time code.
        case password
        case passkey(String)
        case identity(AdminIdentity, authenticatedAt: Timestamp)
    }

    /// A session that begins with a log-in by password and one-time code.
    package init(digest: SecretDigest, admin: Identifier<Admin>, createdAt: Timestamp) {
        self.digest = digest
        self.admin = admin
        self.createdAt = createdAt
        lastUsedAt = createdAt
        authenticatedAt = createdAt
    }

    /// - Parameters:
    ///   - digest: The token's.
    ///   - admin: Whose.
    ///   - createdAt: When it began.
    ///   - credential: By what it is proven, now.
    ///   - now: When.
    init(
        digest: SecretDigest, admin: Identifier<Admin>, createdAt: Timestamp, by credential: Credential,
        at now: Timestamp
    ) {
        self.init(digest: digest, admin: admin, createdAt: createdAt)
        (lastUsedAt, authenticatedAt) = (now, now)
        switch credential {
        case .password: break
        case .passkey(let id): passkey = id
        case .identity(let identity, let time): (self.identity, authenticatedAt) = (identity.id, min(time, now))
        }
    }

    package func isOver(at now: Timestamp) -> Bool {
        now >= createdAt + Self.lifetime || now >= lastUsedAt + Self.idleLifetime
    }

    package static func newToken(_ randomness: any Randomness) -> Secret {
        Secret(tokenPrefix + Base64URL.text(of: randomness.bytes(32)))
    }
}

/// A key for programs that look after users. Only its digest is stored (requirement 13).
package struct AdminKey: Hashable, Sendable {
    package static let tokenPrefix = "oka_"
    package static let nameRule = TextRule(maximumCharacters: 100)
    /// How many days a key may live.
    package static let lifeDays: ClosedRange<Int64> = 1...400
    package static let longestLife: Duration = .days(lifeDays.upperBound)

    /// - Throws: `fieldsRefused` for a number that is outside of `lifeDays`.
    package static func life(days: Int64) throws(DomainError) -> Duration {
        guard lifeDays.contains(days) else {
            throw .fieldsRefused([ValidationError(field: "days", rule: .outOfRange(lifeDays))])
        }
        return .days(days)
    }

    /// What a key can do: it makes no admins, because it would outlive its maker.
    package static let offeredScopes = AdminPermission.allCases.filter { $0 != .manageAdmins }

    /// What a key can do at most: no more than who makes it.
    package static func scopes(offeredTo access: AdminAccess) -> [AdminPermission] {
        offeredScopes.filter { access.may($0) }
    }

    package let id: Identifier<AdminKey>
    package let digest: SecretDigest
    package let name: String
    package let scopes: Set<AdminPermission>
    package var reach: Reach
    /// A key never does more than its maker may do now, and ends with them.
    package let maker: Maker
    package let createdAt: Timestamp
    package let expiresAt: Timestamp

    /// What a key is confined to.
    package struct Reach: Hashable, Sendable {
        package static let maximumNetworks = 32

        /// The applications that it may see; `nil` for all.
        package let applications: Set<Identifier<Application>>?
        /// Where requests with it may come from; from anywhere when there is none.
        package var networks: [IPNetwork]

        package init(applications: Set<Identifier<Application>>?, networks: [IPNetwork]) {
            self.applications = applications
            self.networks = networks
        }

        /// Whether a request from an address may use the key. No address, because nobody who is believed tells it, is in no
        /// network.
        func admits(_ address: IPAddress?) -> Bool {
            guard !networks.isEmpty else { return true }
            guard let address else { return false }
            return networks.contains { $0.contains(address) }
        }

        /// - Parameter texts: Networks and addresses as they are typed.
        /// - Returns: each network once.
        /// - Throws: `fieldsRefused` for the field `networks`.
        static func networks(_ texts: [String]) throws(DomainError) -> [IPNetwork] {
            guard texts.count <= maximumNetworks else {
                throw .fieldsRefused([
                    ValidationError(field: "networks", rule: .tooManyFields(maximum: maximumNetworks))
                ])
            }
            var networks: [IPNetwork] = []
            for text in texts {
                guard let network = IPNetwork(text) else {
                    throw .fieldsRefused([ValidationError(field: "networks", rule: .notANetwork)])
                }
                if !networks.contains(network) { networks.append(network) }
            }
            return networks
        }
    }

    /// The admin who made a key, under the name of that day.
    package struct Maker: Hashable, Sendable {
        package let id: Identifier<Admin>
        package let name: String

        package init(id: Identifier<Admin>, name: String) {
            self.id = id
            self.name = name
        }
    }

    package init(
        id: Identifier<AdminKey>, digest: SecretDigest, name: String, scopes: Set<AdminPermission>,
        reach: Reach, maker: Maker, createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.digest = digest
        self.name = name
        self.scopes = scopes
        self.reach = reach
        self.maker = maker
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A one-time link by which somebody becomes an admin, or sets a new password and new one-time codes.
package struct AdminLink: Hashable, Sendable {
    package static let lifetime: Duration = .days(1)
    package static let tokenPrefix = "okl_"

    package let digest: SecretDigest
    /// Whose credentials it sets; `nil` for an owner who is to be made.
    package let admin: Identifier<Admin>?
    /// The key that one-time codes will have, sealed.
    package let sealedTOTP: [UInt8]
    package let expiresAt: Timestamp

    package init(digest: SecretDigest, admin: Identifier<Admin>?, sealedTOTP: [UInt8], expiresAt: Timestamp) {
        self.digest = digest
        self.admin = admin
        self.sealedTOTP = sealedTOTP
        self.expiresAt = expiresAt
    }
}
