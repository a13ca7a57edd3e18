import Domain
import NCMBAPI
import OkaeriServer
import ParseAPI
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
        case .texts: .texts([rule.kind == .server ? "https://parse.example.com" : "192.0.2.1"])
        }
    }

    @Test("are read, changed one by one, and read again from storage", arguments: ProtocolRule.all.map(\.name))
    func roundTrip(name: String) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), protocols: Composition.protocols)
        let application = try await world.makeApplication()
        let rule = try #require(ProtocolRule[name])
        for profile in Composition.protocols.foreign {
            let wanted = other(rule, than: rule.value(for: profile, in: application.settings))
            _ = try await world.modules.applications.changeProtocolRules(
                profile.name, of: application.id, to: [name: wanted], mayLoosen: true,
                isCurrent: { _ in true }, by: .local)
            let settings = try await world.modules.applications.findApplication(application.id).settings
            for each in ProtocolRule.all {
                let before = each.value(for: profile, in: application.settings)
                #expect(each.value(for: profile, in: settings) == (each.name == name ? wanted : before))
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
    }

    @Test(
        "refuse what is not possible, by name, and change nothing",
        arguments: [
            ("idleSeconds", .number(0)), ("idleSeconds", .number(nil)), ("idleSeconds", .number(.max)),
            ("idleSeconds", .truth(true)), ("sessionsPerUser", .number(101)), ("sessionsPerUser", .number(-1)),
            ("timestampWindowSeconds", .number(-1)), ("hosts", .texts([""])),
            ("hosts", .texts(Array(repeating: "a", count: 21))), ("administratorNetworks", .texts(["everywhere"])),
            ("administratorNetworks", .texts(["10.0.0.0/33"])), ("administratorNetworks", .texts(["10.0.0.0/"])),
            ("upstream", .texts(["parse.example.com"])),
            ("upstream", .texts(["https://a.example", "https://b.example"])),
            ("administratorNetworks", .texts(["::1/129"])), ("allowsAnonymous", .number(1)), ("nothing", .truth(true)),
        ] as [(String, ProtocolRule.Value)])
    func faults(name: String, value: ProtocolRule.Value) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), protocols: Composition.protocols)
        let application = try await world.makeApplication()
        do {
            _ = try await world.modules.applications.changeProtocolRules(
                .parse, of: application.id, to: [name: value, "ignoresCase": .truth(true)], mayLoosen: true,
                isCurrent: { _ in true }, by: .local)
            Issue.record("taken")
        } catch {
            guard let faults = error.validationErrors else { throw error }
            #expect(faults.map(\.field) == [name])
        }
        #expect(try await world.modules.applications.findApplication(application.id) == application)
    }

    @Test("say of each value whether it lets more through than another")
    func loosening() throws {
        func loosens(_ name: String, _ before: ProtocolRule.Value, _ after: ProtocolRule.Value) throws -> Bool {
            try #require(ProtocolRule[name]).loosens(from: before, to: after)
        }
        for rule in ProtocolRule.all where rule.kind == .truth {
            #expect(
                rule.loosens(from: .truth(false), to: .truth(true))
                    != rule.loosens(from: .truth(true), to: .truth(false)),
                "\(rule.name)")
            #expect(!rule.loosens(from: .truth(true), to: .truth(true)))
        }
        for name in [
            "allowsAnonymous", "isReadableByAll", "takesPasswordsInAddresses", "allowsSignUpByMail", "ignoresCase",
        ] { #expect(try loosens(name, .truth(false), .truth(true)), "\(name)") }
        for name in [
            "retiresWeakPasswords", "demandsVerifiedEmail", "demandsVerifiedPhone", "needsVerifiedEmail",
            "hasPasswordPolicy", "verifiesEmails",
        ] { #expect(try loosens(name, .truth(true), .truth(false)), "\(name)") }
        for name in ["sessionsPerUser", "timestampWindowSeconds"] {
            #expect(try loosens(name, .number(5), .number(6)) && loosens(name, .number(5), .number(nil)))
            #expect(try !loosens(name, .number(5), .number(4)) && !loosens(name, .number(nil), .number(5)))
        }
        #expect(try loosens("idleSeconds", .number(5), .number(6)) && !loosens("idleSeconds", .number(6), .number(5)))
        for value: Int64? in [4, 6, nil] { #expect(try loosens("refreshedTokenSeconds", .number(5), .number(value))) }
        #expect(try loosens("hosts", .texts(["a"]), .texts(["a", "b"])))
        #expect(try !loosens("hosts", .texts(["a", "b"]), .texts(["b"])))
        let networks = ProtocolRule.Value.texts(["10.0.0.0/8", "::1"])
        for list in [["0.0.0.0/0"], ["10.0.0.0/7"], ["11.0.0.1"], ["::/0"], ["10.0.0.0/8", "192.0.2.1"]] {
            #expect(try loosens("administratorNetworks", networks, .texts(list)), "\(list)")
        }
        for list in [[], ["10.2.0.0/16"], ["::1"], ["10.0.0.1", "10.0.0.2", "::1"]] {
            #expect(try !loosens("administratorNetworks", networks, .texts(list)), "\(list)")
        }
    }

    @Test("take 0 for none", arguments: ["sessionsPerUser", "timestampWindowSeconds", "refreshedTokenSeconds"])
    func none(name: String) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), protocols: Composition.protocols)
        let application = try await world.makeApplication()
        let rule = try #require(ProtocolRule[name])
        for value: Int64 in [9, 0] {
            let changed = try await world.modules.applications.changeProtocolRules(
                .ncmb, of: application.id, to: [name: .number(value)], mayLoosen: true,
                isCurrent: { _ in true }, by: .local)
            #expect(rule.value(for: ProtocolProfile.ncmb, in: changed.settings) == .number(value == 0 ? nil : value))
        }
    }
}
