import Domain
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@Suite("A theme")
struct ThemeTests {
    @Test("has up to 163,840 bytes as JSON", arguments: [163_839, 163_840, 163_841])
    func size(bytes: Int) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        // `{"a":""}` has eight.
        let theme: JSONValue = ["a": .string(String(repeating: "x", count: bytes - 8))]
        let refusal = await world.refusal {
            try await world.modules.applications.changeTheme(of: application.id, to: theme, by: .local)
        }
        #expect(refusal?.validationErrors?.map(\.rule) == (bytes > 163_840 ? [.tooManyBytes(maximum: 163_840)] : nil))
        let kept = try await world.modules.applications.findApplication(application.id).settings.theme
        #expect((kept == nil) == (bytes > 163_840))
    }
}

@Suite("Keys of old protocols")
struct ProtocolKeyTests {
    let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    private func rules(_ name: Session.ProtocolName, _ keys: [ProtocolKey: String]) async throws
        -> [ValidationError.Rule]
    {
        let application = try await world.makeApplication()
        let refusal = await world.refusal {
            _ = try await world.modules.applications.enableProtocol(
                name, given: keys.mapValues { Secret($0) }, of: application.id, by: .local)
        }
        return refusal?.validationErrors?.map(\.rule) ?? []
    }

    @Test(
        "have 1 to 255 printable signs",
        arguments: [
            ("k", true), ("!~", true), (String(repeating: "k", count: 255), true),
            (String(repeating: "k", count: 256), false), ("", false), ("a b", false), ("a\u{7f}", false), ("é", false),
        ])
    func signs(key: String, isTaken: Bool) async throws {
        #expect(try await rules(.yearly, [.open: key]) == (isTaken ? [] : [.notAKey]))
    }

    @Test("are those that the protocol has")
    func names() async throws {
        #expect(try await rules(.single, [.digested: "key"]) == [.notListed])
        #expect(try await rules(.yearly, [.open: "a b", .sealed: "c d", .clientKey: "x"]).count == 3)
    }

    @Test(
        "that are a path are one segment, and none that stands for another protocol",
        arguments: [
            ("/", true), ("/parse", true), ("/a-b_c.d", true), ("/A1", true),
            ("/" + String(repeating: "p", count: 63), true), ("/" + String(repeating: "p", count: 64), false),
            ("", false), ("parse", false), ("//", false),
            ("/a/b", false), ("/v1", false), ("/v2", true), ("/.well-known", false), ("/a b", false), ("/é", false),
            ("/a?b", false),
        ])
    func paths(path: String, isTaken: Bool) async throws {
        #expect(try await rules(.endless, [.open: path]) == (isTaken ? [] : [.notABasePath]))
    }

    @Test("are had when they are sealed or kept as a digest, and accepted as themselves alone")
    func kept() async throws {
        let application = try await world.makeApplication()
        let keys = try await world.modules.applications.enableProtocol(
            .yearly, given: [.open: Secret("public"), .sealed: Secret("sealed"), .digested: Secret("digested")],
            of: application.id, by: .local)
        #expect(keys.keys[.sealed] == Secret("sealed"))
        let found = try await world.modules.applications.findProtocol(.yearly, publicKey: "public")
        #expect(found.has(.sealed) && found.has(.digested) && !found.has(.clientKey))
        for key in [ProtocolKey.sealed, .digested] {
            #expect(found.accepts(key.rawValue, as: key))
            #expect(!found.accepts("other", as: key) && !found.accepts("", as: key))
        }
        #expect(!found.accepts("sealed", as: .digested) && !found.accepts("digested", as: .sealed))
        #expect(!found.accepts("", as: .clientKey) && !found.accepts("sealed", as: .clientKey))
    }

    @Test("go with their protocol, which is switched off once")
    func disabled() async throws {
        let (applications, application) = (world.modules.applications, try await world.makeApplication().id)
        #expect(try await !applications.disableProtocol(.yearly, of: application, by: .local))
        _ = try await applications.enableProtocol(
            .yearly, given: [.open: Secret("public"), .digested: Secret("digested")], of: application, by: .local)
        #expect(try await !applications.disableProtocol(.single, of: application, by: .local))
        _ = try await applications.findProtocol(.yearly, publicKey: "public")
        #expect(try await applications.disableProtocol(.yearly, of: application, by: .local))
        #expect(await world.refusal { _ = try await applications.findProtocol(.yearly, publicKey: "public") } != nil)
        #expect(try await !applications.disableProtocol(.yearly, of: application, by: .local))
        let unknown = await world.refusal {
            _ = try await applications.disableProtocol(.yearly, of: Identifier(rawValue: "none"), by: .local)
        }
        #expect(unknown == .applicationUnknown)
    }

    @Test("make tokens of callers who are no users, good for a day and in one application")
    func tokens() async throws {
        let tokens = world.modules.applications.protocolTokens
        var enabled: [EnabledProtocol] = []
        for number in 1...2 {
            let application = try await world.makeApplication()
            let keys = try await world.modules.applications.enableProtocol(
                .yearly, given: [.open: Secret("public\(number)"), .digested: Secret("digested")], of: application.id,
                by: .local)
            #expect(keys.keys[.open] == Secret("public\(number)"))
            enabled.append(try await world.modules.applications.findProtocol(.yearly, publicKey: "public\(number)"))
        }
        for caller in ProtocolTokens.Caller.allCases {
            let token = tokens.issue(caller, for: enabled[0]).revealed
            #expect(tokens.caller(of: token, for: enabled[0]) == caller)
            #expect(tokens.caller(of: token, for: enabled[1]) == nil)
            for wrong in [token + "A", String(token.dropLast()), "x" + token, "", "adm", "adm__", "anon_1_x"] {
                #expect(tokens.caller(of: wrong, for: enabled[0]) == nil, "\(wrong)")
            }
            for other in ProtocolTokens.Caller.allCases where other != caller {
                let forged = other.rawValue + token.dropFirst(caller.rawValue.count)
                #expect(tokens.caller(of: forged, for: enabled[0]) == nil, "a code is of one kind of caller")
            }
        }
        let token = tokens.issue(.anonymous, for: enabled[0]).revealed
        world.clock.advance(by: .days(1) - .milliseconds(1))
        #expect(tokens.caller(of: token, for: enabled[0]) == .anonymous)
        world.clock.advance(by: .milliseconds(1))
        #expect(tokens.caller(of: token, for: enabled[0]) == nil)
    }
}
