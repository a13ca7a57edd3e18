import Storage
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// One account with keys without end would hold up the writer that all share (requirement 47).
@Suite("The bound of a user's device keys")
struct DeviceKeyBoundTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func keys(of id: Identifier<User>) async throws -> [String] {
        try await world.modules.accounts.listDeviceKeys(of: id, in: application.id).map(\.thumbprint)
    }

    /// Logs in by password on so many new devices, a second apart.
    private func logInOnNewDevices(_ count: Int) async throws -> [TestDevice] {
        var devices: [TestDevice] = []
        for _ in 0..<count {
            world.clock.advance(by: .seconds(1))
            let device = TestDevice()
            _ = try await world.logIn("hana", to: application, with: device)
            devices.append(device)
        }
        return devices
    }

    private func reason(_ device: TestDevice) async -> RemovedDeviceKey.Reason? {
        let refusal = await world.refusal { _ = try await world.logIn(device, to: application) }
        guard case .removedDeviceKey(let key)? = refusal?.detail else { return nil }
        return key.reason
    }

    /// What removals of device keys left in the audit log, the newest first.
    private func removals() async throws -> [AuditEntry] {
        try await world.modules.administration.audit.list(in: application.id)
            .filter { $0.action == .deviceKeyRemoved }
    }

    @Test("lets every new device in, and takes the key with its sessions that was unused for longest")
    func logIns() async throws {
        let first = TestDevice()
        let id = try await world.signUp("hana", to: application, with: first).user.id
        let others = try await logInOnNewDevices(DeviceKey.maximumPerUser - 1)
        #expect(try await keys(of: id).count == DeviceKey.maximumPerUser)
        world.clock.advance(by: .seconds(1))
        // The oldest key is in use.
        _ = try await world.logIn(first, to: application)
        let more = try await logInOnNewDevices(2)
        let left = try await keys(of: id)
        #expect(Set(left) == Set(([first] + Array(others.dropFirst(2)) + more).map(\.thumbprint)))
        let sessions = try await world.modules.sessions.listSessions(of: id, in: application)
        #expect(Set(sessions.compactMap(\.deviceKey)).isSubset(of: left))
        #expect(await reason(others[0]) == .tooMany && others.count > 1)
        #expect(await reason(others[1]) == .tooMany)
        let entries = try await removals()
        #expect(entries.map { $0.details["device-key"] } == [others[1].thumbprint, others[0].thumbprint])
        #expect(entries.allSatisfy { $0.target == .user(id) && $0.actor == .server })
        #expect(entries.allSatisfy { $0.details["reason"] == "too_many_device_keys" && $0.details["count"] == "1" })
        #expect(try await world.logIn(first, to: application).user.id == id)
        // Its owner comes back by what leads there, with the same key.
        _ = try await world.logIn("hana", to: application, with: others[0])
        #expect(try await keys(of: id).contains(others[0].thumbprint))
    }

    @Test("holds for guests, whose devices join by codes")
    func guests() async throws {
        let owner = TestDevice()
        let id = try await world.logIn(owner, to: application).user.id
        var last = owner
        for _ in 0..<DeviceKey.maximumPerUser + 2 {
            world.clock.advance(by: .seconds(1))
            let who = try await world.authenticate(
                try await world.logIn(owner, to: application).token, in: application)
            let code = try await world.modules.transfers.issueTransferCode(by: who, isProven: false, from: .local).code
            last = TestDevice()
            _ = try await world.modules.transfers.redeemTransferCode(
                .init(
                    application: application, code: code.revealed, proof: try last.presented(at: world.clock.now),
                    address: TestWorld.address, origin: .local))
        }
        let left = try await keys(of: id)
        #expect(left.count == DeviceKey.maximumPerUser)
        #expect(left.contains(owner.thumbprint) && left.contains(last.thumbprint))
        #expect(try await removals().count == 3)
    }

    @Test("is reached by and by, where an older server let a user have more")
    func older() async throws {
        let id = try await world.signUp("hana", to: application).user.id
        let (linkedAt, application) = (world.clock.now, self.application.id)
        try await world.engine.write { transaction throws(DomainError) in
            for number in 0..<DeviceKey.maximumPerUser * 3 {
                try transaction.insert(
                    Identity(provider: .device, subject: "key\(number)", linkedAt: linkedAt + .milliseconds(number)),
                    for: id, in: application)
            }
        }
        var counts: [Int] = []
        for _ in 0..<4 {
            _ = try await logInOnNewDevices(1)
            counts.append(try await keys(of: id).count)
        }
        let most = DeviceKey.maximumPerUser
        #expect(counts == [2 * most + 1, most + 2, most, most])
        let oldOnes = try await keys(of: id).filter { $0.hasPrefix("key") }
        #expect(oldOnes == (2 * most + 4..<3 * most).map { "key\($0)" })
    }

    @Test("is one of all that can lead to a user, and an export of any user can be imported")
    func everything() {
        let most = DeviceKey.maximumPerUser + Passkey.maximumPerUser + OldDeviceId.maximumCount
        #expect(most < UserCredentials.maximumIdentities / 2)
        #expect(User.maximumIdentities <= UserCredentials.maximumIdentities)
    }

    @Test("is not that of what clients make up, which is refused beyond a thousand", arguments: [999, 1000])
    func madeUp(count: Int) async throws {
        let (id, now, application) = (
            try await world.signUp("hana", to: self.application).user.id, world.clock.now, self.application.id
        )
        try await world.engine.write { transaction throws(DomainError) in
            for number in 0..<count {
                try transaction.insert(
                    Identity(provider: .anonymous, subject: "id\(number)", linkedAt: now), for: id, in: application)
            }
        }
        let madeUp = try #require(AnonymousId("123e4567-e89b-12d3-a456-426614174000"))
        let links = try IdentityLinks([], madeUp, by: nil, in: application, sealingKey: .ofTests(), at: now)
        let refusal = await world.refusal {
            try await world.engine.write { transaction throws(DomainError) in
                guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
                try links.join(&user, in: transaction)
            }
        }
        #expect(refusal?.kind == (count < User.maximumIdentities ? nil : .invalid))
    }

    @Test("counts for no statement: an eviction has as many for a hundred keys as for two")
    func statements() async throws {
        func count(_ keys: Int) async throws -> Int {
            let spans = SpanQueue(capacity: 10_000)
            let store = try SQLiteStore(.memory, role: .server)
            let world = try TestWorld(TracedEngine(store, .sqlite))
            let application = try await world.makeApplication()
            let (id, now) = (try await world.signUp("hana", to: application).user.id, world.clock.now)
            try await store.write { transaction throws(DomainError) in
                for number in 0..<keys {
                    try transaction.insert(
                        Identity(provider: .device, subject: "key\(number)", linkedAt: now), for: id,
                        in: application.id)
                }
            }
            let request = Tracer(ratio: 1, seeds: (1, 2), queue: spans).begin("test", .server)
            let removed = try await CurrentSpan.$value.withValue(request) {
                try await world.modules.accounts.removeDeviceKeys.others(of: id, in: application, by: .operator(.local))
            }
            #expect(removed == keys)
            await store.close()
            return spans.take(.max).count
        }
        #expect(try await count(100) == count(2))
    }
}
