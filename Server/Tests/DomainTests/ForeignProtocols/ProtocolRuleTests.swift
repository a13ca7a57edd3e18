import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("Rules of foreign protocols")
struct ProtocolRuleTests {
    /// A value unlike the present one.
    private func other(_ rule: ProtocolRule, than value: ProtocolRule.Value) -> ProtocolRule.Value {
        switch value {
        case .truth(let truth): .truth(!truth)
        case .number: .number(77)
        case .texts: .texts(["192.0.2.1"])
        }
    }

    @Test("are read, changed one by one, and read again from storage", arguments: ProtocolRule.all.map(\.name))
    func roundTrip(name: String) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let rule = try #require(ProtocolRule[name])
        for foreign in Session.ProtocolName.foreign {
            let wanted = other(rule, than: rule.value(for: foreign, in: application.settings))
            _ = try await world.useCases.foreign.changeProtocolRules(foreign, of: application.id, to: [name: wanted])
            let settings = try await world.useCases.findApplication(application.id).settings
            for each in ProtocolRule.all {
                let before = each.value(for: foreign, in: application.settings)
                #expect(each.value(for: foreign, in: settings) == (each.name == name ? wanted : before))
            }
        }
    }

    @Test("cover every option that there is")
    func complete() throws {
        // What a mirror finds and no rule changes would be an option that nobody can set.
        let options = Mirror(reflecting: ForeignOptions()).children.count
        let sessions = 2
        #expect(ProtocolRule.all.count == options + sessions)
        #expect(Set(ProtocolRule.all.map(\.name)).count == ProtocolRule.all.count)
        #expect(Set(ProtocolRule.all.map(\.option)).count == ProtocolRule.all.count)
    }

    @Test(
        "refuse what is not possible, by name, and change nothing",
        arguments: [
            ("idleSeconds", .number(0)), ("idleSeconds", .number(nil)), ("idleSeconds", .number(.max)),
            ("idleSeconds", .truth(true)), ("sessionsPerUser", .number(101)), ("sessionsPerUser", .number(-1)),
            ("timestampWindowSeconds", .number(-1)), ("hosts", .texts([""])),
            ("hosts", .texts(Array(repeating: "a", count: 21))), ("administratorNetworks", .texts(["everywhere"])),
            ("administratorNetworks", .texts(["10.0.0.0/33"])), ("administratorNetworks", .texts(["10.0.0.0/"])),
            ("administratorNetworks", .texts(["::1/129"])), ("allowsAnonymous", .number(1)), ("nothing", .truth(true)),
        ] as [(String, ProtocolRule.Value)])
    func faults(name: String, value: ProtocolRule.Value) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        do {
            _ = try await world.useCases.foreign.changeProtocolRules(
                .parse, of: application.id, to: [name: value, "ignoresCase": .truth(true)])
            Issue.record("taken")
        } catch {
            guard case .fieldsRefused(let faults) = error else { throw error }
            #expect(faults.map(\.field) == [name])
        }
        #expect(try await world.useCases.findApplication(application.id) == application)
    }

    @Test("take 0 for none", arguments: ["sessionsPerUser", "timestampWindowSeconds", "refreshedTokenSeconds"])
    func none(name: String) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let rule = try #require(ProtocolRule[name])
        for value: Int64 in [9, 0] {
            let changed = try await world.useCases.foreign.changeProtocolRules(
                .ncmb, of: application.id, to: [name: .number(value)])
            #expect(rule.value(for: .ncmb, in: changed.settings) == .number(value == 0 ? nil : value))
        }
    }
}
