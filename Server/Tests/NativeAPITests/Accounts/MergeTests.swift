import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import StorageSQLite
import Testing

@Suite("The conflict of two users")
struct MergeTests {
    private static let password = "correct horse battery"
    private let server: TestServer
    /// Registered as `hana`, with a device and fields.
    private let registered: Person
    /// Anonymous, on a phone of its own.
    private let current: Person

    init() async throws {
        var settings = ApplicationSettings()
        settings.mergeRules = ["coins": .sum, "best": .max, "badges": .union]
        server = try await TestServer(application: settings)
        registered = try await server.person(
            body: #"{"user": {"fields": {"coins": 10, "best": 5, "badges": ["a"], "theme": "dark"}}}"#)
        let upgraded = try await registered.upgrade("hana", Self.password)
        try #require(upgraded.status == 200, "\(upgraded.text)")
        current = try await server.person(
            body: #"{"user": {"displayName": "花", "fields": "#
                + #"{"coins": 3, "best": 9, "badges": ["b"], "theme": "light"}}}"#)
    }

    private func offer() async throws -> MergeOfferBody {
        let answer = try await current.upgrade("hana", Self.password)
        expect(answer, 409, .identifierTaken)
        return try #require(try answer.read(Problem.self).merge, "\(answer.text)")
    }

    private func resolve(_ ticket: String, _ choice: String, by person: Person? = nil) async throws -> Answer {
        try await (person ?? current).send(
            .post, APIPath.merge, body: #"{"ticket": "\#(ticket)", "choice": "\#(choice)"}"#)
    }

    @Test("is answered plainly when the other's password is wrong, and counts as a failed log-in")
    func wrongPassword() async throws {
        let answer = try await current.upgrade("hana", "something else entirely")
        expect(answer, 409, .identifierTaken)
        #expect(try answer.read(Problem.self).merge == nil)
        for _ in 0..<4 { _ = try await current.upgrade("hana", "something else entirely") }
        // The right password too waits now, and the response names the conflict.
        #expect(try await current.upgrade("hana", Self.password).read(Problem.self).merge == nil)
    }

    @Test(
        "finds the other user whatever the case and width of what was typed (issue 20)",
        arguments: [#""username": "Hana""#, #""username": "ｈａｎａ""#, #""email": "HANA@Example.COM""#])
    func otherCase(typed: String) async throws {
        let named = try await registered.send(.patch, APIPath.user, body: #"{"email": "hana@example.com"}"#)
        try #require(named.status == 200, "\(named.text)")
        let answer = try await current.send(
            .post, APIPath.upgrade, body: #"{\#(typed), "password": "\#(Self.password)"}"#)
        expect(answer, 409, .identifierTaken)
        let ticket = try #require(try answer.read(Problem.self).merge, "\(answer.text)").ticket
        let merged = try await resolve(ticket, "merge").read(MergeResponse.self)
        #expect(merged.user.id == registered.logIn.user.id && merged.user.username == "hana")
    }

    @Test("shows both users and what would become of them, and changes nothing")
    func preview() async throws {
        let ticket = try await offer().ticket
        let answer = try await current.send(.post, APIPath.mergePreview, body: #"{"ticket": "\#(ticket)"}"#)
        let preview = try answer.read(MergePreviewResponse.self)
        #expect(preview.current.id == current.logIn.user.id && preview.other.id == registered.logIn.user.id)
        #expect(preview.merged.fields == ["coins": 13, "best": 9, "badges": ["a", "b"], "theme": "dark"])
        #expect(try await registered.send(.get, APIPath.user).read(UserBody.self).fields["coins"] == 10)
    }

    @Test("is answered as with a wrong password where a log-in of the other needs a second factor: nothing is shown")
    func secondFactor() async throws {
        let ticket = try await offer().ticket
        let factors = try await SecondFactorWorld(on: server)
        _ = try await factors.enrol(registered)
        // What was offered before has ended.
        expect(
            try await current.send(.post, APIPath.mergePreview, body: #"{"ticket": "\#(ticket)"}"#), 403,
            .mergeTicketRefused)
        for choice in ["switch", "merge"] { expect(try await resolve(ticket, choice), 403, .mergeTicketRefused) }
        let answer = try await current.upgrade("hana", Self.password)
        expect(answer, 409, .identifierTaken)
        #expect(try answer.read(Problem.self).merge == nil)
        try await factors.change { $0.mode = .off }
        _ = try await offer()
    }

    @Test("keeps the current user on wish")
    func keep() async throws {
        let ticket = try await offer().ticket
        let kept = try await resolve(ticket, "keep").read(MergeResponse.self)
        #expect(kept.user.id == current.logIn.user.id && kept.session == nil && kept.leftUser == nil)
        #expect(try await current.send(.get, APIPath.user).status == 200)
        expect(try await resolve(ticket, "merge"), 403, .mergeTicketRefused)
        // The response may have got lost.
        #expect(try await resolve(ticket, "keep").read(MergeResponse.self) == kept)
        expect(try await resolve(ticket, "keep", by: registered), 403, .mergeTicketRefused)
    }

    @Test("switches to the other user on wish: the device leads there from now on")
    func switching() async throws {
        let ticket = try await offer().ticket
        let switched = try await resolve(ticket, "switch").read(MergeResponse.self)
        #expect(switched.user.id == registered.logIn.user.id)
        #expect(switched.leftUser?.id == current.logIn.user.id && switched.leftUser?.erasedAt != nil)
        #expect(switched.user.fields["coins"] == 10)
        let session = try #require(switched.session)
        let read = try await server.send(.get, APIPath.user, [("Authorization", "Bearer \(session.token)")])
        #expect(try read.read(UserBody.self).id == registered.logIn.user.id)
        expect(try await current.send(.get, APIPath.user), 401, .sessionInvalid)
        #expect(try await server.person(current.device).logIn.user.id == registered.logIn.user.id)
    }

    @Test("merges by the application's rules, in the audit log and with an event, and can be undone for seven days")
    func merging() async throws {
        try await server.modules.events.changeSettings(
            of: server.application.id, isStreamed: true, retentionDays: nil, by: .local)
        let merged = try await resolve(try await offer().ticket, "merge").read(MergeResponse.self)
        #expect(merged.user.id == registered.logIn.user.id && merged.user.username == "hana")
        #expect(merged.user.displayName == "花")
        #expect(merged.user.fields == ["coins": 13, "best": 9, "badges": ["a", "b"], "theme": "dark"])
        expect(try await current.send(.get, APIPath.user), 401, .sessionInvalid)
        let phone = try await server.person(current.device)
        #expect(phone.logIn.user.id == registered.logIn.user.id)
        let application = server.application.id
        let events = try await server.modules.events.readEvents(in: application, after: 0, limit: 100).events
        let event = try #require(events.first { $0.type == .userMerged })
        #expect(event.user.rawValue == registered.logIn.user.id && event.leftUser?.rawValue == current.logIn.user.id)
        let actions = try await server.modules.administration.audit.list(in: application).map(\.action.rawValue)
        #expect(actions.contains("merge.merge") && actions.contains("merge.offered"))

        // A change that came after the merge survives the undoing.
        _ = try await registered.send(.patch, APIPath.user, body: #"{"fields": {"best": 20}}"#)
        server.clock.advance(by: .days(7) - .milliseconds(1))
        try await server.modules.deletion.eraseDeletedUsers()
        let token = try #require(merged.session?.token)
        let undo = #"{"merge": "\#(try #require(merged.merge))"}"#
        let bearer = [("Authorization", "Bearer \(token)")]
        expect(try await server.send(.post, APIPath.undoMerge, bearer, body: undo), 403, .reauthenticationRequired)
        let back = try await server.send(
            .post, "/v1/log-in/password", body: #"{"identifier": "hana", "password": "\#(Self.password)"}"#
        ).read(LogInResponse.self)
        let fresh = [("Authorization", "Bearer \(back.session.token)")]
        #expect(try await server.send(.post, APIPath.undoMerge, fresh, body: undo).status == 204)
        expect(try await server.send(.post, APIPath.undoMerge, fresh, body: undo), 404, .mergeUnknown)
        let again = try await server.person(current.device)
        #expect(again.logIn.user.id == current.logIn.user.id)
        #expect(again.logIn.user.fields == ["coins": 3, "best": 9, "badges": ["b"], "theme": "light"])
        let stayed = try await server.send(.get, APIPath.user, fresh).read(UserBody.self)
        #expect(stayed.fields == ["coins": 10, "best": 20, "badges": ["a"], "theme": "dark"])
        #expect(stayed.displayName == nil)
    }

    @Test("is final after seven days: the user that went is erased")
    func final() async throws {
        let merged = try await resolve(try await offer().ticket, "merge").read(MergeResponse.self)
        let erasedAt = (server.clock.now + .days(7)).milliseconds
        #expect(merged.leftUser?.erasedAt?.millisecondsSince1970 == erasedAt)
        server.clock.advance(by: .days(7))
        #expect(try await server.modules.deletion.eraseDeletedUsers() == 1)
        #expect(try await server.person(current.device).logIn.user.id == registered.logIn.user.id)
    }

    @Test("refuses a ticket that was used, is over, is another session's, or is none, alike")
    func tickets() async throws {
        let ticket = try await offer().ticket
        for person in [registered, try await server.person()] {
            expect(try await resolve(ticket, "merge", by: person), 403, .mergeTicketRefused)
        }
        expect(try await resolve("okm_x", "merge"), 403, .mergeTicketRefused)
        let unknown = try await resolve(ticket, "both")
        expect(unknown, 400, .invalidMember)
        #expect(try unknown.read(Problem.self).errors?.first?.detail == "One of keep, switch, merge.")
        server.clock.advance(by: .seconds(600))
        expect(try await resolve(ticket, "merge"), 403, .mergeTicketRefused)
    }

    @Test("refuses a ticket whose other user was deleted meanwhile, and the current one stays")
    func otherDeleted() async throws {
        let ticket = try await offer().ticket
        #expect(try await registered.send(.delete, APIPath.user).status == 202)
        for choice in ["keep", "switch", "merge"] {
            expect(try await resolve(ticket, choice), 403, .mergeTicketRefused)
        }
        #expect(try await current.send(.get, APIPath.user).read(UserBody.self).fields["coins"] == 3)
    }

    @Test("lets one of two uses of one ticket at once win")
    func usedTwice() async throws {
        let ticket = try await offer().ticket
        async let one = resolve(ticket, "merge")
        async let two = resolve(ticket, "merge")
        // The loser finds its session gone, or its ticket.
        let statuses = [try await one.status, try await two.status].sorted()
        #expect(statuses == [200, 401] || statuses == [200, 403])
        #expect(try await registered.send(.get, APIPath.user).read(UserBody.self).fields["coins"] == 13)
    }

    @Test("refuses what both together have too much of, and nothing is changed")
    func tooMuch() async throws {
        let half = String(repeating: "x", count: 20_000)
        _ = try await registered.send(.patch, APIPath.user, body: #"{"fields": {"one": "\#(half)"}}"#)
        _ = try await current.send(.patch, APIPath.user, body: #"{"fields": {"two": "\#(half)"}}"#)
        let ticket = try await offer().ticket
        expect(try await resolve(ticket, "merge"), 400, .invalidMember)
        #expect(try await current.send(.get, APIPath.user).status == 200)
        #expect(try await resolve(ticket, "switch").status == 200)
    }
}

extension Person {
    fileprivate func upgrade(_ username: String, _ password: String) async throws -> Answer {
        try await send(
            .post, "/v1/user/upgrade", body: #"{"username": "\#(username)", "password": "\#(password)"}"#)
    }
}
