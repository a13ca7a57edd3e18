import Domain
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Rules for fields, in every protocol")
struct FieldRuleSurfaceTests {
    private static let coins = FieldRule(name: "coins", kind: .integer, writer: .server, standard: 5)

    @Test("keep what the server alone writes from sign-ups and changes", arguments: FieldSurface.all)
    func readOnly(surface: FieldSurface) async throws {
        let world = try await ForeignWorld([Self.coins])
        surface.expect(try await surface.register(world, "cheat", #""coins":9000"#), .readOnly, "coins")
        #expect(try await world.modules.directory.listUsers(in: world.application.id).isEmpty)
        let pass = try await surface.person(world, "mina26", #""score":1"#)
        for members in [#""coins":9000"#, #""score":2,"coins":6"#, #""coins":"much""#] {
            surface.expect(try await surface.write(world, pass, members), .readOnly, "coins")
        }
        // What is sent back as it is, as many SDKs do with all fields, changes nothing.
        #expect(try await surface.write(world, pass, #""score":3,"coins":5"#).status == 200)
        #expect(try await world.stored("mina26") == ["coins": 5, "score": 3])
        #expect(try await surface.read(world, pass)["coins"] == 5)
    }

    @Test("keep what the server alone writes from being removed", arguments: FieldSurface.all)
    func removal(surface: FieldSurface) async throws {
        let world = try await ForeignWorld([Self.coins])
        let pass = try await surface.person(world, "mina26")
        // Kii has no word for it: what is left out stays.
        let answer = try await surface.write(world, pass, #""coins":null"#)
        if surface.spoken.name == "kii" {
            #expect(answer.status == 200)
        } else {
            surface.expect(answer, .readOnly, "coins")
        }
        #expect(try await world.stored("mina26") == ["coins": 5])
    }

    @Test("refuse values of another type", arguments: FieldSurface.all)
    func types(surface: FieldSurface) async throws {
        let world = try await ForeignWorld([FieldRule(name: "score", kind: .number)])
        surface.expect(try await surface.register(world, "mina26", #""score":"high""#), .wrongType, "score")
        let pass = try await surface.person(world, "mina26", #""score":1.5"#)
        for value in [#""high""#, "true", "[1]"] {
            surface.expect(try await surface.write(world, pass, #""score":\#(value)"#), .wrongType, "score")
        }
        #expect(try await surface.write(world, pass, #""score":2"#).status == 200)
        #expect(try await world.stored("mina26") == ["score": 2])
    }

    @Test("ask for what is required, and let nobody take it away", arguments: FieldSurface.all)
    func required(surface: FieldSurface) async throws {
        let world = try await ForeignWorld([FieldRule(name: "team", kind: .string, isRequired: true)])
        surface.expect(try await surface.register(world, "mina26", ""), .required, "team")
        let pass = try await surface.person(world, "mina26", #""team":"red""#)
        surface.expect(try await surface.write(world, pass, #""team":null"#), .required, "team")
        #expect(try await surface.write(world, pass, #""team":"blue""#).status == 200)
        #expect(try await world.stored("mina26") == ["team": "blue"])
    }

    @Test("take no fields without a rule when the application is closed", arguments: FieldSurface.all)
    func closed(surface: FieldSurface) async throws {
        let world = try await ForeignWorld([FieldRule(name: "score", kind: .integer)], isClosed: true)
        surface.expect(try await surface.register(world, "mina26", #""other":1"#), .notDeclared, "other")
        let pass = try await surface.person(world, "mina26", #""score":1"#)
        for name in ["other", "toString", "Score", "score2"] {
            surface.expect(try await surface.write(world, pass, #""\#(name)":1"#), .notDeclared, name)
        }
        #expect(try await surface.write(world, pass, #""score":2"#).status == 200)
        #expect(try await world.stored("mina26") == ["score": 2])
    }

    @Test("show each reader what it may see, also after the rule changed", arguments: FieldSurface.all)
    func readers(surface: FieldSurface) async throws {
        let world = try await ForeignWorld([
            FieldRule(name: "nick"), FieldRule(name: "mood", reader: .owner),
            FieldRule(name: "flag", reader: .server, writer: .server, standard: "watched"),
        ])
        let mina = try await surface.person(world, "mina26", #""nick":"M","mood":"secret mood""#)
        let other = try await surface.person(world, "taro")
        for _ in 0..<2 {
            let own = try await surface.read(world, mina)
            #expect(own["nick"] == "M" && own["mood"] == "secret mood" && own["flag"] == nil)
        }
        if let readOther = surface.readOther {
            let seen = try await readOther(world, other, mina.id)
            #expect(seen.status == 200, "\(seen.text)")
            #expect(seen.text.contains(#""nick""#))
            #expect(!seen.text.contains("secret mood") && !seen.text.contains("watched"))
        }
        // The answer's bytes were kept; a rule that changes forgets them.
        try await world.modules.applications.changeFieldRules(of: world.application.id, mayLoosen: true, by: .local) {
            $0["mood"] = FieldRule(name: "mood", reader: .server, writer: .server)
            $0["flag"] = nil
        }
        let own = try await surface.read(world, mina)
        #expect(own["mood"] == nil && own["flag"] == "watched")
    }

    @Test("tell nobody by a refusal whether a guess at a hidden value was right", arguments: FieldSurface.all)
    func guesses(surface: FieldSurface) async throws {
        let world = try await ForeignWorld([
            FieldRule(name: "flag", reader: .server, writer: .server, standard: "watched")
        ])
        let pass = try await surface.person(world, "mina26")
        let right = try await surface.write(world, pass, #""flag":"watched""#)
        let wrong = try await surface.write(world, pass, #""flag":"free""#)
        surface.expect(right, .readOnly, "flag")
        #expect(right.status == wrong.status && right.text.count == wrong.text.count)
        // Whole rewrites leave it where it is.
        #expect(try await surface.write(world, pass, #""score":1"#).status == 200)
        #expect(try await world.stored("mina26") == ["flag": "watched", "score": 1])
    }

    @Test("fill in defaults in every protocol that makes a user", arguments: SpokenProtocol.all)
    func defaults(spoken: SpokenProtocol) async throws {
        let world = try await ForeignWorld([
            Self.coins, FieldRule(name: "score", isRequired: true, standard: 7),
            FieldRule(name: "bag", kind: .object, standard: ["items": [], "deep": ["a": ["b": 1]]]),
        ])
        let made = try await spoken.register(world, "mina26", FieldSurface.password)
        #expect([200, 201].contains(made.status), "\(made.text)")
        #expect(
            try await world.stored("mina26") == [
                "coins": 5, "score": 7, "bag": ["items": [], "deep": ["a": ["b": 1]]],
            ])
        let pass = try #require(try await spoken.logIn(world, "mina26", FieldSurface.password))
        #expect(try await spoken.read(world, pass)?.score == 7)
    }
}
