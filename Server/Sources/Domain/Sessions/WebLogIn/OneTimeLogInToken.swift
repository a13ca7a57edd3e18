import Foundation

/// What stands in a ticket by which an app opens a page for its own user, sealed.
struct OneTimeLogInToken: Codable, Sendable {
    var user: String
    /// Milliseconds since 1970.
    var expiresAt: Int64
    /// The app's session. A ticket without it, of the minute before an update, opens nothing.
    var source: SessionSource
    /// The user's `credentialsVersion`; tickets of before it was written have the first one.
    var version: Int64?

    static func purpose(_ application: Identifier<Application>) -> String { "page ticket \(application)" }
}

/// Lets an app open the own account on the pages, for a user who could not log in there: a guest has nothing to type. The
/// address is good once, for 60 seconds.
package struct IssueOneTimeLogInToken: Sendable {
    package static let life: Duration = .seconds(60)

    let clock: any WallClock
    let sealingKey: SealingKey
    /// The server's own address; `nil` while it is not set.
    let pagesURL: String?

    /// - Parameters:
    ///   - who: The app's user.
    ///   - isProven: Whether the request came with a proof by the session's key, by which a guest is there now; see
    ///     `AccountAuthor`.
    /// - Returns: the address to open; `nil` when the server knows no address of its own.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    package func callAsFunction(
        for who: Authenticated, isProven: Bool
    ) throws(DomainError) -> (url: Secret, expiresAt: Timestamp)? {
        guard let pagesURL else { return nil }
        let now = clock.now
        let shownAt = isProven && who.session.isShownByKey(who.user) ? now : nil
        let ticket = OneTimeLogInToken(
            user: who.user.id.rawValue, expiresAt: (now + Self.life).milliseconds,
            source: SessionSource(who, shownAt: shownAt), version: who.user.credentialsVersion)
        let bytes: [UInt8]
        do {
            bytes = Array(try JSONEncoder().encode(ticket))
        } catch {
            // Texts and whole numbers always encode.
            throw .secretUnreadable
        }
        let application = who.application.id
        let sealed = try sealingKey.seal(bytes, purpose: OneTimeLogInToken.purpose(application))
        return (
            Secret("\(pagesURL)/a/\(application.rawValue)/open?ticket=\(Base64URL.text(of: sealed))"), now + Self.life
        )
    }
}

/// Opens a session of the pages for the bearer of a ticket, once.
package struct OpenPages: Sendable {
    private static let maximumTicketBytes = 4096

    let store: any Store
    let clock: any WallClock
    let sealingKey: SealingKey
    let issuers: SessionIssuers

    /// - Parameters:
    ///   - text: The ticket.
    ///   - application: Where.
    ///   - device: The browser.
    ///   - address: Where it is.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: `nil` for a ticket that is wrong, used, too old, or of a session that has ended, without saying which.
    /// - Throws: `userDisabled`, `userDeleted`, `storageUnavailable`.
    package func callAsFunction(
        _ text: String, in application: Application, device: DeviceDescription, address: ClientAddress,
        origin: RequestOrigin
    ) async throws(DomainError) -> LogIn? {
        let now = clock.now
        guard text.utf8.count <= Self.maximumTicketBytes, let sealed = Base64URL.bytes(of: text.utf8),
            let bytes = try? sealingKey.open(sealed, purpose: OneTimeLogInToken.purpose(application.id)),
            let ticket = try? JSONDecoder().decode(OneTimeLogInToken.self, from: Data(bytes)),
            ticket.expiresAt > now.milliseconds
        else { return nil }  // Whatever is wrong with it, it is no ticket of ours.
        let id = Identifier<User>(rawValue: ticket.user)
        let mark = RateLimitKey(
            application: application.id, kind: "page-ticket",
            subject: Base64URL.text(of: SecretDigest(of: text.utf8).bytes))
        let issuer = issuers.issuer(
            for: .init(
                application, .pages, by: ticket.source.isFresh(at: now) ? .pages : .keptPages,
                on: .init(device: device, address: address.text), record: .logIn(from: origin)
            ).derived(from: ticket.source, at: now),
            at: now)
        return try await store.write { transaction throws(DomainError) -> LogIn? in
            let uses = try transaction.count(mark, window: IssueOneTimeLogInToken.life * 2, at: now).count
            guard uses <= 1, let user = try transaction.user(id, in: application.id),
                user.credentialsVersion == ticket.version ?? 0, try ticket.source.isOpen(of: user, in: transaction)
            else { return nil }
            return try issuer.reissue(to: user, in: transaction)
        }
    }
}
