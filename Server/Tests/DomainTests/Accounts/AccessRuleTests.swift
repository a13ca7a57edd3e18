import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("Roles and groups of an application")
struct AccessRuleTests {
    private static func id(_ text: String) -> Identifier<Grant> { Identifier(rawValue: text) }

    private static func role(_ id: String, _ name: String, _ permissions: Set<String> = []) -> Grant {
        Grant(id: self.id(id), name: name, content: .role(permissions: permissions))
    }

    private static func group(_ id: String, _ name: String, _ roles: [String] = []) -> Grant {
        Grant(id: self.id(id), name: name, content: .group(roles: Set(roles.map(self.id))))
    }

    private static func user(_ grants: Set<Identifier<Grant>>) -> User {
        let now = StandingClock().now
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        user.grants = grants
        return user
    }

    /// Roles and groups that a seed draws, some groups with roles that are gone.
    private static func rules(_ draw: inout SeededGenerator) -> AccessRules {
        let roles = (0..<draw.number(below: 6)).map { number in
            role("r\(number)", "role \(number)", Set(["p", "q", "r", "s"].filter { _ in draw.isOne(in: 2) }))
        }
        let groups = (0..<draw.number(below: 5)).map { number in
            group("g\(number)", "group \(number)", roles.map(\.id.rawValue).filter { _ in draw.isOne(in: 2) })
        }
        return AccessRules(roles + groups)
    }

    @Test("give a user what each of its roles permits, its own and its groups', once", arguments: UInt64(0)..<150)
    func access(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let rules = Self.rules(&draw)
        // Some were removed from the application, and count no more.
        let known = rules.grants.keys.map(\.rawValue).sorted() + ["gone"]
        let user = Self.user(Set(known.filter { _ in draw.isOne(in: 2) }.map(Self.id)))
        var (roles, groups, permissions): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        func give(_ role: Grant) {
            roles.insert(role.name)
            permissions.formUnion(role.permissions)
        }
        for id in user.grants {
            guard let grant = rules[id] else { continue }
            switch grant.kind {
            case .role: give(grant)
            case .group:
                groups.insert(grant.name)
                for id in grant.roles { if let role = rules[id] { give(role) } }
            }
        }
        let access = rules.access(of: user, FieldRules())
        #expect(access.roles == roles.sorted() && access.groups == groups.sorted(), "\(seed)")
        #expect(access.permissions == permissions.sorted(), "\(seed)")
        #expect(Set(rules.roles(of: user).compactMap { rules[$0]?.name }) == roles, "\(seed)")
        // With the standard rules the roles are a claim, and nothing where there is none.
        #expect(access.claims.isEmpty == roles.isEmpty)
        #expect((access.version == nil) == access.claims.isEmpty)
        #expect(rules.access(of: user, FieldRules()) == access)
    }

    @Test("lose a role in all of its groups when it is removed, and nothing else", arguments: UInt64(0)..<60)
    func removed(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let before = Self.rules(&draw)
        let all = before.grants.keys.map(\.rawValue).sorted()
        guard !all.isEmpty else { return }
        let gone = Self.id(draw.pick(all))
        var after = before
        after[gone] = nil
        #expect(after[gone] == nil && after.grants.count == before.grants.count - 1)
        for (id, grant) in after.grants {
            #expect(grant.roles == (before[id]?.roles.subtracting([gone]) ?? []), "\(seed)")
            #expect(grant.name == before[id]?.name && grant.permissions == before[id]?.permissions ?? [])
        }
        #expect(after.faults.isEmpty)
    }

    @Test("are sorted by name, then by id, each kind by itself")
    func sorted() {
        let rules = AccessRules([
            Self.role("2", "b"), Self.role("1", "b"), Self.role("3", "a"), Self.group("0", "z"), Self.group("9", "c"),
        ])
        #expect(rules.sorted(.role).map(\.id.rawValue) == ["3", "1", "2"])
        #expect(rules.sorted(.group).map(\.id.rawValue) == ["9", "0"])
        #expect(rules.named("A", .role)?.id == Self.id("3") && rules.named("a", .group) == nil)
        #expect(rules.named("Z", .group)?.id == Self.id("0") && rules.named("none", .role) == nil)
    }

    private static let sets: [(name: String, grants: [Grant], fault: ValidationError?)] = [
        ("nothing", [], nil),
        ("a role and a group of one name", [role("1", "a"), group("2", "a")], nil),
        ("two roles of one name", [role("1", "a"), role("2", "A")], ValidationError(field: "name", rule: .notUnique)),
        (
            "two groups of one name", [group("1", "a"), group("2", "a")],
            ValidationError(field: "name", rule: .notUnique)
        ),
        ("a group with a role", [role("1", "a"), group("2", "b", ["1"])], nil),
        ("a group with none", [group("2", "b", ["1"])], ValidationError(field: "roles", rule: .notListed)),
        (
            "a group in a group", [group("1", "a"), group("2", "b", ["1"])],
            ValidationError(field: "roles", rule: .notListed)
        ),
        ("the most", (0..<1000).map { role("\($0)", "r\($0)") }, nil),
        (
            "one more", (0..<1001).map { role("\($0)", "r\($0)") },
            ValidationError(field: "name", rule: .tooManyFields(maximum: 1000))
        ),
        (
            // 21 roles of 100 permissions with 62 or 63 bytes: more than 128 KiB.
            "too many bytes",
            (0..<21).map { number in
                role(
                    "\(number)", "r\(number)",
                    Set((0..<100).map { "p\(1000 + $0)" + String(repeating: "x", count: 58) }))
            },
            ValidationError(field: "name", rule: .tooManyBytes(maximum: 131_072))
        ),
    ]

    @Test("have names of their own, roles that there are, and bounds together", arguments: sets.indices)
    func faults(index: Int) {
        let row = Self.sets[index]
        #expect(AccessRules(row.grants).faults == (row.fault.map { [$0] } ?? []), "\(row.name)")
    }

    @Test("have 128 KiB together at the most, with the ids of the roles that groups give", arguments: [27, 28, 29])
    func bytesOfGroups(characters: Int) {
        let ids = (0..<100).map { "\($0 + 100)" + String(repeating: "x", count: 61) }
        // 100 × 6 bytes of names, 20 × (7 + 100 × 64), and 36 × 64 of the last group: 28 less than there may be.
        let roles = ids.indices.map { Self.role(ids[$0], "ro\($0 + 1000)") }
        let groups = (0..<20).map { Self.group("g\($0)", "gro\($0 + 1000)", ids) }
        let last = Self.group("last", String(repeating: "l", count: characters), Array(ids.prefix(36)))
        let fault = ValidationError(field: "name", rule: .tooManyBytes(maximum: 131_072))
        #expect(AccessRules(roles + groups + [last]).faults == (characters > 28 ? [fault] : []))
    }

    private static let names: [(String, ValidationError.Rule?)] = [
        ("a", nil), ("editor", nil), ("orders:read", nil), ("a_b-c.d:e/f*", nil), ("A9", nil), ("", .empty),
        (String(repeating: "a", count: 64), nil), (String(repeating: "a", count: 65), .tooLong(maximumCharacters: 64)),
        ("a b", .notAGrantName), ("é", .notAGrantName), ("а", .notAGrantName), ("a\n", .notAGrantName),
        ("a,b", .notAGrantName), ("\0", .notAGrantName), ("@", .notAGrantName), ("[", .notAGrantName),
        ("`", .notAGrantName), ("{", .notAGrantName), ("a+", .notAGrantName),
    ]

    @Test("have names of ASCII, and so have permissions", arguments: names.indices)
    func grantNames(index: Int) {
        let (name, rule) = Self.names[index]
        func fault(_ field: String) -> [ValidationError] {
            rule.map { [ValidationError(field: field, rule: $0)] } ?? []
        }
        #expect(Self.role("1", name).faults == fault("name"))
        #expect(Self.group("1", name).faults == fault("name"))
        #expect(Self.role("1", "a", [name]).faults == fault("permissions"))
    }

    @Test("permit a hundred things each", arguments: [0, 1, 100, 101])
    func permissions(count: Int) {
        let role = Self.role("1", "a", Set((0..<count).map { "p\($0)" }))
        #expect(
            role.faults
                == (count > 100 ? [ValidationError(field: "permissions", rule: .tooManyFields(maximum: 100))] : []))
        #expect(role.permissions == role.permissions.sorted() && role.permissions.count == count)
        #expect(role.kind == .role && role.roles.isEmpty && Self.group("1", "a").permissions.isEmpty)
    }

    /// Through the module and the real store.
    @Test("are given and taken away by operators, each change once", arguments: UInt64(0)..<20)
    func given(seed: UInt64) async throws {
        var draw = SeededGenerator(state: seed)
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        let all = (0..<4).map { Self.role("r\($0)", "role\($0)") } + [Self.group("g", "group", ["r0"])]
        settings.access = AccessRules(all)
        let application = try await world.makeApplication(settings: settings)
        let user = try await world.signUp("hana", to: application).user
        var (given, recorded): (Set<Identifier<Grant>>, Int) = ([], 0)
        for step in 0..<12 {
            world.clock.advance(by: .seconds(1))
            let added = Set(all.map(\.id).filter { _ in draw.isOne(in: 3) })
            let removed = Set(all.map(\.id).filter { _ in draw.isOne(in: 3) })
            let after = try await world.modules.accounts.changeUserRoles(
                .init(adding: added, removing: removed), of: user.id, in: application, by: .local)
            let wanted = given.union(added).subtracting(removed)
            #expect(after.grants == wanted, "\(seed) \(step)")
            if wanted != given {
                recorded += 1
                #expect(after.updatedAt == world.clock.now)
            }
            given = wanted
            let stored = try await world.modules.directory.readUser(user.id, in: application.id)
            #expect(stored.grants == given)
        }
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .userRolesChanged))
        #expect(entries.count == recorded)
        #expect(entries.allSatisfy { $0.target == .user(user.id) && !$0.details.isEmpty })
        for grant in all {
            let members = try await world.modules.directory.listMembers(
                of: grant.id, in: application.id, for: .unrestricted, limit: 10)
            #expect(members.users.map(\.id) == (given.contains(grant.id) ? [user.id] : []))
        }
    }

    @Test("are given only as far as there are any, and a hundred at the most")
    func refused() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.access = AccessRules((0..<101).map { Self.role("r\($0)", "role\($0)") })
        let application = try await world.makeApplication(settings: settings)
        let user = try await world.signUp("hana", to: application).user
        let change = world.modules.accounts.changeUserRoles
        func refusal(_ ids: [String], of user: Identifier<User>) async -> DomainError? {
            await world.refusal {
                _ = try await change(.init(adding: Set(ids.map(Self.id))), of: user, in: application, by: .local)
            }
        }
        #expect(
            await refusal(["r0", "none"], of: user.id)
                == .fieldsRefused([ValidationError(field: "add", rule: .notListed)]))
        #expect(await refusal(["r0"], of: Identifier(rawValue: "nobody")) == .userUnknown)
        #expect(
            await refusal((0..<101).map { "r\($0)" }, of: user.id)
                == .fieldsRefused([ValidationError(field: "add", rule: .tooManyFields(maximum: 100))]))
        #expect(await refusal((0..<100).map { "r\($0)" }, of: user.id) == nil)
        // Taking away is possible at any number.
        let after = try await change(
            .init(removing: Set((0..<50).map { Self.id("r\($0)") })), of: user.id, in: application, by: .local)
        #expect(after.grants.count == 50)
    }
}
