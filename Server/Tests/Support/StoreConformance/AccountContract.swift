import Domain
import TestWorld
import Storage

extension Contract {
    static let accountContracts = [
        Contract("gives identifiers, password and standing back as they were written") { engine in
            let samples = Samples()
            var user = samples.user("花")
            user.username = "Ｈａｎａ"
            user.email = "hana@例え.テスト"
            user.emailVerifiedAt = samples.now - .seconds(5)
            user.phone = "+819012345678"
            user.phoneVerifiedAt = samples.now - .seconds(4)
            user.disabledAt = samples.now - .seconds(3)
            user.deletionRequestedAt = samples.now - .seconds(2)
            let written = user
            let read = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(written)
                try transaction.updateIdentifiers(of: written)
                try transaction.updateStanding(of: written)
                return try transaction.user(written.id, in: written.application)
            }
            try expectEqual(read, written)
        },
        Contract("finds a user by each identifier in its folded form, in its application only") { engine in
            let samples = Samples()
            var user = samples.user()
            user.username = "Straße"
            user.email = "Hana@bücher.example"
            user.phone = "+819012345678"
            let written = user
            let typed: [LogInIdentifier] = [
                .init(.username, shown: "STRASSE"), .init(.email, shown: "hana@xn--bcher-kva.example"),
                .init(.phone, shown: "+81 90-1234-5678"),
            ]
            let found = try await engine.write { transaction throws(DomainError) -> [User?] in
                try transaction.insert(written)
                try transaction.updateIdentifiers(of: written)
                var found: [User?] = []
                for identifier in typed {
                    found.append(try transaction.user(identifier, in: samples.application))
                    found.append(try transaction.user(identifier, in: samples.otherApplication))
                }
                return found
            }
            try expectEqual(found, [written, nil, written, nil, written, nil])
        },
        Contract("frees an identifier that its user gave up, for others") { engine in
            let samples = Samples()
            var (first, second) = (samples.user(), samples.user())
            first.username = "hana"
            second.username = "HANA"
            let (taken, taker) = (first, second)
            var freed = first
            freed.username = "hanako"
            let changed = freed
            try await engine.write { transaction throws(DomainError) in
                try transaction.insert(taken)
                try transaction.updateIdentifiers(of: taken)
                try transaction.updateIdentifiers(of: changed)
                try transaction.insert(taker)
                try transaction.updateIdentifiers(of: taker)
            }
            let owner = try await engine.read { transaction throws(DomainError) in
                try transaction.user(LogInIdentifier(.username, shown: "Hana"), in: samples.application)
            }
            try expectEqual(owner?.id, taker.id)
        },
        Contract("lets an identifier lead to one user only") { engine in
            let samples = Samples()
            var (first, second) = (samples.user(), samples.user())
            first.email = "hana@example.com"
            second.email = "HANA@EXAMPLE.COM"
            let (owner, other) = (first, second)
            try await engine.write { transaction throws(DomainError) in
                try transaction.insert(owner)
                try transaction.insert(other)
                try transaction.updateIdentifiers(of: owner)
            }
            do {
                try await engine.write { transaction throws(DomainError) in
                    try transaction.updateIdentifiers(of: other)
                }
                throw ContractFault(description: "a mail address led to two users")
            } catch is DomainError {}
        },
        Contract("sets, betters and removes a password") { engine in
            let samples = Samples()
            let user = samples.user()
            let (weak, strong, other) = (
                PasswordHash(text: "weak"), PasswordHash(text: "strong"), PasswordHash(text: "x")
            )
            let later = samples.now + .seconds(1)
            let (hashes, users) = try await engine.write { transaction throws(DomainError) in
                let application = user.application
                var (hashes, users): ([PasswordHash?], [User?]) = ([], [])
                try transaction.insert(user)
                hashes.append(try transaction.passwordHash(of: user.id, in: application))
                try transaction.setPassword(weak, of: user.id, in: application, at: later)
                try transaction.replacePasswordHash(
                    other, with: strong, of: user.id, in: application, at: later)
                hashes.append(try transaction.passwordHash(of: user.id, in: application))
                try transaction.replacePasswordHash(
                    weak, with: strong, of: user.id, in: application, at: later)
                hashes.append(try transaction.passwordHash(of: user.id, in: application))
                users.append(try transaction.user(user.id, in: application))
                try transaction.removePassword(of: user.id, in: application)
                hashes.append(try transaction.passwordHash(of: user.id, in: application))
                users.append(try transaction.user(user.id, in: application))
                return (hashes, users)
            }
            try expectEqual(hashes, [nil, weak, strong, nil])
            try expectEqual(users.map { $0?.passwordSetAt }, [later, nil])
            try expectEqual(users.map { $0?.updatedAt }, [later, later])
        },
        Contract("keeps that a user has a password whose hash stayed elsewhere, until another one is set") { engine in
            let samples = Samples()
            let user = samples.user()
            let (since, later) = (samples.now + .seconds(1), samples.now + .seconds(2))
            let (times, hashes) = try await engine.write { transaction throws(DomainError) in
                let application = user.application
                var (times, hashes): ([Timestamp?], [PasswordHash?]) = ([], [])
                func look() throws(DomainError) {
                    times.append(try transaction.user(user.id, in: application)?.passwordSetAt)
                    hashes.append(try transaction.passwordHash(of: user.id, in: application))
                }
                try transaction.insert(user)
                try transaction.noteUnknownPassword(of: user.id, in: application, since: since)
                try look()
                try transaction.setPassword(PasswordHash(text: "new"), of: user.id, in: application, at: later)
                try look()
                try transaction.noteUnknownPassword(of: user.id, in: samples.otherApplication, since: since)
                try look()
                return (times, hashes)
            }
            try expectEqual(times, [since, later, later])
            try expectEqual(hashes, [nil, PasswordHash(text: "new"), PasswordHash(text: "new")])
        },
        Contract("knows the schemes of an application's passwords, until nobody has them") { engine in
            let samples = Samples()
            let users = [samples.user(), samples.user(after: 1), samples.user(in: samples.otherApplication)]
            let forms = [
                "$2b$10$" + String(repeating: "a", count: 53), "$argon2id$v=19$m=8,t=1,p=1$AAAA$BBBBBB",
                "$scrypt$ln=10,r=8,p=1$AAAA$BBBBBB",
            ]
            let better = PasswordHash(text: "$argon2id$v=19$m=8,t=1,p=1$CCCC$DDDDDD")
            let later = samples.now + .days(2)
            let schemes = try await engine.write { transaction throws(DomainError) in
                for (user, form) in zip(users, forms) {
                    try transaction.insert(user)
                    try transaction.setPassword(
                        PasswordHash(text: form), of: user.id, in: user.application, at: samples.now)
                }
                var schemes = [try transaction.passwordSchemes(in: samples.application)]
                try transaction.replacePasswordHash(
                    PasswordHash(text: forms[0]), with: better, of: users[0].id, in: samples.application, at: later)
                let old = try transaction.passwordSchemes(usedBefore: later - .days(1), count: 9)
                for use in old {
                    let isUsed = try transaction.hasPasswords(of: use.scheme, in: use.application)
                    // Noted anew meanwhile: what was found does not count.
                    var other = use
                    other.usedAt = use.usedAt - .seconds(1)
                    try transaction.settle(other, isUsed: false, at: later)
                    try transaction.settle(use, isUsed: isUsed, at: later)
                }
                schemes.append(Set(old.map(\.scheme)))
                schemes.append(try transaction.passwordSchemes(in: samples.application))
                schemes.append(try transaction.passwordSchemes(in: samples.otherApplication))
                schemes.append(Set(try transaction.passwordSchemes(usedBefore: later, count: 9).map(\.scheme)))
                return schemes.map { Set($0.map(\.text)) }
            }
            let (bcrypt, argon2, scrypt) = (
                "$2b$10$", "$argon2id$v=19$m=8,t=1,p=1$4$6", "$scrypt$ln=10,r=8,p=1$4$6"
            )
            // The one that was noted again when the hash was bettered is not looked for.
            try expectEqual(schemes, [[bcrypt, argon2], [bcrypt, scrypt], [argon2], [scrypt], []])
        },
        Contract("knows so many schemes of an application's passwords and no more") { engine in
            let samples = Samples()
            let maximum = PasswordSchemeUse.maximumPerApplication
            let users = (0..<maximum + 3).map { _ in samples.user() }
            let other = samples.user(in: samples.otherApplication)
            let counts = try await engine.write { transaction throws(DomainError) in
                for (number, user) in users.enumerated() {
                    try transaction.insert(user)
                    try transaction.setPassword(
                        PasswordHash(text: "$pbkdf2-sha256$i=\(1000 + number)$AAAA$BBBBBB"), of: user.id,
                        in: user.application, at: samples.now)
                }
                try transaction.insert(other)
                try transaction.setPassword(
                    PasswordHash(text: "$2b$10$" + String(repeating: "a", count: 53)), of: other.id,
                    in: other.application, at: samples.now)
                return [
                    try transaction.passwordSchemes(in: samples.application).count,
                    try transaction.passwordSchemes(in: samples.otherApplication).count,
                    try transaction.passwordSchemes(usedBefore: samples.now + .days(1), count: 2 * maximum).count,
                ]
            }
            try expectEqual(counts, [maximum, 1, maximum + 1])
        },
        Contract("gives a session a new token when its owner proved to be there") { engine in
            let samples = Samples()
            let user = samples.user()
            var session = samples.session(of: user)
            let opened = session
            session.authenticatedAt = samples.now + .seconds(9)
            session.methods = [.password, .timeBasedCode]
            session.secondFactorAt = samples.now + .seconds(9)
            let authenticated = session
            let found = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(opened, token: samples.token(1), attempt: nil)
                try transaction.updateAuthentication(of: authenticated, token: samples.token(2))
                return [
                    try transaction.session(token: samples.token(1), in: user.application)?.session,
                    try transaction.session(token: samples.token(2), in: user.application)?.session,
                ]
            }
            try expectEqual(found, [nil, authenticated])
        },
    ]
}
