import enum OkaeriWire.JSONValue

/// Hides what is personal from admins who may see users but not who they are: enough stays to tell two users apart.
package enum Redaction {
    /// The first sign, and dots for the rest, however long: a whole name of Hindi can be one character.
    package static func text(_ text: String) -> String { hidden(text) }

    private static func hidden(_ text: some StringProtocol) -> String {
        (text.unicodeScalars.first.map { String($0) } ?? "") + "•••"
    }

    /// The same of what may be absent.
    package static func text(_ text: String?) -> String? { text.map { Self.text($0) } }

    /// What stands for the value of a field.
    static let value: JSONValue = .string("•••")

    /// `h•••@e•••.com`.
    package static func email(_ email: String?) -> String? {
        guard let email else { return nil }
        guard let address = MailAddress(email) else { return text(email) }
        let host = address.text.cut(at: "@")?.after ?? ""
        let last = host.pieces(at: ".").last.map { ".\($0)" } ?? ""
        return "\(hidden(address.localPart))@\(hidden(host))\(last)"
    }

    /// The last two digits.
    package static func phone(_ phone: String?) -> String? { phone.map { "•••\($0.suffix(2))" } }

    /// The network that an address is of: `192.0.•••`.
    package static func address(_ address: String?) -> String? {
        guard let address else { return nil }
        let separator: Character = address.contains(":") ? ":" : "."
        return address.split(separator: separator, omittingEmptySubsequences: false).prefix(2)
            .joined(separator: String(separator)) + "\(separator)•••"
    }

    /// A user without what is personal: fields keep their names.
    package static func user(_ user: User) -> User {
        var masked = user
        masked.username = text(user.username)
        masked.email = email(user.email)
        masked.phone = phone(user.phone)
        masked.displayName = text(user.displayName)
        masked.fields = user.fields.mapValues { _ in value }
        masked.identities = user.identities.map { identity in
            var masked = identity
            masked.subject = text(identity.subject)
            return masked
        }
        return masked
    }
}

/// An admin, or a program with a key, who reads of an application's users: with what is personal, or without.
///
/// Masking happens here alone, once, before a use case returns what it found: what is masked is not masked again.
package struct AdminReader: Hashable, Sendable {
    package let seesPersonalData: Bool

    /// For commands on the server's own machine, exports, and requests with an old service's master key.
    package static let unrestricted = AdminReader(seesPersonalData: true)

    private init(seesPersonalData: Bool) { self.seesPersonalData = seesPersonalData }

    /// - Parameters:
    ///   - access: Who reads.
    ///   - application: Whose users.
    package init(_ access: AdminAccess, in application: Identifier<Application>) {
        seesPersonalData = access.may(.readPersonalData, in: application)
    }

    package func shown(_ user: User) -> User { seesPersonalData ? user : Redaction.user(user) }

    /// A session without its device's name, the end of its address and what the app keeps of it.
    package func shown(_ session: Session) -> Session {
        guard !seesPersonalData else { return session }
        var masked = session
        masked.device = shown(session.device)
        masked.address = Redaction.address(session.address)
        masked.fields = session.fields.mapValues { _ in Redaction.value }
        return masked
    }

    /// A device key; its thumbprint stays, by which it is removed.
    package func shown(_ key: DeviceKey) -> DeviceKey {
        var masked = key
        masked.device = shown(key.device)
        return masked
    }

    package func shown(_ passkey: Passkey) -> Passkey {
        guard !seesPersonalData else { return passkey }
        var masked = passkey
        masked.name = Redaction.text(passkey.name)
        return masked
    }

    package func shown(_ factor: TOTPFactor) -> TOTPFactor {
        guard !seesPersonalData else { return factor }
        var masked = factor
        masked.name = Redaction.text(factor.name)
        return masked
    }

    package func shown(_ transfer: Transfer) -> Transfer {
        guard !seesPersonalData else { return transfer }
        var masked = transfer
        masked.device = shown(transfer.device)
        masked.address = Redaction.address(transfer.address)
        return masked
    }

    /// An entry of the audit log about a user. Its details hold nothing personal (`AuditEntry.details`).
    package func shown(_ entry: AuditEntry) -> AuditEntry {
        guard !seesPersonalData else { return entry }
        let origin = RequestOrigin(
            address: Redaction.address(entry.origin.address), requestId: entry.origin.requestId)
        return AuditEntry(
            id: entry.id, application: entry.application, at: entry.at,
            by: Operator(actor: entry.actor, origin: origin), did: entry.act, seal: entry.seal)
    }

    /// Events and what waits of them hold names and ids alone.
    package func shown(_ found: InspectUser.Findings) -> InspectUser.Findings {
        guard !seesPersonalData else { return found }
        var masked = found
        masked.user = shown(found.user)
        masked.sessions = found.sessions.map { shown($0) }
        masked.deviceKeys = found.deviceKeys.map { shown($0) }
        masked.passkeys = found.passkeys.map { shown($0) }
        masked.secondFactors = SecondFactorList(
            factors: found.secondFactors.factors.map { shown($0) },
            recoveryCodesLeft: found.secondFactors.recoveryCodesLeft)
        masked.transfers = found.transfers.map { shown($0) }
        masked.audit = found.audit.map { shown($0) }
        return masked
    }

    private func shown(_ device: DeviceDescription) -> DeviceDescription {
        guard !seesPersonalData else { return device }
        var masked = device
        masked.name = Redaction.text(device.name)
        return masked
    }
}
