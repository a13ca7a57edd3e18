import Foundation
import OkaeriWire

@testable import Okaeri

/// A generator whose numbers follow from its seed (SplitMix64), so that a failed walk can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Records and responses from which the tables of the machine are made.
enum Samples {
    static let instant = WireTime(millisecondsSince1970: 1_795_220_142_000)

    static func user(_ id: String, at time: WireTime = instant) -> UserBody {
        var user = UserBody(id: id, isAnonymous: true, createdAt: instant, updatedAt: time)
        user.lastLogInAt = instant
        return user
    }

    static func response(_ user: String = "hana", session: String = "new") -> LogInResponse {
        LogInResponse(
            isNew: false, user: self.user(user), previousLogInAt: instant,
            session: NewSessionBody(id: session, token: "token of \(session)", expiresAt: instant, idleSeconds: 60))
    }

    static func token(_ session: String) -> Secret { Secret("token of \(session)") }

    /// A device on which nobody has been.
    static let empty = VaultRecord()
    static let loggedIn = changed(empty) { $0.logIn(response(session: "old")) }
    /// Another process has logged in meanwhile.
    static let loggedInElsewhere = changed(loggedIn) { $0.logIn(response(session: "elsewhere")) }
    static let loggedOut = changed(loggedIn) { $0.logOut() }
    static let otherUser = changed(loggedIn) { $0.logIn(response("taro", session: "taro's")) }
    /// Hana has an account of her own, and this device's key.
    static let registered = changed(loggedIn) {
        $0.user?.isAnonymous = false
        $0.keyUser = "hana"
    }
    static let withoutSession = changed(loggedIn) { $0.session = nil }
    static let keyElsewhere = changed(loggedIn) { $0.keyLeadsElsewhere = true }

    static func changed(_ record: VaultRecord, _ change: (inout VaultRecord) -> Void) -> VaultRecord {
        var record = record
        change(&record)
        return record
    }
}

/// The records that a log-in may find.
enum SampleRecord: CaseIterable {
    case empty, loggedIn, loggedInElsewhere, loggedOut, otherUser, withoutSession, keyElsewhere, afterLogIn

    var record: VaultRecord {
        switch self {
        case .empty: Samples.empty
        case .loggedIn: Samples.loggedIn
        case .loggedInElsewhere: Samples.loggedInElsewhere
        case .loggedOut: Samples.loggedOut
        case .otherUser: Samples.otherUser
        case .withoutSession: Samples.withoutSession
        case .keyElsewhere: Samples.keyElsewhere
        case .afterLogIn: Samples.changed(Samples.loggedIn) { $0.logIn(Samples.response()) }
        }
    }
}

/// One error for each way in which a log-in can fail.
enum SampleFailure: CaseIterable {
    case offline, serverUnavailable, rateLimited, userDisabled, userDeleted, deviceKeyRemoved, storageLocked
    case storageUnavailable, credentialRefused, secondFactorRequired, loggedOutMeanwhile, unexpectedResponse

    var error: OkaeriError {
        switch self {
        case .offline: .offline
        case .serverUnavailable: .serverUnavailable(retryAfter: nil)
        case .rateLimited: .rateLimited(retryAfter: .seconds(1))
        case .userDisabled: .userDisabled
        case .userDeleted: .userDeleted(erasedAt: nil)
        case .deviceKeyRemoved: .deviceKeyRemoved(reason: nil, at: nil)
        case .storageLocked: .storageLocked
        case .storageUnavailable: .storageUnavailable("full")
        case .credentialRefused: .credentialRefused
        case .secondFactorRequired: .secondFactorRequired(nil)
        case .loggedOutMeanwhile: .loggedOutMeanwhile
        case .unexpectedResponse: .unexpectedResponse(status: 200)
        }
    }

    /// Whether the server was not reached, so that a copy may stand in.
    var isOutOfReach: Bool {
        self == .offline || self == .serverUnavailable || self == .rateLimited || self == .unexpectedResponse
    }
    /// Whether the server no longer lets the user in.
    var endsLogIn: Bool { self == .userDisabled || self == .userDeleted || self == .deviceKeyRemoved }
}
