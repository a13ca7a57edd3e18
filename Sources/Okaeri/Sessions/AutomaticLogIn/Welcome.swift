public import Foundation

/// How an automatic log-in ended: what the app greets with.
public enum Welcome: Hashable, Sendable {
    /// はじめまして: the user was made just now.
    case firstVisit(User)
    /// おかえりなさい: a known user, with the time of the log-in before this one.
    case returning(User, lastLogIn: Date)

    /// The user, new or known.
    public var user: User {
        switch self {
        case .firstVisit(let user), .returning(let user, _): user
        }
    }
}

extension Welcome {
    /// The greeting for a known user; one whose earlier log-in nobody recorded has been there since it was made.
    static func known(_ user: User, lastLogIn: Date?) -> Welcome {
        .returning(user, lastLogIn: lastLogIn ?? user.createdAt)
    }
}
