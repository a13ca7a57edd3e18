import Domain
import Storage
import TestWorld

extension Contract {
    static let accountRaceContracts = [
        Contract("makes one user of two sign-ups at once whose user names differ only in case") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let names = ["hana", "HANA", "Ｈａｎａ", "hAnA"]
            let refusals = try await together(20) { number in
                await world.refusal { _ = try await world.signUp(names[Int(number) % 4], to: application) }
            }
            try expectEqual(refusals.filter { $0 == nil }.count, 1)
            try expectEqual(refusals.filter { $0 == .identifiersTaken([.username]) }.count, 19)
            try expectEqual(try await userCount(engine, application), 1)
        },
        Contract("upgrades one of two users to one mail address at once, and leaves the other as it was") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let logIns = try await together(10) { _ in try await world.logIn(TestDevice(), to: application) }
            let addresses = ["hana@bücher.example", "HANA@XN--BCHER-KVA.EXAMPLE"]
            let refusals = try await together(10) { number in
                await world.refusal {
                    _ = try await world.upgrade(
                        logIns[Int(number)], NewIdentifiers(email: .set(addresses[Int(number) % 2]), rules: .native),
                        in: application)
                }
            }
            try expectEqual(refusals.filter { $0 == nil }.count, 1)
            try expectEqual(refusals.filter { $0 == .identifiersTaken([.email]) }.count, 9)
            let users = try await engine.read { transaction throws(DomainError) in
                try transaction.users(in: application.id, after: nil, limit: 100)
            }
            try expectEqual(users.filter { !$0.isAnonymous }.count, 1)
            try expectEqual(users.filter(\.hasPassword).count, 1)
        },
        Contract("upgrades a user once when two different upgrades come at once") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let logIn = try await world.logIn(TestDevice(), to: application)
            let refusals = try await together(10) { number in
                await world.refusal {
                    _ = try await world.upgrade(
                        logIn, NewIdentifiers(username: .set("hana \(number)"), rules: .native), in: application)
                }
            }
            try expectEqual(refusals.filter { $0 == nil }.count, 1)
            try expectEqual(refusals.filter { $0 == .alreadyRegistered }.count, 9)
        },
        Contract("counts each of twenty wrong passwords at once, and lets no right one through after the fifth") {
            engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            _ = try await world.signUp("hana", to: application)
            let refusals = try await together(20) { _ in
                await world.refusal { _ = try await world.logIn("hana", Secret("wrong"), to: application) }
            }
            try expectEqual(refusals.filter { $0 == .credentialRefused }.count, 5)
            try expectEqual(refusals.filter { $0 == .rateLimited(retryAfter: .seconds(1)) }.count, 15)
            let right = await world.refusal { _ = try await world.logIn("hana", to: application) }
            try expectEqual(right, .rateLimited(retryAfter: .seconds(1)))
        },
        Contract("keeps one of two changes of a password at once, and ends the sessions that either did not make") {
            engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let logIn = try await world.signUp("hana", to: application)
            let who = try await world.authenticate(logIn.token, in: application)
            let refusals = try await together(10) { number in
                await world.refusal {
                    _ = try await world.modules.accounts.changePassword(
                        .init(
                            current: Secret("a long enough secret"), new: Secret("another secret \(number)"),
                            address: TestWorld.address, rules: .native, origin: .local),
                        by: who, isProven: false)
                }
            }
            // Who read the old password and comes second is refused: it is not the password any more.
            try expectEqual(refusals.filter { $0 == nil }.count, 1)
            world.clock.advance(by: .seconds(900))
            let old = await world.refusal { _ = try await world.logIn("hana", to: application) }
            try expectEqual(old, .credentialRefused)
        },
        Contract("opens no session with a password that was changed meanwhile") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let logIn = try await world.signUp("hana", to: application)
            let who = try await world.authenticate(logIn.token, in: application)
            async let attempts = together(20) { _ in
                try? await world.logIn("hana", to: application)
            }
            _ = try await world.modules.accounts.changePassword(
                .init(
                    current: nil, new: Secret("another secret"), address: TestWorld.address, rules: .native,
                    origin: .local),
                by: who, isProven: false)
            for late in try await attempts {
                guard let late else { continue }
                do {
                    _ = try await world.authenticate(late.token, in: application)
                    throw ContractFault(description: "a session of the old password is left")
                } catch let error as DomainError where error == .sessionInvalid {}
            }
        },
    ]

    private static func userCount(_ engine: any Engine, _ application: Application) async throws -> Int {
        try await engine.read { transaction throws(DomainError) in
            try transaction.userCount(in: application.id)
        }
    }
}
