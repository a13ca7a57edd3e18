import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// Every set of keys against every set of sessions that three keys and one session without a key can have.
@Suite("Sessions of several device keys")
struct DeviceKeySessionTests {
    private static let keys = ["one", "two", "three"]
    private static let sets = 0..<(1 << keys.count)
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private static func named(_ bits: Int) -> Set<String> {
        Set(keys.indices.filter { bits & 1 << $0 != 0 }.map { keys[$0] })
    }

    @Test("are of a key that leads to the user, and of nothing else that has its name", arguments: sets, sets)
    func ofKey(devices: Int, others: Int) {
        let (id, now) = (application.id, world.clock.now)
        var user = User(id: Identifier(rawValue: "u"), application: id, createdAt: now, updatedAt: now)
        user.identities =
            Self.named(devices).map { Identity(provider: .device, subject: $0, linkedAt: now) }
            + Self.named(others).map { Identity(provider: .google, subject: $0, linkedAt: now) }
        let sessionKeys: [String?] = [nil] + Self.keys.map { $0 }
        for key in sessionKeys {
            let session = Session(
                id: Identifier(rawValue: "s"), application: id, user: user.id,
                client: .init(deviceKey: key, address: nil), protocolName: .native, method: .automatic,
                times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1)))
            let leadsThere = key.map { Self.named(devices).contains($0) } ?? false
            #expect(session.isOfKey(of: user) == leadsThere, "\(key ?? "none")")
            // A key proves that somebody is there whom nothing else could prove.
            #expect(session.isShownByKey(user) == (leadsThere && others == 0), "\(key ?? "none")")
        }
    }

    /// Two sessions of each key and one of none.
    private func openSessions(of user: Identifier<User>, from first: UInt8) async throws {
        let (id, now) = (application.id, world.clock.now)
        var keys: [String?] = [nil]
        for key in Self.keys { keys += [key, key] }
        let sessions = keys.map { key in
            Session(
                id: world.randomness.newIdentifier(at: now), application: id, user: user,
                client: .init(deviceKey: key, address: nil), protocolName: .single, method: .password,
                times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1)))
        }
        try await world.engine.write { transaction throws(DomainError) in
            for (number, session) in sessions.enumerated() {
                try transaction.insert(session, token: SecretDigest(of: [first, UInt8(number)]), attempt: nil)
            }
        }
    }

    private func left(of user: Identifier<User>) async throws -> [String] {
        let id = application.id
        let sessions = try await world.engine.read { transaction throws(DomainError) in
            try transaction.sessions(of: user, in: id)
        }
        return sessions.map { $0.deviceKey ?? "none" }.sorted()
    }

    @Test("end for exactly the keys that are named, with their number, and for no other user", arguments: sets)
    func end(bits: Int) async throws {
        let named = Self.named(bits)
        let hana = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true).id
        let mika = try await world.makeUser(in: application, email: "mika@example.com", isVerified: true).id
        try await openSessions(of: hana, from: 1)
        try await openSessions(of: mika, from: 2)
        let (id, all) = (application.id, try await left(of: mika))
        #expect(all.count == 2 * Self.keys.count + 1)
        for (round, count) in [2 * named.count, 0].enumerated() {
            let ended = try await world.engine.write { transaction throws(DomainError) in
                try transaction.endSessions(of: hana, in: id, deviceKeys: named)
            }
            #expect(ended == count, "round \(round)")
            #expect(try await left(of: hana) == all.filter { !named.contains($0) })
            #expect(try await left(of: mika) == all)
        }
    }

    @Test("end as they do for one key after the other", arguments: sets)
    func oneByOne(bits: Int) async throws {
        let named = Self.named(bits)
        let hana = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true).id
        let mika = try await world.makeUser(in: application, email: "mika@example.com", isVerified: true).id
        try await openSessions(of: hana, from: 1)
        try await openSessions(of: mika, from: 2)
        let id = application.id
        let (together, apart) = try await world.engine.write { transaction throws(DomainError) in
            let together = try transaction.endSessions(of: hana, in: id, deviceKeys: named)
            var apart = 0
            for key in named { apart += try transaction.endSessions(of: mika, in: id, deviceKeys: [key]) }
            return (together, apart)
        }
        #expect(together == apart)
        let (ofHana, ofMika) = (try await left(of: hana), try await left(of: mika))
        #expect(ofHana == ofMika)
    }
}

/// The list of a user's keys, for identities and sessions at random.
@Suite("Device keys among other identities and sessions")
struct DeviceKeyModelTests {
    private static let now = StandingClock().now
    private static let devices = [
        DeviceDescription(), DeviceDescription(name: "Phone"), DeviceDescription(model: "M1"),
        DeviceDescription(system: "17"),
    ]

    private static func user(_ draw: inout SeededGenerator) -> User {
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "a"), createdAt: now, updatedAt: now)
        for number in 0..<Int.random(in: 0...4, using: &draw) {
            let provider: Identity.Provider = Bool.random(using: &draw) ? .device : .apple
            user.identities.append(
                Identity(provider: provider, subject: "key\(number)", linkedAt: now + .seconds(number)))
        }
        return user
    }

    /// The newest first, as storage gives them.
    private static func sessions(_ draw: inout SeededGenerator) -> [Session] {
        var sessions: [Session] = []
        for number in 0..<Int.random(in: 0...8, using: &draw) {
            let key = Int.random(in: -1...4, using: &draw)
            let device = devices[Int.random(in: devices.indices, using: &draw)]
            let usedAt = now + .seconds(Int.random(in: 0...1000, using: &draw))
            sessions.append(
                Session(
                    id: Identifier(rawValue: "s\(number)"), application: Identifier(rawValue: "a"),
                    user: Identifier(rawValue: "u"),
                    client: .init(deviceKey: key < 0 ? nil : "key\(key)", device: device, address: nil),
                    protocolName: .native, method: .automatic,
                    times: .init(createdAt: now, lastUsedAt: usedAt, expiresAt: now + .days(1))))
        }
        return sessions
    }

    @Test(
        "are one for each, with the last use of any session, and a name where a session has one",
        arguments: UInt64(0)..<200)
    func list(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let user = Self.user(&draw)
        let sessions = Self.sessions(&draw)
        let keys = DeviceKey.keys(of: user, sessions: sessions)
        let identities = user.identities.filter { $0.provider == .device }
        #expect(keys.map(\.thumbprint) == identities.map(\.subject))
        #expect(keys.map(\.addedAt) == identities.map(\.linkedAt))
        for key in keys {
            let own = sessions.filter { $0.deviceKey == key.thumbprint }
            #expect(key.lastUsedAt == own.map(\.lastUsedAt).max())
            let named = own.filter { $0.device.name != nil || $0.device.model != nil }
            let device = named.first?.device ?? own.first?.device ?? DeviceDescription()
            #expect(key.device == device)
        }
    }
}
