import Domain
import enum OkaeriWire.JSONValue
import Storage
import TestWorld

extension Contract {
    static let raceContracts = [
        Contract("makes one user of twenty first log-ins of one device at once") { engine in
            let world = try TestWorld(engine, firstLaunches: .firstLaunches)
            let application = try await world.makeApplication()
            let device = TestDevice()
            let logIns = try await together(20) { _ in try await world.logIn(device, to: application) }
            try expectEqual(Set(logIns.map(\.user.id)).count, 1)
            try expectEqual(logIns.filter(\.isNew).count, 1)
            let count = try await engine.read { transaction throws(DomainError) in
                try transaction.userCount(in: application.id)
            }
            try expectEqual(count, 1)
            for logIn in logIns { _ = try await world.authenticate(logIn.token, in: application) }
        },
        Contract("accepts a proof once when it is sent twenty times at once") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let proof = try TestDevice().presented(at: world.clock.now)
            let refusals = try await together(20) { _ -> DomainError? in
                do {
                    _ = try await world.modules.logIns.logInAutomatically(
                        .init(application: application, proof: proof, address: TestWorld.address))
                    return nil
                } catch { return error as? DomainError }
            }
            try expectEqual(refusals.filter { $0 == nil }.count, 1)
            try expectEqual(refusals.filter { $0 == .proofReplayed }.count, 19)
        },
        Contract("lets thirty of thirty-one first launches at once from one address through") { engine in
            let world = try TestWorld(engine, firstLaunches: .firstLaunches)
            let application = try await world.makeApplication()
            let refusals = try await together(31) { _ -> DomainError? in
                do {
                    _ = try await world.logIn(TestDevice(), to: application)
                    return nil
                } catch { return error as? DomainError }
            }
            try expectEqual(refusals.filter { $0 == nil }.count, 30)
            try expect(refusals.contains(.rateLimited(retryAfter: .seconds(3600))), "nobody got a time to wait")
        },
        Contract("makes one signing key of twenty rotations at once, and removes none that has signed") { engine in
            let world = try TestWorld(engine)
            let first = try await world.modules.sessions.signingKeys().map(\.id)
            let made = try await together(20) { _ -> String? in
                do throws(DomainError) {
                    return try await world.modules.sessions.rotateSigningKeys(by: .local).id
                } catch {
                    // Another refusal would be no key's id.
                    return error.code == .rateLimited ? nil : "\(error)"
                }
            }
            let keys = try await engine.read { transaction throws(DomainError) in try transaction.signingKeys() }
            try expectEqual(keys.map(\.id), made.compactMap(\.self) + first)
        },
        Contract("keeps both of two changes of different fields at once") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let user = try await world.logIn(TestDevice(), to: application).user
            _ = try await together(20) { number in
                try await world.edit(
                    user.id, in: application, UserEdit(fields: .set(["field \(number)": .integer(number)])))
            }
            let after = try await world.modules.directory.readUser(user.id, in: application.id)
            try expectEqual(after.fields.count, 20)
        },
        Contract("shows no session that ended, however requests and log-outs race") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let logIns = try await together(20) { _ in try await world.logIn(TestDevice(), to: application) }
            _ = try await together(20) { number in
                let token = logIns[Int(number)].token
                let who = try await world.authenticate(token, in: application)
                async let requests = together(5) { _ in try? await world.authenticate(token, in: application) }
                try await world.modules.sessions.logOut(who)
                do {
                    _ = try await world.authenticate(token, in: application)
                    throw ContractFault(description: "a session that had ended was shown")
                } catch let error as DomainError where error == .sessionInvalid {}
                _ = try await requests
                do {
                    _ = try await world.authenticate(token, in: application)
                    throw ContractFault(description: "a late look-up brought a session back")
                } catch let error as DomainError where error == .sessionInvalid {}
            }
        },
    ]
}

/// Runs a closure so many times at once.
func together<Value: Sendable>(
    _ count: Int64, _ body: @escaping @Sendable (Int64) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<count { group.addTask { try await body(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
