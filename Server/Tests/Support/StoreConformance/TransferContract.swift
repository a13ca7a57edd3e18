import Domain
import Storage
import TestWorld

extension Contract {
    static let transferContracts = [
        Contract("lets one of twenty devices that redeem one transfer code at once win") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let (user, code) = try await issued(world, application)
            let results = try await together(20) { _ in
                try await redeem(code.revealed, TestDevice(), world, application)
            }
            try expectEqual(results.compactMap { $0 }.map(\.logIn.user.id), [user.id])
            let after = try await world.modules.directory.readUser(user.id, in: application.id)
            try expectEqual(after.identities.count, 2)
        },
        Contract("makes one transfer of twenty redemptions by one device at once") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let (user, code) = try await issued(world, application)
            let phone = TestDevice()
            let before = try await world.logIn(phone, to: application).user
            let results = try await together(20) { _ in try await redeem(code.revealed, phone, world, application) }
            try expectEqual(results.compactMap { $0 }.map(\.logIn.user.id), Array(repeating: user.id, count: 20))
            try expectEqual(Set(results.compactMap { $0 }.map(\.leftUser?.id)), [before.id])
            let transfers = try await engine.read { transaction throws(DomainError) in
                try transaction.transfers(of: user.id, in: application.id)
            }
            try expectEqual(transfers.count, 1)
        },
        Contract("keeps the newest transfers of a user, as many as may be") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user())
            @Sendable func transfer(_ number: Int, of user: User) -> Transfer {
                Transfer(
                    id: Identifier(rawValue: "t\(1000 + number)"), application: samples.application, user: user.id,
                    to: .init(key: "k\(number)", device: DeviceDescription(), address: nil),
                    codeDigest: SecretDigest(of: "\(user.id) \(number)".utf8), leftUser: nil, redeemedAt: samples.now)
            }
            let most = Transfer.maximumPerUser
            let (before, after, others, first) = try await engine.write { transaction throws(DomainError) in
                for number in 0..<most + 3 { try transaction.insert(transfer(number, of: user)) }
                try transaction.insert(transfer(0, of: other))
                let before = try transaction.transfers(of: user.id, in: samples.application).map(\.deviceKey)
                try transaction.removeExcessTransfers(of: user.id, in: samples.application)
                return (
                    before, try transaction.transfers(of: user.id, in: samples.application).map(\.deviceKey),
                    try transaction.transfers(of: other.id, in: samples.application).count,
                    try transaction.transfer(codeDigest: transfer(2, of: user).codeDigest, in: samples.application)
                )
            }
            try expectEqual(before, (3..<most + 3).map { "k\($0)" })
            try expectEqual(after, before)
            try expectEqual(others, 1)
            try expect(first == nil, "an old transfer is there")
        },
        Contract("moves a transfer to another user and back, where no code leads to it") { engine in
            let samples = Samples()
            let (guest, user, application) = (samples.user(), samples.user(after: 1), samples.application)
            let digest = samples.token(1)
            let transfer = Transfer(
                id: Identifier(rawValue: "t1"), application: application, user: guest.id,
                to: .init(key: "k", device: DeviceDescription(name: "花"), address: "192.0.2.7"), codeDigest: digest,
                leftUser: nil, redeemedAt: samples.now)
            let (there, byCode, back, ofErased) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(guest)
                try transaction.insert(user)
                try transaction.insert(transfer)
                try transaction.move(transfer, to: user.id)
                let there = try transaction.transfers(of: user.id, in: application)
                let byCode = try transaction.transfer(codeDigest: digest, in: application)
                for moved in there { try transaction.move(moved, to: guest.id) }
                let back = try transaction.transfers(of: guest.id, in: application)
                for moved in back { try transaction.move(moved, to: user.id) }
                try transaction.erase(guest.id, in: application)
                return (there, byCode, back, try transaction.transfers(of: user.id, in: application))
            }
            let spent = transfer.spentDigest
            for (found, owner) in [(there, user), (back, guest), (ofErased, user)] {
                try expectEqual(found.map(\.id), [transfer.id])
                try expectEqual(found.map(\.user), [owner.id])
                try expectEqual(found.map(\.deviceKey), ["k"])
                try expectEqual(found.map(\.redeemedAt), [samples.now])
                try expectEqual(found.map(\.codeDigest), [spent])
            }
            try expect(byCode == nil, "the code leads to a moved transfer")
        },
        Contract("keeps one of twenty transfer codes that one user asks for at once") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let logIn = try await world.logIn(TestDevice(), to: application)
            let who = try await world.authenticate(logIn.token, in: application)
            let codes = try await together(20) { _ in
                try await world.modules.transfers.issueTransferCode(by: who, isProven: false, from: .local).code
                    .revealed
            }
            var winners = 0
            for code in codes where try await redeem(code, TestDevice(), world, application) != nil { winners += 1 }
            try expectEqual(winners, 1)
        },
        Contract("lets a code be withdrawn or redeemed, never both") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            for _ in 0..<5 {
                let logIn = try await world.logIn(TestDevice(), to: application)
                let who = try await world.authenticate(logIn.token, in: application)
                let code = try await world.modules.transfers.issueTransferCode(by: who, isProven: false, from: .local)
                    .code.revealed
                async let redeemed = redeem(code, TestDevice(), world, application)
                try await world.modules.transfers.withdrawTransferCode(by: who, from: .local)
                let won = try await redeemed != nil
                let devices = try await world.modules.directory.readUser(logIn.user.id, in: application.id).identities
                    .count
                try expectEqual(devices, won ? 2 : 1)
                try expect(try await redeem(code, TestDevice(), world, application) == nil, "a code counted twice")
            }
        },
        Contract("moves a device's key to one user when it redeems the codes of two at once") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let codes = [
                try await issued(world, application).code.revealed, try await issued(world, application).code.revealed,
            ]
            let phone = TestDevice()
            _ = try await together(2) { number in try await redeem(codes[Int(number)], phone, world, application) }
            let users = try await world.modules.directory.listUsers(in: application.id)
            try expectEqual(users.flatMap(\.identities).filter { $0.subject == phone.thumbprint }.count, 1)
        },
    ]
}

private func issued(_ world: TestWorld, _ application: Application) async throws -> (user: User, code: Secret) {
    let logIn = try await world.logIn(TestDevice(), to: application)
    let who = try await world.authenticate(logIn.token, in: application)
    return (
        logIn.user, try await world.modules.transfers.issueTransferCode(by: who, isProven: false, from: .local).code
    )
}

/// - Returns: `nil` when the code was refused.
private func redeem(
    _ code: String, _ device: TestDevice, _ world: TestWorld, _ application: Application
) async throws -> RedeemTransferCode.Redeemed? {
    do {
        return try await world.modules.transfers.redeemTransferCode(
            .init(
                application: application, code: code, proof: try device.presented(at: world.clock.now),
                address: TestWorld.address, origin: .local))
    } catch let error as DomainError where error == .transferCodeRefused {
        return nil
    }
}
