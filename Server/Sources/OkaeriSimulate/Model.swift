import Crypto
import Domain
import Foundation
import TestWorld

/// What the checkers expect of a person's account. A field is `nil` when a lost answer left it open.
///
/// Unchecked: a simulation runs on one thread; so with the others here.
final class Person: @unchecked Sendable {
    enum Standing { case active, disabled, unsure, erased }

    let id: Identifier<User>
    var standing: Standing = .active
    /// When the deletion was asked for.
    var leavingSince: Timestamp?
    var username: String?
    /// The password that is in force.
    var password: String?
    /// Whether a lost answer left open which name and password there are.
    var hasUnsureNames = false
    /// Passwords that were replaced.
    var oldPasswords: [String] = []
    var sessions: [OpenSession] = []
    var isBusy = false

    init(_ id: Identifier<User>) { self.id = id }

    /// Whether the days of grace may be over, or a lost answer left open whether there is a user.
    func mayBeErased(at now: Timestamp) -> Bool {
        leavingSince.map { now - $0 > .days(5) } ?? (standing == .unsure || standing == .erased)
    }

    /// What ends with a change that was answered, or may have ended with one that was not.
    func end(isSure: Bool, where matches: (OpenSession) -> Bool = { _ in true }) -> [OpenSession] {
        let ended = sessions.filter(matches)
        for session in ended { session.end(isSure: isSure) }
        sessions.removeAll { $0.state == .ended }
        return ended.filter { $0.state == .ended }
    }
}

/// What the checkers expect of a session.
final class OpenSession: @unchecked Sendable {
    enum State { case live, unsure, ended }

    let token: Secret
    let id: Identifier<Session>
    let createdAt: Timestamp
    let person: Person
    /// The device that holds the token.
    weak var device: Device?
    /// Whether the session belongs to the device's key.
    let isBound: Bool
    var state = State.live
    /// No use is later, whether it was answered or not.
    var usedUntil: Timestamp
    /// When a use that the database has was begun: what the server knows of later ones goes with its process.
    private var writtenUse: Timestamp
    /// When the latest one that was answered was begun, and in which life of the server.
    private var answeredUse: (at: Timestamp, boot: Int)?
    /// When its end was answered, in the time of the nodes.
    var endedAt: UInt64 = 0

    init(_ logIn: LogIn, of person: Person, on device: Device?, isBound: Bool) {
        token = logIn.token
        id = logIn.session.id
        createdAt = logIn.session.createdAt
        self.person = person
        self.device = device
        self.isBound = isBound
        usedUntil = logIn.session.createdAt
        writtenUse = logIn.session.createdAt
    }

    /// Notes a use that was answered, in this life of the server.
    func noteUse(begunAt begin: Timestamp, in boot: Int) { answeredUse = (begin, boot) }

    /// Notes that the database has a use.
    func noteWritten(_ use: Timestamp) { writtenUse = max(writtenUse, use) }

    /// The server knows of a use that is not earlier.
    func usedSince(in boot: Int) -> Timestamp {
        guard let answeredUse, answeredUse.boot == boot else { return writtenUse }
        return max(writtenUse, answeredUse.at)
    }

    func end(isSure: Bool) {
        if isSure {
            state = .ended
        } else if state == .live {
            state = .unsure
        }
    }
}

/// A device of a person, with a key and a clock of its own.
final class Device: @unchecked Sendable {
    let index: Int
    private(set) var key: TestDevice
    /// How many millionths its clock is too fast.
    private let drift: Int64
    /// How far its clock was from the server's when it was set last.
    private var offset: Duration
    private var setAt: Timestamp?
    /// To whom its key leads; `nil` when a lost answer left that open.
    var person: Person? {
        didSet { if let person { mayLeadTo = [person] } }
    }
    /// To whom its key may lead while that is open.
    var mayLeadTo: [Person] = []
    /// Whether the server may know the key.
    var isUnknown = true
    var isBusy = false
    /// Sessions that belong to its key.
    var sessions: [OpenSession] = []
    private var attempts = 0

    init(_ index: Int, _ generator: inout SeededGenerator) throws {
        self.index = index
        key = try Self.newKey(&generator)
        offset = .milliseconds(generator.number(below: 80_000) - 40_000)
        drift = Int64(generator.number(below: 401)) - 200
    }

    /// What its clock shows at a time of the server's.
    func time(at now: Timestamp) -> Timestamp {
        let since = setAt ?? now
        setAt = since
        let drifted = (now - since).components.seconds * drift / 1000
        return now + offset + .milliseconds(drifted)
    }

    /// Sets its clock, as the SDK corrects what it signs by.
    func set(to time: Timestamp, at now: Timestamp) { (offset, setAt) = (time - now, now) }

    /// What its key opened may have ended: a log-in went unanswered.
    func doubtSessions() {
        for session in sessions { session.end(isSure: false) }
        sessions.removeAll { $0.state == .ended }
    }

    /// Throws the key away, as an app does that is installed anew.
    func renew(_ generator: inout SeededGenerator) throws {
        key = try Self.newKey(&generator)
        person = nil
        isUnknown = true
    }

    func nextName() -> String {
        attempts += 1
        return "\(index)-\(attempts)"
    }

    private static func newKey(_ generator: inout SeededGenerator) throws -> TestDevice {
        TestDevice(key: try generator.privateKey())
    }
}

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> [UInt8] { list(of: count) { UInt8(truncatingIfNeeded: $0.next()) } }

    mutating func privateKey() throws -> P256.Signing.PrivateKey {
        // Smaller than the order of P-256, and not 0.
        try P256.Signing.PrivateKey(rawRepresentation: [1] + bytes(31))
    }
}
