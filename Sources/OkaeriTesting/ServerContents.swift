import Foundation
import Okaeri
import OkaeriWire

/// What an in-memory server remembers.
struct ServerContents: Sendable {
    struct StoredUser: Sendable {
        let number: Int
        var body: UserBody
        var isDisabled = false
        var password: String?
        /// When the user is erased, after the deletion was asked for.
        var erasedAt: WireTime?
    }

    struct StoredSession: Sendable {
        let number: Int
        let user: String
        /// `nil` for a session that no key is bound to.
        let thumbprint: String?
        var body: SessionBody
        /// When the owner last proved to be there.
        var authenticatedAt: WireTime?
        /// When the second factor was last shown.
        var secondFactorAt: WireTime?
    }

    struct SentMail: Sendable {
        let mail: TestMail
        let user: String
        let ticket: String?
        let sentAt: WireTime
        var isVoid = false
    }

    struct PlannedFault: Sendable {
        let fault: ServerFault
        let path: String?
    }

    struct Watcher: Sendable {
        let count: Int
        let path: String?
        let continuation: CheckedContinuation<Void, Never>
    }

    var users: [String: StoredUser] = [:]
    /// Users by the thumbprint of a device's key.
    var usersByKey: [String: String] = [:]
    /// Keys that were removed, with the reason.
    var removedKeys: [String: (reason: String, at: WireTime)] = [:]
    /// Users by what a person types, in lower case.
    var usersByIdentifier: [String: String] = [:]
    /// Users by provider and the person's name there.
    var usersByIdentity: [String: String] = [:]
    /// Identity tokens that were used.
    var usedTokens: Set<String> = []
    /// Users by service and token.
    var oldTokens: [String: String] = [:]
    /// Who presented such a token first, by the thumbprint of the device's key.
    var oldTokenKeys: [String: String] = [:]
    /// Mails that were sent, with what their codes are good for.
    var mails: [SentMail] = []
    /// Sessions by token.
    var sessions: [String: StoredSession] = [:]
    /// Names of proofs that were used.
    var usedProofs: Set<String> = []
    /// Responses by idempotency key, with the thumbprint and the body of their request.
    var responses: [String: (thumbprint: String, body: Data, response: TransportResponse)] = [:]
    /// Proofs of presence by the token of before, with their names and bodies, and the token since.
    var presences: [String: (name: String, body: Data?, token: String, at: WireTime, response: TransportResponse)] = [:]
    /// Codes of the pages, with what was asked for.
    var webCodes: [String: WebCode] = [:]
    /// Transfer codes without hyphens.
    var transferCodes: [String: WaitingCode] = [:]
    var transfers: [StoredTransfer] = []
    /// The domain that passkeys belong to; `nil` for an application without passkeys.
    var passkeyDomain: String?
    /// What first launches need.
    var firstLaunchPolicy = FirstLaunchPolicy.none
    /// Challenges that were not used yet.
    var firstLaunchChallenges: Set<String> = []
    /// Oldest first.
    var passkeys: [StoredPasskey] = []
    /// Challenges that were not used yet.
    var passkeyChallenges: [String: PasskeyChallenge] = [:]
    var secondFactors = ServerSecondFactors()
    /// Conflicts by ticket, and merges by name.
    var mergeTickets: [String: MergeTicket] = [:]
    /// Tickets with which a user was kept, and the user.
    var keptTickets: [String: String] = [:]
    var merges: [String: StoredMerge] = [:]
    var requests: [TransportRequest] = []
    var faults: [PlannedFault] = []
    var watchers: [Watcher] = []
    /// Which responses are held back: none, all (`.some(nil)`), or those of one path.
    var held: String??
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isOffline = false
    var clockOffset: TimeInterval = 0
    var proofRequired = false
    var audiences: Set<String> = []
    /// What log-in screens learn; `nil` for the standard.
    var profile: ApplicationProfile?
    var nextNumber = 0

    mutating func newNumber() -> Int {
        nextNumber += 1
        return nextNumber
    }

    func count(of path: String?) -> Int {
        requests.count { path == nil || $0.url.path == path }
    }

    /// Notes a request.
    ///
    /// - Returns: The fault that is planned for it, and those who waited for it.
    mutating func receive(_ request: TransportRequest) -> (ServerFault?, [CheckedContinuation<Void, Never>]) {
        requests.append(request)
        let arrived = watchers.filter { count(of: $0.path) >= $0.count }
        let requests = self
        watchers.removeAll { requests.count(of: $0.path) >= $0.count }
        let planned = faults.firstIndex { $0.path == nil || $0.path == request.url.path }
        return (planned.map { faults.remove(at: $0).fault }, arrived.map(\.continuation))
    }
}
