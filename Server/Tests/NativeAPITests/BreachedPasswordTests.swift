import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import PasswordHashes
import TestWorld
import Testing

@Suite("Passwords that are known from leaks")
struct BreachedPasswordTests {
    private static let leaked = "leaked sesame open"
    private static let fresh = "a secret of nobody else"

    /// A server with a filter that knows one password.
    private func world(_ settings: [String: String] = [:]) async throws -> MailServerWorld {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-\(UUID().uuidString)").path
        var list = Array(Self.leaked.utf8)
        _ = try PasswordFilterBuilder(.text)(
            reading: {
                defer { list = [] }
                return list
            }, into: path
        ) { _ in }
        // The file stays open.
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await MailServerWorld(settings: ["password-filter": path].merging(settings) { $1 })
    }

    private func expectRefused(_ answer: Answer, _ field: String) throws {
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map { "\($0.field):\($0.code)" } == ["\(field):breached"])
    }

    @Test("are refused at sign-up by field and rule, and nothing is stored")
    func signUp() async throws {
        let world = try await world()
        let body = { (password: String) in #"{"username": "hana", "password": "\#(password)"}"# }
        try expectRefused(try await world.server.send(.post, APIPath.signUp, body: body(Self.leaked)), "password")
        #expect(try await world.server.send(.post, APIPath.signUp, body: body(Self.fresh)).status == 201)
        #expect(try await world.server.logIn("hana", Self.fresh).status == 200)
    }

    @Test("are refused at an upgrade, a change and a reset, which can be tried again with a better one")
    func changes() async throws {
        let world = try await world()
        let person = try await world.server.person()
        let upgrade = { (password: String) in #"{"username": "hana", "password": "\#(password)"}"# }
        try expectRefused(try await person.send(.post, APIPath.upgrade, body: upgrade(Self.leaked)), "password")
        #expect(try await person.send(.post, APIPath.upgrade, body: upgrade(Self.fresh)).status == 200)
        let change = { (password: String) in
            #"{"currentPassword": "\#(Self.fresh)", "newPassword": "\#(password)"}"#
        }
        try expectRefused(try await person.send(.put, APIPath.password, body: change(Self.leaked)), "newPassword")
        #expect(try await world.server.logIn("hana", Self.fresh).status == 200)
        let asked = try await world.server.send(
            .post, APIPath.requestPasswordReset, body: #"{"email": "hana@example.com"}"#)
        #expect(asked.status == 202)
        let token = try #require(try await world.mails().first { $0.token != nil }?.token)
        let reset = { (password: String) in #"{"token": "\#(token)", "newPassword": "\#(password)"}"# }
        try expectRefused(
            try await world.server.send(.post, APIPath.resetPassword, body: reset(Self.leaked)), "newPassword")
        #expect(
            try await world.server.send(.post, APIPath.resetPassword, body: reset("another new secret")).status == 204)
        #expect(try await world.server.logIn("hana@example.com", "another new secret").status == 200)
    }

    @Test("are no way to guess the present password at a change without being counted")
    func guesses() async throws {
        let world = try await world()
        let person = try await world.server.person()
        let upgrade = #"{"username": "hana", "password": "\#(Self.fresh)"}"#
        #expect(try await person.send(.post, APIPath.upgrade, body: upgrade).status == 200)
        let guess = #"{"currentPassword": "a wrong guess", "newPassword": "\#(Self.leaked)"}"#
        for _ in 0..<5 {
            expect(try await person.send(.put, APIPath.password, body: guess), 401, .credentialRefused)
        }
        expect(try await person.send(.put, APIPath.password, body: guess), 429, .rateLimited)
    }

    @Test("log in their users as before: the list is about new passwords")
    func logIn() async throws {
        let world = try await MailServerWorld()
        let body = #"{"username": "hana", "password": "\#(Self.leaked)"}"#
        #expect(try await world.server.send(.post, APIPath.signUp, body: body).status == 201)
        #expect(try await world.server.logIn("hana", Self.leaked).status == 200)
    }

    @Test("are looked up at once by a service that says nothing: nobody waits for the calls of others")
    func silentService() async throws {
        let service = try SilentServer()
        let server = try await TestServer(settings: ["password-range-url": service.url])
        // How many calls had come when the first of all was given up.
        let came = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...24 {
                group.addTask {
                    let body = #"{"username": "hana\#(number)", "password": "\#(Self.fresh)"}"#
                    let answer = try await server.send(.post, APIPath.signUp, body: body, peer: "192.0.2.\(number)")
                    #expect(answer.status == 201)
                    return service.takeConnections()
                }
            }
            let first = try await group.next()
            try await group.waitForAll()
            return first ?? 0
        }
        #expect(came > 12)
    }

    /// A list that gives no answer.
    private struct Silent: BreachedPasswords {
        func contain(_ password: Password) async throws(BreachListUnavailable) -> Bool {
            throw BreachListUnavailable(reason: "the list is away")
        }
    }

    @Test(
        "are taken or put off as the operator wishes while a list gives no answer",
        arguments: [(BreachCheckedPasswords.Failure.accept, 201), (.refuse, 503)])
    func unavailable(failure: BreachCheckedPasswords.Failure, status: Int) async throws {
        let passwords = BreachCheckedPasswords(TestServer.passwords, lists: [Silent()], failure: failure)
        let server = try await TestServer(passwords: passwords)
        let answer = try await server.signUp("hana")
        #expect(answer.status == status)
        #expect(answer.headers[.retryAfter] == (status == 503 ? "5" : nil))
    }
}
