import Domain
import enum OkaeriWire.JSONValue
import Storage
import TestWorld

extension Contract {
    static let roleContracts = [
        Contract("keeps what a user was given, beside the list of who was given it, page by page") { engine in
            let samples = Samples()
            let (editor, staff) = (Identifier<Grant>(rawValue: "editor"), Identifier<Grant>(rawValue: "staff"))
            let application = samples.application
            let users = (0..<3).map { number in
                var user = samples.user("user", after: Int64(number))
                user.grants = number == 2 ? [staff] : [editor, staff]
                user.identities = (0..<number).map {
                    Identity(provider: .apple, subject: "\(number) \($0)", linkedAt: samples.now)
                }
                return user
            }
            var foreign = samples.user("foreign", in: samples.otherApplication)
            foreign.grants = [editor]
            let others = [foreign]
            try await engine.write { transaction throws(DomainError) in
                for user in users + others {
                    try transaction.insert(user)
                    try transaction.updateGrants(of: user)
                    for identity in user.identities {
                        try transaction.insert(identity, for: user.id, in: user.application)
                    }
                }
            }
            let found = try await engine.read { transaction throws(DomainError) in
                let first = try transaction.members(of: editor, in: application, after: nil, limit: 1)
                return (
                    first, try transaction.members(of: editor, in: application, after: first.first?.id, limit: 9),
                    try transaction.members(of: staff, in: application, after: nil, limit: 9),
                    [
                        try transaction.memberCount(of: editor, in: application),
                        try transaction.memberCount(of: staff, in: application),
                    ]
                )
            }
            try expectEqual(found.0, [users[0]])
            try expectEqual(found.1, [users[1]])
            try expectEqual(found.2, users)
            try expectEqual(found.3, [2, 3])
            let left = try await engine.write { transaction throws(DomainError) in
                var less = users[0]
                less.grants = []
                try transaction.updateGrants(of: less)
                try transaction.erase(users[1].id, in: application)
                let removed = try transaction.removeMembers(of: staff, in: application, limit: 9)
                return (
                    try transaction.members(of: editor, in: application, after: nil, limit: 9),
                    try transaction.members(of: staff, in: application, after: nil, limit: 9),
                    try transaction.user(less.id, in: application)?.grants,
                    try transaction.members(of: editor, in: samples.otherApplication, after: nil, limit: 9), removed
                )
            }
            try expectEqual(left.4, 1)
            try expectEqual(left.0, [])
            try expectEqual(left.1, [])
            try expectEqual(left.2, [])
            try expectEqual(left.3, others)
        },
        Contract("forgets who was given a role in parts, and nobody else") { engine in
            let samples = Samples()
            let (editor, staff) = (Identifier<Grant>(rawValue: "editor"), Identifier<Grant>(rawValue: "staff"))
            var users = (0..<5).map { samples.user("user", after: $0) }
            users.append(samples.user("foreign", in: samples.otherApplication))
            for index in users.indices { users[index].grants = [editor, staff] }
            let known = users
            try await engine.write { transaction throws(DomainError) in
                for user in known {
                    try transaction.insert(user)
                    try transaction.updateGrants(of: user)
                }
            }
            for removed in [2, 2, 1, 0] {
                let count = try await engine.write { transaction throws(DomainError) in
                    try transaction.removeMembers(of: staff, in: samples.application, limit: 2)
                }
                try expectEqual(count, removed)
            }
            let left = try await engine.read { transaction throws(DomainError) in
                [
                    try transaction.memberCount(of: staff, in: samples.application),
                    try transaction.memberCount(of: editor, in: samples.application),
                    try transaction.memberCount(of: staff, in: samples.otherApplication),
                ]
            }
            try expectEqual(left, [0, 5, 1])
        },
        Contract("keeps an application's roles, groups and rules of claims") { engine in
            let samples = Samples()
            let roles = [
                Grant(id: Identifier(rawValue: "r1"), name: "editor", content: .role(permissions: ["a", "b"])),
                Grant(id: Identifier(rawValue: "r2"), name: "viewer", content: .role(permissions: [])),
            ]
            let group = Grant(
                id: Identifier(rawValue: "g1"), name: "staff", content: .group(roles: Set(roles.map(\.id))))
            var settings = ApplicationSettings()
            settings.access = AccessRules(
                roles + [group],
                claims: [
                    ClaimRule("plan", within: "app", .field("plan")), ClaimRule("tier", .constant(["a": [1, true]])),
                    ClaimRule("who", .user), ClaimRule("roles", .names(.roles, and: ["user"])),
                    ClaimRule("groups", .names(.groups, and: [])),
                ])
            let application = Application(
                id: samples.application, name: "Demo", adminKeyDigest: SecretDigest(of: [1]), settings: settings,
                createdAt: samples.now)
            let found = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(application)
                return try transaction.application(application.id)
            }
            try expectEqual(found, application)
        },
    ]
}
