import Foundation
import OkaeriWire

/// A log-in that a caller asked for. Its name goes with every try, so that a repeated request has no second effect.
struct LogInOrder: Hashable, Sendable {
    let body: AutomaticLogInBody
    let idempotencyKey: String
}

/// Why a log-in happens.
enum LogInReason: Hashable, Sendable {
    /// A caller asked for it.
    case asked(LogInOrder)
    /// A request found its session dead.
    case renewal(of: Secret?)
}

/// How a log-in ended.
struct LogInResult: Hashable, Sendable {
    let welcome: Welcome
    /// The session to go on with; `nil` when the user is the stored copy.
    let session: VaultRecord.StoredSession?
}

extension LogInResult {
    /// The log-in that a record holds; `nil` when nobody is logged in.
    init?(_ record: VaultRecord) {
        guard let session = record.session, let body = record.loggedInUser else { return nil }
        let user = User(body)
        let previous = record.welcome?.previousLogInAt.map(Date.init(_:))
        self.init(
            welcome: record.welcome?.isNew == true ? .firstVisit(user) : .known(user, lastLogIn: previous),
            session: session)
    }
}
