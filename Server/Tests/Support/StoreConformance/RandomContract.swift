import Domain
import Storage
import TestWorld
import enum OkaeriWire.JSONValue

extension Contract {
    static let randomContracts = [
        Contract("returns random users, sessions and applications, with the ends of every range, as they were written")
        {
            engine in
            for seed: UInt64 in 1...12 {
                let random = RandomSamples(seed: seed)
                let (user, other) = (random.user(), random.user())
                let session = random.session(of: user)
                let attempt = random.pick([nil, random.attempt()])
                let application = random.storedApplication()
                let token = random.digest()
                let (users, found, attempted, stored) = try await engine.write { transaction throws(DomainError) in
                    try transaction.insert(application)
                    for user in [user, other] { try transaction.insert(user) }
                    try transaction.insert(session, token: token, attempt: attempt)
                    var attempted: SessionAttempt?
                    if let attempt {
                        attempted = try transaction.session(
                            attempt: attempt.digest, of: user.id, in: user.application)?.attempt
                    }
                    return (
                        [
                            try transaction.user(user.id, in: user.application),
                            try transaction.user(other.id, in: other.application),
                        ], try transaction.session(token: token, in: user.application), attempted,
                        try transaction.application(application.id)
                    )
                }
                try expectEqual(users, [user, other])
                try expectEqual(found?.session, session)
                try expectEqual(found?.user, user)
                try expectEqual(attempted, attempt)
                try expectEqual(stored, application)
            }
        },
        Contract("behaves as a dictionary of users and sessions does, after any sequence of operations") { engine in
            for seed: UInt64 in 1...4 {
                let random = RandomSamples(seed: seed)
                var model = StoreModel()
                for _ in 0..<16 {
                    // Drawn before the transaction, which may run again.
                    var drawn: [StoreOperation] = []
                    for _ in 0..<8 {
                        let operation = model.draw(random)
                        model.apply(operation)
                        drawn.append(operation)
                    }
                    let operations = drawn
                    let ids = Array(model.known)
                    let (users, sessions, owners) = try await engine.write { transaction throws(DomainError) in
                        for operation in operations { try operation.run(in: transaction, random.application) }
                        var users: [User?] = []
                        var sessions: [[Session]] = []
                        var owners: [Identifier<User>?] = []
                        for id in ids {
                            let user = try transaction.user(id, in: random.application)
                            users.append(user)
                            sessions.append(try transaction.sessions(of: id, in: random.application))
                            for identity in user?.identities ?? [] {
                                owners.append(
                                    try transaction.user(
                                        provider: identity.provider, subject: identity.subject,
                                        in: random.application)?.id)
                            }
                        }
                        return (users, sessions, owners)
                    }
                    try expectEqual(users, ids.map { model.users[$0] })
                    try expectEqual(sessions, ids.map(model.sessions(of:)))
                    try expectEqual(
                        owners, ids.flatMap { id in model.users[id].map { $0.identities.map { _ in id } } ?? [] })
                }
            }
        },
    ]
}

/// Random content from a seed.
struct RandomSamples: Sendable {
    private let randomness: CountingRandomness
    let application: Identifier<Application>
    let now = StandingClock().now

    init(seed: UInt64) {
        randomness = CountingRandomness(seed: seed << 32)
        application = randomness.newIdentifier(at: now)
    }

    func number(below limit: Int) -> Int {
        Int(randomness.bytes(4).reduce(0) { $0 << 8 | UInt64($1) } % UInt64(max(limit, 1)))
    }

    func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    func id<Subject>() -> Identifier<Subject> { randomness.newIdentifier(at: now) }

    func digest() -> SecretDigest { SecretDigest(of: randomness.bytes(16)) }

    /// Texts that have an index: short ones.
    func name() -> String {
        pick(["", "a", "'; DROP TABLE users; --", "\u{1}\u{1f}\"\\", "おかえり 환영", "👩‍👩‍👧‍👦", "\u{10FFFD}", "%_*?[", "~"])
    }

    func text() -> String { pick([name(), name(), String(repeating: "é", count: 32 * 1024)]) }

    func optional<Wrapped>(_ value: @autoclosure () -> Wrapped) -> Wrapped? { number(below: 3) == 0 ? nil : value() }

    func time() -> Timestamp {
        pick([
            Timestamp(milliseconds: .min), Timestamp(milliseconds: .max), Timestamp(milliseconds: 0),
            Timestamp(milliseconds: -1), now, now + .milliseconds(number(below: 1 << 30)),
        ])
    }

    func json(depth: Int = 0) -> JSONValue {
        switch number(below: depth > 2 ? 5 : 7) {
        case 0: .null
        case 1: .bool(number(below: 2) == 0)
        case 2: .integer(pick([.min, .max, 0, -1, 9_007_199_254_740_993]))
        case 3: .number(pick([0.5, -0.1, 1.5e-300]))
        case 4: .string(text())
        case 5: .array((0..<number(below: 4)).map { _ in json(depth: depth + 1) })
        default: .object(fields(depth: depth + 1))
        }
    }

    func fields(depth: Int = 0) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for _ in 0..<number(below: 5) { fields[name()] = json(depth: depth) }
        return fields
    }

    func acl() -> ACL {
        var list = ACL()
        for _ in 0..<number(below: 4) {
            let subject = ACL.Subject(text: pick(["*", "user-a", "user-b", "role:x"]))
            list.entries[subject] = pick([.read, .write, [.read, .write]])
        }
        return list
    }

    func user() -> User {
        var user = User(
            id: id(), application: application, displayName: optional(name()), locale: optional(name()),
            fields: fields(), createdAt: time(), updatedAt: time())
        user.lastLogInAt = optional(time())
        user.previousLogInAt = optional(time())
        user.acl = optional(acl())
        return user
    }

    func session(of user: User) -> Session {
        Session(
            id: id(), application: application, user: user.id,
            client: .init(
                deviceKey: optional(name()),
                device: DeviceDescription(
                    name: optional(text()), model: optional(text()), system: optional(name()),
                    appVersion: optional(name()), installation: optional(name())), address: optional(name())),
            protocolName: .init(rawValue: pick(["native", "other", ""])), method: .init(rawValue: name()),
            times: .init(
                createdAt: time(), lastUsedAt: time(), expiresAt: time(), authenticatedAt: optional(time())))
    }

    func attempt() -> SessionAttempt {
        SessionAttempt(
            digest: digest(), request: optional(digest()), isNew: number(below: 2) == 0,
            previousLogInAt: optional(time()))
    }

    func storedApplication() -> Application {
        let seconds = [0, 1, 1 << 40].map { Duration.seconds($0) }
        return Application(
            id: application, name: text(), adminKeyDigest: digest(),
            settings: ApplicationSettings(
                proofRequired: number(below: 2) == 0, sessionIdleLifetime: pick(seconds),
                sessionLifetime: pick(seconds), audiences: (0..<number(below: 3)).map { _ in text() }),
            createdAt: time())
    }
}

/// What a store does with users and sessions, as values in memory.
struct StoreModel {
    private(set) var users: [Identifier<User>: User] = [:]
    private var sessions: [Identifier<Session>: Session] = [:]
    /// Erased users too.
    private(set) var known: Set<Identifier<User>> = []

    /// Newest first, as stores list them.
    func sessions(of user: Identifier<User>) -> [Session] {
        sessions.values.filter { $0.user == user }.sorted { $0.id.rawValue > $1.id.rawValue }
    }

    /// Draws an operation that the rules allow: what it names is there.
    func draw(_ random: RandomSamples) -> StoreOperation {
        let all = users.values.sorted { $0.id.rawValue < $1.id.rawValue }
        guard all.count > 1 else { return .insertUser(random.user()) }
        let user = random.pick(all)
        let drawn = random.user()
        var changed = User(
            id: user.id, application: user.application, displayName: drawn.displayName, locale: drawn.locale,
            fields: drawn.fields, createdAt: user.createdAt, updatedAt: drawn.updatedAt)
        changed.lastLogInAt = drawn.lastLogInAt
        changed.previousLogInAt = drawn.previousLogInAt
        changed.acl = random.optional(random.acl())
        changed.disabledAt = random.optional(random.time())
        changed.deletionRequestedAt = random.optional(random.time())
        let session = sessions(of: user.id).first
        switch random.number(below: 12) {
        case 0, 1: return .insertUser(random.user())
        case 2: return .updateProfile(changed)
        case 3: return .updateStanding(changed)
        case 4: return .updateACL(changed)
        case 5: return .updateLogInTimes(changed)
        case 6:
            let identity = Identity(
                provider: random.pick([.device, .apple]), subject: "\(random.digest().bytes)",
                linkedAt: random.time())
            return .link(identity, user.id)
        case 7:
            guard let identity = user.identities.first else { return .updateProfile(changed) }
            return .unlink(identity, user.id)
        case 8, 9: return .insertSession(random.session(of: user), random.digest())
        case 10:
            guard let session else { return .updateStanding(changed) }
            return random.number(below: 2) == 0 ? .endSession(session) : .endOthers(session)
        default: return .erase(user.id)
        }
    }

    mutating func apply(_ operation: StoreOperation) {
        switch operation {
        case .insertUser(let user):
            users[user.id] = user
            known.insert(user.id)
        case .updateProfile(let user):
            users[user.id]?.displayName = user.displayName
            users[user.id]?.locale = user.locale
            users[user.id]?.fields = user.fields
            users[user.id]?.updatedAt = user.updatedAt
        case .updateStanding(let user):
            users[user.id]?.disabledAt = user.disabledAt
            users[user.id]?.deletionRequestedAt = user.deletionRequestedAt
        case .updateACL(let user):
            users[user.id]?.acl = user.acl
            users[user.id]?.updatedAt = user.updatedAt
        case .updateLogInTimes(let user):
            users[user.id]?.lastLogInAt = user.lastLogInAt
            users[user.id]?.previousLogInAt = user.previousLogInAt
        case .link(let identity, let user):
            users[user]?.identities.append(identity)
            users[user]?.identities.sort { left, right in
                (left.linkedAt.milliseconds, left.provider.rawValue, left.subject)
                    < (right.linkedAt.milliseconds, right.provider.rawValue, right.subject)
            }
        case .unlink(let identity, let user):
            users[user]?.identities.removeAll { $0 == identity }
        case .insertSession(let session, _):
            sessions[session.id] = session
        case .endSession(let session):
            sessions[session.id] = nil
        case .endOthers(let kept):
            for session in sessions(of: kept.user) where session.id != kept.id { sessions[session.id] = nil }
        case .erase(let user):
            for session in sessions(of: user) { sessions[session.id] = nil }
            users[user] = nil
        }
    }
}

/// One thing to do with a store.
enum StoreOperation: Sendable {
    case insertUser(User)
    case updateProfile(User)
    case updateStanding(User)
    case updateACL(User)
    case updateLogInTimes(User)
    case link(Identity, Identifier<User>)
    case unlink(Identity, Identifier<User>)
    case insertSession(Session, SecretDigest)
    case endSession(Session)
    case endOthers(Session)
    case erase(Identifier<User>)

    func run(in transaction: any Transaction, _ application: Identifier<Application>) throws(DomainError) {
        switch self {
        case .insertUser(let user): try transaction.insert(user)
        case .updateProfile(let user): try transaction.updateProfile(of: user)
        case .updateStanding(let user): try transaction.updateStanding(of: user)
        case .updateACL(let user): try transaction.updateACL(of: user)
        case .updateLogInTimes(let user): try transaction.updateLogInTimes(of: user)
        case .link(let identity, let user): try transaction.insert(identity, for: user, in: application)
        case .unlink(let identity, let user): try transaction.remove(identity, of: user, in: application)
        case .insertSession(let session, let token): try transaction.insert(session, token: token, attempt: nil)
        case .endSession(let session):
            _ = try transaction.endSession(session.id, of: session.user, in: application)
        case .endOthers(let kept):
            _ = try transaction.endSessions(of: kept.user, in: application, except: kept.id)
        case .erase(let user): try transaction.erase(user, in: application)
        }
    }
}
