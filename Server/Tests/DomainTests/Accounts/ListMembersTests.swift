import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("Those who have a role")
struct ListMembersTests {
    @Test("come in pages of a bounded size, each once, however much their fields hold")
    func bytes() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication().id
        let role = Identifier<Grant>(rawValue: "role")
        // As much as fields can hold: 40 of them are more than one page may.
        let (large, now) = (JSONValue.string(String(repeating: "x", count: 256 * 1024)), world.clock.now)
        let users = (100..<240).map { number in
            var user = User(
                id: Identifier(rawValue: "user-\(number)"), application: application, createdAt: now, updatedAt: now)
            if number < 140 { user.fields = ["large": large] }
            user.grants = [role]
            return user
        }
        try await world.engine.write { transaction throws(DomainError) in
            for user in users {
                try transaction.insert(user)
                try transaction.updateGrants(of: user)
            }
        }
        var (sizes, found, last) = ([Int](), [Identifier<User>](), Identifier<User>?.none)
        repeat {
            let page = try await world.modules.directory.listMembers(
                of: role, in: application, for: .unrestricted, after: last,
                limit: ListMembers.maximumPageSize)
            sizes.append(page.users.count)
            found += page.users.map(\.id)
            last = page.next
        } while last != nil
        #expect(found == users.map(\.id))
        #expect(sizes.first == 31 && sizes.count == 2, "\(sizes)")
        let few = try await world.modules.directory.listMembers(
            of: role, in: application, for: .unrestricted, limit: -1)
        #expect(few.users.count == 1 && few.next == users.first?.id)
    }

    @Test("are all forgotten with the role, part by part", arguments: [0, 1, 500, 1001])
    func removed(count: Int) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication().id
        let rules = world.modules.applications.changeAccessRules
        let role = try await rules.create("member", .role(permissions: []), in: application, by: .local).id
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            for number in 0..<count {
                var user = User(
                    id: Identifier(rawValue: "user-\(number)"), application: application, createdAt: now, updatedAt: now
                )
                user.grants = [role]
                try transaction.insert(user)
                try transaction.updateGrants(of: user)
            }
        }
        let members = world.modules.directory.listMembers
        #expect(try await members.count(of: role, in: application) == Int64(count))
        try await rules.remove(role, .role, in: application, by: .local)
        #expect(try await members.count(of: role, in: application) == 0)
    }
}
