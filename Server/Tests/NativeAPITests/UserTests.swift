import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("GET and PATCH /v1/user")
struct UserTests {
    @Test("shows the own user, without a query when the session was used before")
    func read() async throws {
        let engine = try CountingEngine()
        let person = try await TestServer(store: engine).person()
        let before = engine.transactions
        try await expectOwnUser(of: person)
        #expect(engine.transactions > before)
        let first = engine.transactions
        try await expectOwnUser(of: person)
        #expect(engine.transactions == first)
        #expect(person.server.modules.sessions.cachedSessions == 1)
    }

    private func expectOwnUser(of person: Person) async throws {
        let answer = try await person.send(.get, APIPath.user)
        #expect(answer.status == 200)
        #expect(try answer.read(UserBody.self) == person.logIn.user)
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
    }

    @Test(
        "changes by merge patch: sets, removes, and leaves the rest",
        arguments: [
            "application/json", "application/merge-patch+json", "Application/JSON; charset=utf-8",
        ])
    func patch(mediaType: String) async throws {
        let person = try await TestServer().person(
            body: #"{"user": {"displayName": "Hana", "locale": "ja", "fields": {"a": 1, "b": {"c": 2, "d": 3}}}}"#)
        #expect(try await person.send(.get, APIPath.user).status == 200)
        person.server.clock.advance(by: .seconds(5))
        let answer = try await person.send(
            .patch, APIPath.user, [("Content-Type", mediaType)],
            body: #"{"displayName": "花", "locale": null, "fields": {"a": null, "b": {"c": null, "e": "x"}, "f": [1]}}"#)
        #expect(answer.status == 200)
        let user = try answer.read(UserBody.self)
        #expect(user.displayName == "花" && user.locale == nil)
        #expect(user.fields == ["b": ["d": 3, "e": "x"], "f": [1]])
        #expect(user.updatedAt > person.logIn.user.updatedAt)
        // The next request sees it, although the session and the written answer were cached.
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self) == user)
    }

    @Test("leaves the user as it is without a body, and empties the fields for null")
    func edges() async throws {
        let person = try await TestServer().person(body: #"{"user": {"fields": {"a": 1}}}"#)
        #expect(try await person.send(.patch, APIPath.user).read(UserBody.self) == person.logIn.user)
        #expect(try await person.send(.patch, APIPath.user, body: "{}").read(UserBody.self) == person.logIn.user)
        let emptied = try await person.send(.patch, APIPath.user, body: #"{"fields": null}"#)
        #expect(try emptied.read(UserBody.self).fields.isEmpty)
    }

    @Test("changes nothing when one value breaks a rule")
    func allOrNothing() async throws {
        let person = try await TestServer().person()
        let answer = try await person.send(.patch, APIPath.user, body: #"{"displayName": "花", "locale": "not a tag"}"#)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == ["locale"])
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self) == person.logIn.user)
    }

    @Test("answers HEAD like GET without a body, and OPTIONS with the methods")
    func otherMethods() async throws {
        let person = try await TestServer().person()
        let head = try await person.send(.head, APIPath.user)
        #expect(head.status == 200 && head.body.isEmpty)
        let get = try await person.send(.get, APIPath.user)
        #expect(head.headers[.contentLength] == String(get.body.count))
        let options = try await person.server.send(.options, APIPath.user, isNamed: false)
        #expect(options.status == 204)
        #expect(options.headers[.allow] == "DELETE, GET, HEAD, OPTIONS, PATCH")
    }
}
