import Foundation
package import enum OkaeriWire.JSONValue

/// Reads what came back with a person from a provider: only in the browser that was sent there, and only for ten minutes.
package struct ReadAuthorizationState: Sendable {
    private static let maximumStateBytes = 12_288

    let clock: any WallClock
    let sealingKey: SealingKey

    /// What the browser was sent for.
    package struct Returned: Sendable {
        package var provider: Identity.Provider
        package var audience: String
        package var verifier: Secret
        package var nonce: Secret
        package var continuation: String?
        package var fields: [String: JSONValue]
        /// Whether the person asked for the account back that is about to be deleted.
        package var isRestoring: Bool
        package var isLink: Bool
        let admin: AdminAuthorization?
        package let startedAt: Timestamp
        /// When it stops counting.
        let endsAt: Timestamp
        fileprivate var user: String?
        fileprivate var version: Int64?

        /// Whether it began in the account of this user, and nothing has made it void since.
        package func mayLink(to user: User) -> Bool {
            isLink && self.user == user.id.rawValue && version == user.credentialsVersion
        }
    }

    /// - Parameters:
    ///   - state: What came back.
    ///   - kept: What the browser kept meanwhile.
    ///   - cookie: The browser's cookie.
    ///   - application: Where.
    /// - Returns: `nil` for what is not this browser's, or too old, without saying which.
    package func callAsFunction(
        _ state: String, kept: String?, cookie: String, in application: Identifier<Application>
    ) -> Returned? {
        guard let record = record(state, kept: kept, cookie: cookie, in: application),
            record.expiresAt > clock.now.milliseconds
        else { return nil }
        return Returned(
            provider: .init(rawValue: record.provider), audience: record.audience,
            verifier: Secret(record.verifier), nonce: Secret(record.nonce), continuation: record.continuation,
            fields: record.fields ?? [:], isRestoring: record.isRestoring == true, isLink: record.isLink,
            admin: record.admin,
            startedAt: Timestamp(milliseconds: record.expiresAt) - StartAuthorization.life,
            endsAt: Timestamp(milliseconds: record.expiresAt), user: record.user, version: record.version)
    }

    /// What an app waits for whose person was at the provider for too long: nothing else counts of what came back.
    ///
    /// - Parameters:
    ///   - state: What came back.
    ///   - kept: What the browser kept meanwhile.
    ///   - cookie: The browser's cookie.
    ///   - application: Where.
    /// - Returns: `nil` for what is not this browser's, or where no app waits.
    package func continuation(
        ofLate state: String, kept: String?, cookie: String, in application: Identifier<Application>
    ) -> String? {
        record(state, kept: kept, cookie: cookie, in: application)?.continuation
    }

    /// What this browser was sent with, whenever that was.
    private func record(
        _ state: String, kept: String?, cookie: String, in application: Identifier<Application>
    ) -> AuthorizationStateRecord? {
        var state = state
        if let kept, Secret(AuthorizationStateRecord.digest(ofSealed: kept)) == Secret(state) { state = kept }
        guard state.utf8.count <= Self.maximumStateBytes, let sealed = Base64URL.bytes(of: state.utf8),
            let bytes = try? sealingKey.open(sealed, purpose: AuthorizationStateRecord.purpose(application)),
            let record = try? JSONDecoder().decode(AuthorizationStateRecord.self, from: Data(bytes)),
            Secret(record.browser) == Secret(AuthorizationStateRecord.digest(ofCookie: cookie))
        else { return nil }  // Whatever is wrong with it, it is no state of ours.
        return record
    }
}
