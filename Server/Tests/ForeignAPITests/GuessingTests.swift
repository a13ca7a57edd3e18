import Domain
import OkaeriWire
import TestWorld
import Testing

/// The delay after wrong passwords, in the words of every protocol (requirements 8 and 52).
@Suite("Guessing passwords in any protocol")
struct GuessingTests {
    private static let password = "correct horse 7 staple"

    /// A user whom every protocol knows by name.
    private func world() async throws -> ForeignWorld {
        let world = try await ForeignWorld(server: [:])
        let made = try await SpokenProtocol.native.register(world, "mina26", Self.password)
        #expect(made.status == 201, "\(made.text)")
        return world
    }

    @Test("is not made longer by spelling the name otherwise", arguments: SpokenProtocol.all)
    func spelled(spoken: SpokenProtocol) async throws {
        let world = try await world()
        for name in ["mina26", "MINA26", "ｍｉｎａ２６", "Mina26", "mi\u{AD}na26"] {
            #expect(try await spoken.logIn(world, name, "wrong") == nil)
        }
        for name in ["mina26", "MINA26", " mina26 "] {
            #expect(try await spoken.logIn(world, name, Self.password) == nil, "\(name)")
        }
        world.clock.advance(by: .seconds(1))
        #expect(try await spoken.logIn(world, "mina26", Self.password) != nil)
    }

    @Test("counts for all protocols together", arguments: SpokenProtocol.all)
    func together(spoken: SpokenProtocol) async throws {
        let world = try await world()
        for (index, other) in SpokenProtocol.all.enumerated() {
            #expect(try await other.logIn(world, index % 2 == 0 ? "mina26" : "MINA26", "wrong") == nil)
        }
        #expect(try await spoken.logIn(world, "mina26", Self.password) == nil)
        world.clock.advance(by: .seconds(1))
        #expect(try await spoken.logIn(world, "mina26", Self.password) != nil)
    }

    @Test("by Parse is not passed by padded addresses, and a padded one that is right ends nothing")
    func padded() async throws {
        let world = try await ForeignWorld(server: [:])
        _ = try await world.parseUser("mina", #","email":"mina@example.com""#)
        for padding in 1...5 {
            let name = String(repeating: " ", count: padding) + "mina@example.com"
            #expect(try await world.parseLogIn(name, "wrong").parseCode == 101)
        }
        for name in ["  mina@example.com  ", "MINA@example.com", "mina@example.com", "mina"] {
            let answer = try await world.parseLogIn(name)
            #expect(answer.parseCode == 101, "\(answer.text)")
        }
        // Neither did asking whether the password is right.
        let asked = try await world.parse(
            "POST", "/verifyPassword", #"{"username":" mina@example.com","password":"s3cret"}"#)
        #expect(asked.parseCode == 101)
        world.clock.advance(by: .seconds(900))
        #expect(try await world.parseLogIn("mina@example.com").status == 200)
    }

    @Test("is answered alike for a name that leads to somebody and one that leads to nobody, padded or not")
    func alike() async throws {
        let world = try await world()
        for pattern in ["%", " %", "% ", "%", "\u{3000}%", "%", " %", "%"] {
            var answers: [[JSONValue]] = []
            for name in ["mina26", "nobody"] {
                let sent = pattern.replacing("%", with: name)
                let native = try await world.native(
                    "POST", "/v1/log-in/password", #"{"identifier":"\#(sent)","password":"wrong"}"#)
                let parse = try await world.parseLogIn(sent, "wrong")
                let ncmb = try await world.ncmb("POST", "/login", #"{"userName":"\#(sent)","password":"wrong"}"#)
                answers.append(
                    try [native, parse, ncmb].map { answer in
                        var members = try answer.json()
                        members["requestId"] = nil
                        members["status"] = .integer(Int64(answer.status))
                        return .object(members)
                    })
            }
            #expect(answers[0] == answers[1], "\(pattern)")
        }
    }
}
