import Domain
import enum OkaeriWire.JSONValue
import Storage

extension Contract {
    static let userContracts = [
        Contract("gives a user back as it was written") { engine in
            let samples = Samples()
            var user = samples.user("おかえり 환영 👋🏽")
            user.locale = "ja-JP"
            user.fields = [
                "whole": 9_007_199_254_740_993, "fraction": 0.5, "text": "改行\nと\"引用\"", "yes": true, "no": false,
                "list": [1, "two", nil], "object": ["inner": [:]], "": "empty name",
            ]
            user.lastLogInAt = samples.now
            user.previousLogInAt = samples.now - .days(3)
            let written = user
            try await engine.write { transaction throws(DomainError) in try transaction.insert(written) }
            let read = try await engine.read { transaction throws(DomainError) in
                try transaction.user(written.id, in: written.application)
            }
            try expectEqual(read, written)
        },
        Contract("reads a user whose times are beyond all years, as an older version could store them") { engine in
            for stored in [Int64.min, -62_167_219_200_001, 253_402_300_800_000, .max] {
                let samples = Samples()
                let user = samples.user("before")
                let (time, read) = try await engine.write { transaction throws(DomainError) in
                    try transaction.insert(user)
                    guard let sql = transaction as? SQLTransaction else { throw .storageUnavailable }
                    try sql.connection.run(
                        """
                        UPDATE users SET created_at = $1, updated_at = $1, last_log_in_at = $1
                        WHERE application_id = $2 AND id = $3
                        """, [.integer(stored), .id(user.application), .id(user.id)])
                    let read = try transaction.user(user.id, in: user.application)
                    try sql.connection.run(
                        "DELETE FROM users WHERE application_id = $1 AND id = $2",
                        [.id(user.application), .id(user.id)])
                    return (Timestamp(milliseconds: stored), read)
                }
                try expectEqual(read?.createdAt, time)
                try expectEqual(read?.updatedAt, time)
                try expectEqual(read?.lastLogInAt, time)
                try expect(Timestamp.range.contains(time.milliseconds), "a time beyond all years")
            }
        },
        Contract("keeps the users of applications apart") { engine in
            let samples = Samples()
            let user = samples.user()
            try await engine.write { transaction throws(DomainError) in try transaction.insert(user) }
            let found = try await engine.read { transaction throws(DomainError) in
                try transaction.user(user.id, in: samples.otherApplication)
            }
            try expect(found == nil, "another application sees the user")
        },
        Contract("changes a profile and nothing else") { engine in
            let samples = Samples()
            let user = samples.user("before")
            var changed = user
            changed.displayName = nil
            changed.locale = "ko"
            changed.fields = ["score": 12]
            changed.updatedAt = samples.now + .seconds(5)
            changed.lastLogInAt = samples.now + .seconds(9)
            let patch = changed
            let read = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.updateProfile(of: patch)
                return try transaction.user(user.id, in: user.application)
            }
            changed.lastLogInAt = nil
            try expectEqual(read, changed)
        },
        Contract("pages through users by age") { engine in
            let samples = Samples()
            let users = (0..<5).map { samples.user("user \($0)", after: Int64($0)) }
            let pages = try await engine.write { transaction throws(DomainError) in
                for user in users.reversed() { try transaction.insert(user) }
                let first = try transaction.users(in: samples.application, after: nil, limit: 3)
                let second = try transaction.users(in: samples.application, after: first.last?.id, limit: 3)
                return [
                    first, second, try transaction.users(in: samples.application, after: second.last?.id, limit: 3),
                ]
            }
            try expectEqual(pages, [Array(users[..<3]), Array(users[3...]), []])
        },
        Contract("counts an application's users") { engine in
            let samples = Samples()
            let count = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(samples.user(after: 0))
                try transaction.insert(samples.user(after: 1))
                try transaction.insert(samples.user(in: samples.otherApplication))
                return try transaction.userCount(in: samples.application)
            }
            try expectEqual(count, 2)
        },
    ]

    static let identityContracts = [
        Contract("finds a user by an identity, with all its identities oldest first") { engine in
            let samples = Samples()
            let user = samples.user()
            let older = Identity(provider: .device, subject: "key one", linkedAt: samples.now)
            let newer = Identity(provider: .device, subject: "key two", linkedAt: samples.now + .seconds(1))
            let found = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(newer, for: user.id, in: user.application)
                try transaction.insert(older, for: user.id, in: user.application)
                return try transaction.user(provider: .device, subject: "key two", in: user.application)
            }
            try expectEqual(found?.id, user.id)
            try expectEqual(found?.identities, [older, newer])
        },
        Contract("gives each of many users the identities that lead there, oldest first") { engine in
            let samples = Samples()
            let users = (0..<120).map { number in
                var user = samples.user(after: Int64(number))
                user.identities = (0..<number % 4).map {
                    Identity(provider: .device, subject: "\(number) \($0)", linkedAt: samples.now + .seconds($0 / 2))
                }
                return user
            }
            let pages = try await engine.write { transaction throws(DomainError) in
                for user in users {
                    try transaction.insert(user)
                    for identity in user.identities.reversed() {
                        try transaction.insert(identity, for: user.id, in: user.application)
                    }
                }
                return [
                    try transaction.users(in: samples.application, after: nil, limit: 200),
                    try transaction.users(in: samples.application, after: users[9].id, limit: 50),
                    try transaction.users(in: samples.application, after: users[9].id, limit: 51),
                    try transaction.users(in: samples.application, after: users[9].id, limit: 1),
                ]
            }
            try expectEqual(
                pages, [users, Array(users[10..<60]), Array(users[10..<61]), Array(users[10..<11])])
        },
        Contract("lets an identity lead to one user only, but again in another application") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user(in: samples.otherApplication))
            let identity = Identity(provider: .device, subject: "key", linkedAt: samples.now)
            try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(other)
                try transaction.insert(identity, for: user.id, in: user.application)
                try transaction.insert(identity, for: other.id, in: other.application)
            }
            do {
                try await engine.write { transaction throws(DomainError) in
                    try transaction.insert(identity, for: other.id, in: user.application)
                }
                throw ContractFault(description: "the identity was linked twice")
            } catch is DomainError {}
        },
    ]
}
