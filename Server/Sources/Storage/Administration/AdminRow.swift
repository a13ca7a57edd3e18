package import Domain

package enum AdminRow: StoredRow {
    package static let table: StaticString = "admins"

    package enum Column: Int, RowColumn {
        case id, name, foldedName, role, applications, passwordHash, sealedTotp, lastTotpStep,
            recoveryDigests, createdAt, updatedAt, lastLogInAt, disabledAt, usesPasskeysOnly
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Admin {
        // A role that this program does not know may do nothing.
        guard let role = AdminRole(rawValue: row.text(.role)) else { throw .storageUnavailable }
        var admin = Admin(
            id: row.id(.id), name: row.text(.name), role: role,
            applications: try StoredApplications.applications(row.optionalText(.applications)),
            createdAt: row.time(.createdAt))
        admin.passwordHash = row.optionalText(.passwordHash).map(PasswordHash.init(text:))
        admin.sealedTOTP = row.optionalBytes(.sealedTotp)
        admin.lastTOTPStep = row.integer(.lastTotpStep)
        let digests = row.bytes(.recoveryDigests)
        admin.recoveryDigests = stride(from: 0, to: digests.count, by: 32).compactMap {
            SecretDigest(stored: Array(digests[$0..<min($0 + 32, digests.count)]))
        }
        admin.updatedAt = row.time(.updatedAt)
        admin.lastLogInAt = row.optionalTime(.lastLogInAt)
        admin.disabledAt = row.optionalTime(.disabledAt)
        admin.usesPasskeysOnly = row.isTrue(.usesPasskeysOnly)
        return admin
    }

    package static func stored(_ admin: Admin, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .id: .id(admin.id)
        case .name: .text(admin.name)
        case .foldedName: .text(admin.foldedName)
        case .role: .text(admin.role.rawValue)
        case .applications: try StoredApplications.value(admin.applications)
        case .passwordHash: .optional(admin.passwordHash?.text)
        case .sealedTotp: .optional(admin.sealedTOTP)
        case .lastTotpStep: .integer(admin.lastTOTPStep)
        case .recoveryDigests: .bytes(admin.recoveryDigests.flatMap(\.bytes))
        case .createdAt: .time(admin.createdAt)
        case .updatedAt: .time(admin.updatedAt)
        case .lastLogInAt: .optional(admin.lastLogInAt)
        case .disabledAt: .optional(admin.disabledAt)
        case .usesPasskeysOnly: .truth(admin.usesPasskeysOnly)
        }
    }
}

package enum AdminSessionRow: StoredRow {
    package static let table: StaticString = "admin_sessions"

    package enum Column: Int, RowColumn {
        case digest, adminId, createdAt, lastUsedAt, authenticatedAt, passkeyId, identityId
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> AdminSession {
        var session = AdminSession(
            digest: try row.digest(.digest), admin: row.id(.adminId), createdAt: row.time(.createdAt))
        (session.lastUsedAt, session.authenticatedAt) = (row.time(.lastUsedAt), row.time(.authenticatedAt))
        session.passkey = row.optionalText(.passkeyId)
        session.identity = row.optionalText(.identityId)
        return session
    }

    package static func stored(_ session: AdminSession, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .digest: .digest(session.digest)
        case .adminId: .id(session.admin)
        case .createdAt: .time(session.createdAt)
        case .lastUsedAt: .time(session.lastUsedAt)
        case .authenticatedAt: .time(session.authenticatedAt)
        case .passkeyId: .optional(session.passkey)
        case .identityId: .optional(session.identity)
        }
    }
}

package enum AdminIdentityRow: StoredRow {
    package static let table: StaticString = "admin_identities"

    package enum Column: Int, RowColumn {
        case id, issuer, subject, adminId, linkedAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> AdminIdentity {
        AdminIdentity(
            issuer: row.text(.issuer), subject: row.text(.subject), admin: row.id(.adminId),
            linkedAt: row.time(.linkedAt))
    }

    package static func stored(_ identity: AdminIdentity, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .id: .text(identity.id)
        case .issuer: .text(identity.issuer)
        case .subject: .text(identity.subject)
        case .adminId: .id(identity.admin)
        case .linkedAt: .time(identity.linkedAt)
        }
    }
}

package enum AdminLinkRow: StoredRow {
    package static let table: StaticString = "admin_links"

    package enum Column: Int, RowColumn {
        case digest, adminId, sealedTotp, expiresAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> AdminLink {
        AdminLink(
            digest: try row.digest(.digest), admin: row.optionalId(.adminId), sealedTOTP: row.bytes(.sealedTotp),
            expiresAt: row.time(.expiresAt))
    }

    package static func stored(_ link: AdminLink, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .digest: .digest(link.digest)
        case .adminId: .optional(link.admin)
        case .sealedTotp: .bytes(link.sealedTOTP)
        case .expiresAt: .time(link.expiresAt)
        }
    }
}

package enum AdminKeyRow: StoredRow {
    package static let table: StaticString = "admin_keys"

    package enum Column: Int, RowColumn {
        case digest, id, name, scopes, applications, adminId, createdBy, createdAt, expiresAt, networks
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> AdminKey {
        AdminKey(
            id: row.id(.id), digest: try row.digest(.digest), name: row.text(.name),
            scopes: Set(row.text(.scopes).split(separator: " ").compactMap { AdminPermission(rawValue: String($0)) }),
            reach: .init(
                applications: try StoredApplications.applications(row.optionalText(.applications)),
                networks: try networks(row.optionalText(.networks))),
            maker: .init(id: row.id(.adminId), name: row.text(.createdBy)), createdAt: row.time(.createdAt),
            expiresAt: row.time(.expiresAt))
    }

    package static func stored(_ key: AdminKey, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .digest: .digest(key.digest)
        case .id: .id(key.id)
        case .name: .text(key.name)
        case .scopes: .text(key.scopes.map(\.rawValue).sorted().joined(separator: " "))
        case .applications: try StoredApplications.value(key.reach.applications)
        case .adminId: .id(key.maker.id)
        case .createdBy: .text(key.maker.name)
        case .createdAt: .time(key.createdAt)
        case .expiresAt: .time(key.expiresAt)
        case .networks:
            key.reach.networks.isEmpty ? .null : .text(key.reach.networks.map(\.text).joined(separator: " "))
        }
    }

    /// A key with a network that cannot be read may not be used: without it, it would count from anywhere.
    private static func networks(_ text: String?) throws(DomainError) -> [IPNetwork] {
        var networks: [IPNetwork] = []
        for part in text?.split(separator: " ") ?? [] {
            guard let network = IPNetwork(String(part)) else { throw .storageUnavailable }
            networks.append(network)
        }
        return networks
    }
}

/// The applications that an admin or a key is limited to; null for all of them.
private enum StoredApplications {
    static func value(_ applications: Set<Identifier<Application>>?) throws(DomainError) -> Value {
        guard let applications else { return .null }
        return .text(try JSONText.encode(applications.map(\.rawValue).sorted()))
    }

    static func applications(_ text: String?) throws(DomainError) -> Set<Identifier<Application>>? {
        guard let text else { return nil }
        return Set(try JSONText.decode([String].self, from: text).map { Identifier(rawValue: $0) })
    }
}
