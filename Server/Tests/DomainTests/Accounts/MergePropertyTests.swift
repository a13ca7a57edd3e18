import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

@Suite("The values of two users who become one")
struct MergePropertyTests {
    private static let names = ["a", "b", "c", "d", "e"]

    private static func value(_ draw: inout SeededGenerator, _ depth: Int = 0) -> JSONValue {
        switch draw.number(below: depth > 1 ? 5 : 7) {
        case 0: return .null
        case 1: return .bool(draw.isOne(in: 2))
        case 2: return .integer(Int64(draw.number(below: 20)) - 10)
        case 3: return .number(Double(draw.number(below: 40)) / 4 - 5)
        case 4: return .string(draw.text(of: draw.number(below: 3), from: "xy花"))
        case 5: return .array(draw.list(of: draw.number(below: 4)) { value(&$0, depth + 1) })
        default:
            var object: [String: JSONValue] = [:]
            for _ in 0..<draw.number(below: 4) { object[draw.pick(["k", "l", "m"])] = value(&draw, depth + 1) }
            return .object(object)
        }
    }

    private static func user(_ draw: inout SeededGenerator, _ id: String) -> User {
        var fields: [String: JSONValue] = [:]
        for name in names where draw.isOne(in: 2) { fields[name] = value(&draw) }
        let now = StandingClock().now
        return User(
            id: Identifier(rawValue: id), application: Identifier(rawValue: "app"),
            displayName: draw.isOne(in: 2) ? "name of \(id)" : nil, locale: draw.isOne(in: 2) ? "ja" : nil,
            fields: fields, createdAt: now, updatedAt: now)
    }

    private static func rules(_ draw: inout SeededGenerator) -> [String: MergeRule] {
        var rules: [String: MergeRule] = [:]
        for name in names where !draw.isOne(in: 3) { rules[name] = draw.pick(MergeRule.allCases) }
        return rules
    }

    @Test("lose no field, keep what one alone has, and are one user's or the other's name", arguments: UInt64(0)..<200)
    func nothingLost(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let (rules, staying, going) = (Self.rules(&draw), Self.user(&draw, "stays"), Self.user(&draw, "goes"))
        let merged = MergeRules(rules).merged(staying, with: going)
        #expect(Set(merged.fields.keys) == Set(staying.fields.keys).union(going.fields.keys), "\(seed)")
        for name in Self.names {
            switch (staying.fields[name], going.fields[name]) {
            case (let one?, nil): #expect(merged.fields[name] == one)
            case (nil, let other): #expect(merged.fields[name] == other)
            case (let one?, let other?):
                #expect(merged.fields[name] == MergeRules.merged(one, with: other, rules[name] ?? .keep), "\(seed)")
            }
        }
        #expect(merged.displayName == staying.displayName ?? going.displayName)
        #expect(merged.locale == staying.locale ?? going.locale)
        // Nothing else of the user moves.
        #expect(merged.id == staying.id && merged.identities == staying.identities)
    }

    @Test("are the staying user's own where they become claims", arguments: UInt64(0)..<100)
    func fixed(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let (rules, staying, going) = (Self.rules(&draw), Self.user(&draw, "stays"), Self.user(&draw, "goes"))
        let fixed = Set(Self.names.filter { _ in draw.isOne(in: 2) })
        let (free, held) = (
            MergeRules(rules).merged(staying, with: going), MergeRules(rules, fixed: fixed).merged(staying, with: going)
        )
        for name in Self.names {
            #expect(held.fields[name] == (fixed.contains(name) ? staying.fields[name] : free.fields[name]), "\(seed)")
        }
    }

    @Test("stay as they are when a user meets its like, but where numbers are added", arguments: UInt64(0)..<200)
    func idempotent(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let value = Self.value(&draw)
        for rule in [MergeRule.keep, .take, .max] {
            #expect(MergeRules.merged(value, with: value, rule) == value, "\(rule) \(value)")
        }
        // A list that has something twice keeps it: what is there already is not gone through.
        #expect(MergeRules.merged(value, with: value, .union) == value, "\(value)")
    }

    @Test("are larger, or in sum, the same whichever user stays, of numbers", arguments: UInt64(0)..<100)
    func commutative(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        func number(_ draw: inout SeededGenerator) -> JSONValue {
            draw.isOne(in: 2)
                ? .integer(Int64(draw.number(below: 200)) - 100) : .number(Double(draw.number(below: 800)) / 8 - 50)
        }
        func double(_ value: JSONValue) -> Double {
            switch value {
            case .integer(let number): Double(number)
            case .number(let number): number
            default: .nan
            }
        }
        let (one, other) = (number(&draw), number(&draw))
        let (a, b) = (double(one), double(other))
        #expect(double(MergeRules.merged(one, with: other, .max)) == max(a, b))
        #expect(double(MergeRules.merged(other, with: one, .max)) == max(a, b))
        #expect(double(MergeRules.merged(one, with: other, .sum)) == a + b)
        #expect(double(MergeRules.merged(other, with: one, .sum)) == a + b)
    }

    @Test("are in a union all that is in either, each once of the one that goes", arguments: UInt64(0)..<100)
    func union(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let (one, two) = (
            draw.list(of: draw.number(below: 5)) { Self.value(&$0, 1) },
            draw.list(of: draw.number(below: 5)) { Self.value(&$0, 1) }
        )
        guard case .array(let all) = MergeRules.merged(.array(one), with: .array(two), .union) else {
            Issue.record("no list")
            return
        }
        #expect(Array(all.prefix(one.count)) == one, "\(seed)")
        let added = all.dropFirst(one.count)
        #expect(Set(added).count == added.count && added.allSatisfy { !one.contains($0) && two.contains($0) })
        #expect(two.allSatisfy(all.contains))
    }

    @Test(
        "are whole numbers as long as they fit, and never without end",
        arguments: [
            (.integer(.max), .integer(0), .integer(.max)),
            (.integer(.max), .integer(1), .number(9_223_372_036_854_775_808)),
            (.integer(.min), .integer(-1), .number(-9_223_372_036_854_775_808)),
            (.integer(1), .number(0.5), .number(1.5)),
            (.number(.greatestFiniteMagnitude), .integer(0), .number(.greatestFiniteMagnitude)),
            (.number(.greatestFiniteMagnitude), .number(.greatestFiniteMagnitude), .number(.greatestFiniteMagnitude)),
            (
                .number(-.greatestFiniteMagnitude), .number(-.greatestFiniteMagnitude),
                .number(-.greatestFiniteMagnitude)
            ),
            (.string("1"), .integer(1), .string("1")), (.integer(1), .string("1"), .integer(1)),
        ] as [(JSONValue, JSONValue, JSONValue)])
    func sums(one: JSONValue, other: JSONValue, sum: JSONValue) {
        #expect(MergeRules.merged(one, with: other, .sum) == sum)
    }
}

/// A guest who finds the own account again, and goes on as the one or the other.
@Suite("Two users who become one")
struct MergeUseTests {
    private static let day = 86_400_000
    private let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    /// A guest with a device of its own, and a registered user.
    private struct Pair {
        let application: Application
        let device: TestDevice
        let guest: Authenticated
        let hana: User
        let ticket = Secret("ticket")
    }

    private func pair(
        grace: Duration = .days(30), _ fill: (inout User, inout User) -> Void = { _, _ in }
    ) async throws -> Pair {
        var settings = ApplicationSettings()
        settings.deletionGrace = grace
        settings.mergeRules = ["coins": .sum]
        let application = try await world.makeApplication(settings: settings)
        let device = TestDevice()
        let logIn = try await world.logIn(device, to: application)
        var (left, hana) = (logIn.user, try await world.signUp("hana", to: application).user)
        fill(&left, &hana)
        let (guest, user) = (left, hana)
        let ticket = MergeTicket(
            application: application.id, digest: MergeTicket.digest(of: "ticket"), user: guest.id, other: user.id,
            expiresAt: world.clock.now + MergeTicket.lifetime)
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.updateProfile(of: guest)
            try transaction.updateProfile(of: user)
            try transaction.insert(ticket)
        }
        return Pair(
            application: application, device: device,
            guest: try await world.authenticate(logIn.token, in: application), hana: user)
    }

    private func resolve(_ pair: Pair, _ choice: MergeChoice, _ ticket: String = "ticket") async throws
        -> ResolveMerge.Resolution
    {
        try await world.modules.transfers.resolveMerge(
            ticket, choice, by: pair.guest, address: TestWorld.address, from: .local)
    }

    private func user(_ id: Identifier<User>, _ pair: Pair) async throws -> User {
        try await world.modules.directory.readUser(id, in: pair.application.id)
    }

    @Test("need a ticket, which counts once, whatever is chosen", arguments: [MergeChoice.keep, .switch, .merge])
    func once(choice: MergeChoice) async throws {
        let pair = try await pair()
        #expect(await world.refusal { _ = try await resolve(pair, choice, "another") } == .mergeTicketRefused)
        _ = try await resolve(pair, choice)
        for again in [MergeChoice.keep, .switch, .merge] where again != choice || choice != .keep {
            #expect(await world.refusal { _ = try await resolve(pair, again) } == .mergeTicketRefused)
        }
    }

    @Test("stay two when that is wished again, as after a lost response: with one entry, and for the same user alone")
    func keptAgain() async throws {
        let pair = try await pair()
        let first = try await resolve(pair, .keep)
        world.clock.advance(by: MergeTicket.lifetime)
        let again = try await resolve(pair, .keep)
        #expect(again.user == first.user && again.logIn == nil && again.leftUser == nil)
        let entries = try await world.modules.administration.audit.list(in: pair.application.id)
        #expect(entries.map(\.action).filter { $0 == .mergeKept } == [.mergeKept])
        let other = Pair(
            application: pair.application, device: pair.device,
            guest: try await world.authenticate(
                try await world.logIn(TestDevice(), to: pair.application).token, in: pair.application),
            hana: pair.hana)
        #expect(await world.refusal { _ = try await resolve(other, .keep) } == .mergeTicketRefused)
        try await world.modules.sessions.logOut(pair.guest)
        #expect(await world.refusal { _ = try await resolve(pair, .keep) } == .sessionInvalid)
    }

    @Test("need it within ten minutes", arguments: [(599_999, true), (600_000, false)])
    func end(after: Int, isGood: Bool) async throws {
        let pair = try await pair()
        world.clock.advance(by: .milliseconds(after))
        let refused = await world.refusal { _ = try await resolve(pair, .merge) }
        #expect(refused == (isGood ? nil : .mergeTicketRefused))
    }

    @Test("stay two when the guest stays")
    func kept() async throws {
        let pair = try await pair()
        let resolution = try await resolve(pair, .keep)
        #expect(resolution.user.id == pair.guest.user.id && resolution.logIn == nil && resolution.merge == nil)
        #expect(resolution.leftUser == nil)
        #expect(try await world.logIn(pair.device, to: pair.application).user.id == pair.guest.user.id)
        #expect(try await user(pair.hana.id, pair).deletionRequestedAt == nil)
    }

    @Test("stay two when the device goes over, and a guest whom nothing leads to any more is erased after the grace")
    func switched() async throws {
        let pair = try await pair()
        let resolution = try await resolve(pair, .switch)
        #expect(resolution.user.id == pair.hana.id && resolution.merge == nil)
        let logIn = try #require(resolution.logIn)
        #expect(logIn.session.method == .merge && logIn.session.deviceKey == pair.device.thumbprint)
        #expect(resolution.leftUser?.id == pair.guest.user.id)
        #expect(resolution.leftUser?.erasedAt == world.clock.now + .days(30))
        #expect(try await world.logIn(pair.device, to: pair.application).user.id == pair.hana.id)
        let guest = try await user(pair.guest.user.id, pair)
        #expect(guest.isOutOfReach && guest.deletionRequestedAt == world.clock.now)
        // Their values stay apart.
        #expect(try await user(pair.hana.id, pair).fields == pair.hana.fields)
    }

    @Test("are one with everything of both, and the session of before is over")
    func merged() async throws {
        let pair = try await pair { guest, hana in
            (guest.displayName, guest.locale) = ("Guest", "ko")
            guest.fields = ["coins": 5, "level": 3, "own": true]
            hana.locale = "ja"
            hana.fields = ["coins": 7, "level": 9]
        }
        let preview = try await world.modules.transfers.previewMerge("ticket", by: pair.guest)
        let resolution = try await resolve(pair, .merge)
        #expect(resolution.user.id == pair.hana.id && resolution.merge != nil)
        #expect(resolution.user.displayName == "Guest" && resolution.user.locale == "ja")
        #expect(resolution.user.fields == ["coins": 12, "level": 9, "own": true])
        // It is what was shown before.
        #expect(preview.merged.fields == resolution.user.fields && preview.merged.displayName == "Guest")
        #expect(preview.current.id == pair.guest.user.id && preview.other.id == pair.hana.id)
        #expect(preview.expiresAt == world.clock.now + .seconds(600))
        #expect(
            Set(preview.merged.identities.map(\.subject)) == Set(resolution.user.identities.map(\.subject)))
        #expect(try await world.logIn(pair.device, to: pair.application).user.id == pair.hana.id)
        let sessions = try await world.modules.sessions.listSessions(of: pair.guest.user.id, in: pair.application)
        #expect(sessions.isEmpty)
    }

    @Test("have together no more identities than one user may have", arguments: [999, 1000])
    func identityLimit(count: Int) async throws {
        let pair = try await pair()
        let (id, now, provider) = (pair.application.id, world.clock.now, Identity.Provider(rawValue: "oidc:test"))
        // What leads to a guest is of a device, or an old protocol's anonymous id.
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                Identity(provider: .anonymous, subject: "guest", linkedAt: now), for: pair.guest.user.id, in: id)
            for number in 0..<count {
                try transaction.insert(
                    Identity(provider: provider, subject: "\(number)", linkedAt: now), for: pair.hana.id, in: id)
            }
        }
        let refused = await world.refusal { _ = try await resolve(pair, .merge) }
        let tooMany = ValidationError(field: "identities", rule: .tooManyFields(maximum: User.maximumIdentities))
        #expect(refused == (count < 1000 ? nil : .fieldsRefused([tooMany])))
    }

    @Test(
        "leave the one that went until the merge cannot be undone any more, also where the grace is shorter",
        arguments: [3, 7, 8, 30] as [Int64])
    func grace(days: Int64) async throws {
        let pair = try await pair(grace: .days(days))
        let left = try #require(try await resolve(pair, .merge).leftUser)
        #expect(left.id == pair.guest.user.id)
        #expect(left.erasedAt == world.clock.now + .days(max(days, 7)))
    }

    @Test(
        "are two again with what each had, until the seventh day is over",
        arguments: [(7 * day - 1, true), (7 * day, false)])
    func undone(after: Int, isGood: Bool) async throws {
        let pair = try await pair { guest, hana in
            guest.fields = ["coins": 5, "own": true]
            hana.fields = ["coins": 7, "level": 9]
        }
        let resolution = try await resolve(pair, .merge)
        let merge = try #require(resolution.merge)
        world.clock.advance(by: .milliseconds(after))
        let undo = world.modules.transfers.undoMerge
        let refused = await world.refusal {
            try await undo(merge, of: pair.hana.id, in: pair.application.id, by: .local)
        }
        #expect(refused == (isGood ? nil : .undoTooLate))
        guard isGood else { return }
        let hana = try await user(pair.hana.id, pair)
        #expect(hana.fields == ["coins": 7, "level": 9] && hana.identities.isEmpty)
        #expect(hana.updatedAt == world.clock.now)
        let guest = try await user(pair.guest.user.id, pair)
        #expect(guest.fields == ["coins": 5, "own": true] && guest.deletionRequestedAt == nil)
        #expect(try await world.logIn(pair.device, to: pair.application).user.id == pair.guest.user.id)
        let again = await world.refusal {
            try await undo(merge, of: pair.hana.id, in: pair.application.id, by: .local)
        }
        #expect(again == .mergeUnknown)
    }

    @Test(
        "are two again with what was changed since, unless the key that led to the one that went was removed since",
        arguments: UInt64(0)..<30
    )
    func undoneLater(seed: UInt64) async throws {
        var draw = SeededGenerator(state: seed)
        let names = ["coins", "level", "own", "other"]
        func fields(_ draw: inout SeededGenerator) -> [String: JSONValue] {
            var fields: [String: JSONValue] = [:]
            for name in names where draw.isOne(in: 2) { fields[name] = .integer(Int64(draw.number(below: 5))) }
            return fields
        }
        let (ofGuest, ofHana) = (fields(&draw), fields(&draw))
        let pair = try await pair { guest, hana in (guest.fields, hana.fields) = (ofGuest, ofHana) }
        let resolution = try await resolve(pair, .merge)
        let merged = resolution.user
        // Hana plays on.
        var changed = merged
        for name in names where draw.isOne(in: 3) {
            changed.fields[name] = draw.isOne(in: 4) ? nil : .integer(Int64(100 + draw.number(below: 5)))
        }
        if draw.isOne(in: 2) { changed.displayName = "Hana" }
        let after = changed
        let loses = draw.isOne(in: 3)
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.updateProfile(of: after)
            if loses {
                _ = try transaction.remove(
                    .device, subject: pair.device.thumbprint, of: pair.hana.id, in: pair.application.id)
            }
        }
        let merge = try #require(resolution.merge)
        let refused = await world.refusal {
            try await world.modules.transfers.undoMerge(
                merge, of: pair.hana.id, in: pair.application.id, by: .local)
        }
        #expect(refused == (loses ? .lastWayIn : nil))
        let hana = try await user(pair.hana.id, pair)
        guard !loses else {
            // Nothing is changed, and the one that went stays on the way out.
            #expect(hana.fields == after.fields)
            #expect(try await user(pair.guest.user.id, pair).deletionRequestedAt != nil)
            return
        }
        for name in names {
            let isChanged = after.fields[name] != merged.fields[name]
            #expect(hana.fields[name] == (isChanged ? after.fields[name] : ofHana[name]), "\(seed) \(name)")
        }
        #expect(hana.displayName == after.displayName)
        let guest = try await user(pair.guest.user.id, pair)
        #expect(guest.fields == ofGuest)
        #expect(guest.identities.map(\.subject) == [pair.device.thumbprint])
    }
}
