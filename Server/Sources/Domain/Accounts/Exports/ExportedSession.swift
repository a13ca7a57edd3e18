import enum OkaeriWire.JSONValue

/// A session that a foreign protocol opened, as an export has it. Its app has no key by which it could log in again, so that the token has
/// to go on counting. The digest is no keyed one: it says the same to every installation.
package struct ExportedSession: Hashable, Sendable {
    /// The most sessions of one user that come along, the newest ones.
    package static let maximumPerUser = 100
    /// The most bytes that the fields of a user's sessions take together as JSON.
    static let maximumFieldsBytes = 256 * 1024
    private static let maximumTextBytes = 256

    package var session: Session
    package var token: SecretDigest

    package init(session: Session, token: SecretDigest) {
        self.session = session
        self.token = token
    }

    /// Whether a session goes on elsewhere: apps of this server's own protocol log in by their keys, and a browser of the hosted pages
    /// knows another address by a cookie of that address alone.
    static func takes(_ session: Session, at now: Timestamp) -> Bool {
        session.protocolName != .native && session.protocolName != .pages && session.expiresAt > now
    }

    /// Those of a user that come along.
    ///
    /// - Parameters:
    ///   - sessions: All of the user's, newest first.
    ///   - now: What has ended by then stays.
    /// - Returns: at most `maximumPerUser`, within the size that a record may have.
    static func kept(of sessions: [ExportedSession], at now: Timestamp) -> [ExportedSession] {
        var bytes = JSONByteCount(limit: maximumFieldsBytes)
        var kept: [ExportedSession] = []
        for exported in sessions where takes(exported.session, at: now) {
            bytes.add(.object(exported.session.fields))
            guard kept.count < maximumPerUser, !bytes.isExceeded else { break }
            kept.append(exported)
        }
        return kept
    }

    /// The rules that a user's sessions break: an export that was changed by somebody does not get around them.
    static func faults(of sessions: [ExportedSession], within limits: ProfileLimits) -> [ValidationError] {
        func fault(_ rule: ValidationError.Rule) -> ValidationError { ValidationError(field: "sessions", rule: rule) }
        guard sessions.count <= maximumPerUser else { return [fault(.tooManyFields(maximum: maximumPerUser))] }
        var faults: [ValidationError] = []
        if Set(sessions.map(\.session.id)).count < sessions.count || Set(sessions.map(\.token)).count < sessions.count {
            faults.append(fault(.notUnique))
        }
        for session in sessions.map(\.session) {
            if session.protocolName == .native || session.protocolName == .pages { faults.append(fault(.notOffered)) }
            faults += TextRule(maximumBytes: ImportUsers.maximumIdBytes).faults(
                of: session.id.rawValue, field: "sessions")
            let texts = [
                session.protocolName.rawValue, session.method.rawValue, session.deviceKey, session.address,
                session.origin, session.parent?.rawValue,
            ]
            if texts.contains(where: { ($0?.utf8.count ?? 0) > maximumTextBytes }) {
                faults.append(fault(.tooManyBytes(maximum: maximumTextBytes)))
            }
            faults += session.device.faults(field: "sessions")
            faults += ProfileRules.faults(ofFields: session.fields, within: limits)
        }
        return faults
    }
}
