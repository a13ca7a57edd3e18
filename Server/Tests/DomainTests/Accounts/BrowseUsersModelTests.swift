import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// Lists of users by every mixture of filters, compared with a look at each user.
@Suite("A list of users for operators")
struct BrowseUsersModelTests {
    /// A user, and what stands of it elsewhere.
    private struct Person {
        let user: User
        let isWeak: Bool
        let protocolName: Session.ProtocolName?
        let day: Int64
    }

    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func person(_ number: Int, _ draw: inout SeededGenerator) async throws -> Person {
        let now = world.clock.now
        let createdAt = now - .days(30) + .seconds(number)
        var user = User(
            id: world.randomness.newIdentifier(at: createdAt), application: application.id, createdAt: createdAt,
            updatedAt: createdAt)
        if draw.isOne(in: 2) { user.username = "user\(number)" }
        if draw.isOne(in: 3) { user.disabledAt = now }
        if draw.isOne(in: 4) { user.deletionRequestedAt = now }
        if draw.isOne(in: 2) {
            let provider = draw.pick([Identity.Provider.device, .google, .apple])
            user.identities = [Identity(provider: provider, subject: "s\(number)", linkedAt: createdAt)]
        }
        let isWeak = user.username != nil && draw.isOne(in: 3)
        let name = draw.isOne(in: 2) ? draw.pick([Session.ProtocolName.yearly, .endless]) : nil
        let seenAt = now - .days(draw.number(below: 20))
        let made = user
        let session = name.map { name in
            Session(
                id: world.randomness.newIdentifier(at: now), application: application.id, user: made.id,
                client: .init(address: nil), protocolName: name, method: .password,
                times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(100)))
        }
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(made)
            if made.username != nil { try transaction.updateIdentifiers(of: made) }
            for identity in made.identities { try transaction.insert(identity, for: made.id, in: made.application) }
            if made.isDisabled || made.deletionRequestedAt != nil { try transaction.updateStanding(of: made) }
            if isWeak {
                try transaction.setPassword(
                    PasswordHash(text: "hash"), of: made.id, in: made.application, at: createdAt)
                try transaction.markPassword(of: made.id, in: made.application, weakSince: createdAt)
            }
            if let session {
                try transaction.insert(
                    session, token: SessionToken.Reference(SecretDigest(of: made.id.rawValue.utf8)), attempt: nil,
                    replacing: nil)
            }
            try transaction.noteDays([UserPresence(of: made.id, in: made.application, at: seenAt)])
        }
        return Person(user: user, isWeak: isWeak, protocolName: name, day: seenAt.day)
    }

    private func filter(_ draw: inout SeededGenerator) -> BrowseUsers.Filter {
        func truth(_ draw: inout SeededGenerator) -> Bool? { draw.isOne(in: 3) ? draw.isOne(in: 2) : nil }
        var filter = BrowseUsers.Filter()
        filter.isAnonymous = truth(&draw)
        filter.isDisabled = truth(&draw)
        filter.isLeaving = truth(&draw)
        filter.hasWeakCredential = truth(&draw)
        if draw.isOne(in: 4) { filter.provider = draw.pick([.device, .google, .apple, .line]) }
        if draw.isOne(in: 4) { filter.protocolName = draw.pick([.yearly, .endless, .single]) }
        let now = world.clock.now
        if draw.isOne(in: 4) { filter.seenSince = now - .days(10 + draw.number(below: 10)) }
        if draw.isOne(in: 4) { filter.notSeenSince = now - .days(draw.number(below: 9)) }
        return filter
    }

    private func fits(_ person: Person, _ filter: BrowseUsers.Filter) -> Bool {
        let user = person.user
        if let wanted = filter.isAnonymous, wanted != user.isAnonymous { return false }
        if let wanted = filter.isDisabled, wanted != user.isDisabled { return false }
        if let wanted = filter.isLeaving, wanted != (user.deletionRequestedAt != nil) { return false }
        if let wanted = filter.hasWeakCredential, wanted != person.isWeak { return false }
        if let provider = filter.provider, !user.identities.contains(where: { $0.provider == provider }) {
            return false
        }
        if let name = filter.protocolName, person.protocolName != name { return false }
        if let since = filter.seenSince, person.day < since.day { return false }
        if let until = filter.notSeenSince, person.day >= until.day { return false }
        return true
    }

    @Test("has each user that fits once, however it is cut into pages", arguments: UInt64(0)..<25)
    func pages(seed: UInt64) async throws {
        var draw = SeededGenerator(state: seed)
        var people: [Person] = []
        for number in 0..<30 { people.append(try await person(number, &draw)) }
        for _ in 0..<12 {
            let filter = filter(&draw)
            let wanted = Set(people.filter { fits($0, filter) }.map(\.user.id))
            let (limit, stride) = (1 + draw.number(below: 8), 1 + draw.number(below: 9))
            var (found, cursor, pages): ([Identifier<User>], UserCursor?, Int) = ([], nil, 0)
            repeat {
                let page = try await world.modules.administration.users.browse(
                    in: application.id, for: .unrestricted, filter, from: cursor, limit: limit, stride: stride)
                #expect(page.users.count <= limit)
                // Only the last page is short.
                if page.next != nil { #expect(page.users.count == limit, "\(seed) \(filter)") }
                found += page.users.map(\.id)
                (cursor, pages) = (page.next, pages + 1)
            } while cursor != nil && pages < 100
            #expect(found.count == wanted.count && Set(found) == wanted, "\(seed) \(filter) \(limit) \(stride)")
        }
    }

    @Test("has no more on a page than a response holds, and goes on behind it", arguments: [10, 83, 500])
    func largeUsers(stride: Int) async throws {
        let (now, text) = (world.clock.now, String(repeating: "x", count: 100_000))
        let users = (0..<100).map { number in
            User(
                id: world.randomness.newIdentifier(at: now + .seconds(number)), application: application.id,
                fields: ["text": .string(text)], createdAt: now + .seconds(number), updatedAt: now)
        }
        try await world.engine.write { transaction throws(DomainError) in
            for user in users { try transaction.insert(user) }
        }
        var (found, cursor, pages): ([Identifier<User>], UserCursor?, Int) = ([], nil, 0)
        repeat {
            let page = try await world.modules.administration.users.browse(
                in: application.id, for: .unrestricted, from: cursor, limit: 500, stride: stride)
            #expect(page.users.count * 100_000 <= SearchLimits.maximumBytes)
            found += page.users.map(\.id)
            (cursor, pages) = (page.next, pages + 1)
        } while cursor != nil && pages < 10
        #expect(found == users.reversed().map(\.id) && pages == 2)
    }

    @Test("is the newest first where nothing is filtered, and the latest there by days")
    func order() async throws {
        var draw = SeededGenerator(state: 1)
        var people: [Person] = []
        for number in 0..<20 { people.append(try await person(number, &draw)) }
        let all = try await world.modules.administration.users.browse(in: application.id, for: .unrestricted)
        #expect(all.users.map(\.id) == people.reversed().map(\.user.id) && all.next == nil)
        var filter = BrowseUsers.Filter()
        filter.seenSince = world.clock.now - .days(30)
        let seen = try await world.modules.administration.users.browse(
            in: application.id, for: .unrestricted, filter)
        let days = seen.users.compactMap { user in people.first { $0.user.id == user.id }?.day }
        #expect(days.count == people.count && days == days.sorted(by: >))
    }

    @Test("has between one and 500 users on a page", arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (501, 3), (.max, 3)])
    func limits(asked: Int, count: Int) async throws {
        var draw = SeededGenerator(state: 2)
        for number in 0..<3 { _ = try await person(number, &draw) }
        let page = try await world.modules.administration.users.browse(
            in: application.id, for: .unrestricted, limit: asked)
        #expect(page.users.count == count)
    }
}
