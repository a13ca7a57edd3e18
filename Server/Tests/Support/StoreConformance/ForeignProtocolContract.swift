import Domain
import Storage
import TestWorld

extension Contract {
    static let foreignProtocolContracts = [
        Contract("gives a protocol's keys back by their public key, and forgets those that were replaced") { engine in
            let samples = Samples()
            var keys = ProtocolKeySet(
                application: samples.application, protocolName: .endless, publicKey: "app-\(samples.application)",
                sealed: [.sealed: [0, 255, 7]], digests: [.digested: samples.token(3)])
            let before = keys
            keys.publicKey += "-new"
            let after = keys
            let found = try await engine.write { transaction throws(DomainError) in
                try transaction.save(before)
                let first = try transaction.protocolKeys(.endless, publicKey: before.publicKey)
                let foreign = try transaction.protocolKeys(.yearly, publicKey: before.publicKey)
                try transaction.save(after)
                return [
                    first, foreign, try transaction.protocolKeys(.endless, publicKey: before.publicKey),
                    try transaction.protocolKeys(.endless, publicKey: after.publicKey),
                ]
            }
            try expectEqual(found, [before, nil, nil, after])
            let left = try await engine.write { transaction throws(DomainError) in
                let all = try transaction.protocolKeys(of: samples.application)
                let removed = try transaction.removeProtocolKeys(.endless, of: samples.application)
                let again = try transaction.removeProtocolKeys(.endless, of: samples.application)
                return (all, [removed, again], try transaction.protocolKeys(of: samples.application))
            }
            try expectEqual(left.0, [after])
            try expectEqual(left.1, [true, false])
            try expectEqual(left.2, [])
        },
        Contract("gives a public key to one of two applications that want it at once") { engine in
            let samples = Samples()
            let key = "wanted-\(samples.application)"
            let winners = await withTaskGroup(of: Bool.self) { group in
                for application in [samples.application, samples.otherApplication] {
                    group.addTask {
                        do {
                            return try await engine.write { transaction throws(DomainError) in
                                guard try transaction.protocolKeys(.single, publicKey: key) == nil else { return false }
                                try transaction.save(
                                    ProtocolKeySet(application: application, protocolName: .single, publicKey: key))
                                return true
                            }
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(winners, 1)
        },
        Contract("ends the oldest sessions of a protocol past its own limit, and of no other") { engine in
            let samples = Samples()
            let user = samples.user()
            var sessions = (0..<4).map { samples.session(of: user, after: .seconds($0)) }
            for index in [0, 2, 3] { sessions[index].protocolName = .single }
            let last = samples.session(of: user, after: .seconds(4))
            let made = sessions
            let left = try await engine.write { transaction throws(DomainError) in
                for (index, session) in made.enumerated() {
                    try transaction.insert(session, token: samples.token(UInt8(index)), attempt: nil)
                }
                try transaction.insert(
                    last, token: samples.token(9), attempt: nil,
                    replacing: SessionReplacement(
                        openedBefore: samples.now, maximum: 100, within: .init(name: .single, maximum: 1)))
                return try transaction.sessions(of: user.id, in: user.application)
            }
            try expectEqual(left.map(\.id), [last.id, made[3].id, made[1].id])
        },
        Contract("counts the users with a weak password, and those among them without a device key") { engine in
            let samples = Samples()
            let users = (0..<3).map { samples.user(after: $0) }
            let counts = try await engine.write { transaction throws(DomainError) in
                var counts = [try transaction.weakPasswords(in: samples.application)]
                for user in users {
                    try transaction.insert(user)
                    try transaction.setPassword(
                        PasswordHash(text: "x"), of: user.id, in: user.application, at: samples.now)
                }
                for user in users.prefix(2) {
                    try transaction.markPassword(of: user.id, in: user.application, weakSince: samples.now)
                }
                let key = Identity(provider: .device, subject: "key of \(users[0].id)", linkedAt: samples.now)
                try transaction.insert(key, for: users[0].id, in: samples.application)
                counts.append(try transaction.weakPasswords(in: samples.application))
                let marked = try transaction.user(users[1].id, in: samples.application)
                if marked?.weakPasswordAt != samples.now { throw .storageUnavailable }
                // Another password takes the mark away, and so does none.
                try transaction.setPassword(
                    PasswordHash(text: "y"), of: users[0].id, in: samples.application, at: samples.now)
                counts.append(try transaction.weakPasswords(in: samples.application))
                try transaction.removePassword(of: users[1].id, in: samples.application)
                counts.append(try transaction.weakPasswords(in: samples.application))
                return counts
            }
            try expectEqual(counts.map(\.users), [0, 2, 1, 0])
            try expectEqual(counts.map(\.usersWithoutDeviceKey), [0, 1, 1, 0])
        },
    ]
}
