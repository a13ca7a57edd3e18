import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Events over the admin API")
struct AdminEventTests {
    @Test("are a stream that is read on from a position, by who may see users")
    func stream() async throws {
        let world = try await AdminWorld()
        let on = try await world.send("owner", .patch, world.path("/event-settings"), body: #"{"isStreamed": true}"#)
        #expect(try on.json["isStreamed"] == true)
        let person = try await world.server.person()
        let first = try await world.send("owner", .get, world.path("/events?after=0")).json
        #expect(first["events"]?.list.map { $0["type"]?.text } == ["user.created"])
        #expect(first["events"]?.list.first?["data"]?["user"]?.text == person.logIn.user.id)
        #expect(first["next"] == 1 && first["isRecorded"] == true)
        let rest = try await world.send("owner", .get, world.path("/events?after=1&types=user.merged")).json
        #expect(rest["events"]?.list.isEmpty == true && rest["next"] == 1)
        expect(try await world.send(nil, .get, world.path("/events")), 401, .adminRequired)
        for wrong in ["after=-1", "after=x", "limit=501", "wait=26", "cursor=1"] {
            expect(try await world.send("owner", .get, world.path("/events?\(wrong)")), 400, .invalidMember)
        }
    }

    @Test("go to endpoints whose secret is shown once and whose address is never a private one")
    func endpoints() async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/event-endpoints")
        for url in [
            "http://app.example.com", "https://127.0.0.1/", "https://169.254.169.254/", "https://[::1]/", "ftp://a", "",
        ] {
            let answer = try await world.send("owner", .post, path, body: #"{"url": "\#(url)"}"#)
            expect(answer, 400, .invalidMember)
            let errors = try answer.read(Problem.self).errors ?? []
            #expect(errors.map(\.field) == ["url"] && errors.map(\.code) == [url.isEmpty ? "empty" : "not_an_address"])
        }
        let made = try await world.send(
            "owner", .post, path, body: #"{"url": "https://app.example.com/hooks", "types": ["user.merged"]}"#)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(try made.json["id"]?.text)
        #expect(try made.json["secret"]?.text?.hasPrefix("whsec_") == true)
        let listed = try await world.send("owner", .get, path)
        #expect(try listed.json["endpoints"]?.list.count == 1 && !listed.text.contains("whsec_"))
        #expect(try listed.json["types"]?.list.contains("user.merged") == true)

        let changed = try await world.send("owner", .patch, "\(path)/\(id)", body: #"{"isPaused": true}"#)
        #expect(try changed.json["isPaused"] == true && changed.json["types"]?.list == ["user.merged"])
        let rotated = try await world.send("owner", .post, "\(path)/\(id)/rotate", body: #"{"overlapHours": 1}"#)
        #expect(try rotated.json["secret"] != made.json["secret"] && rotated.json["formerSecretUntil"] != nil)
        #expect(try await world.send("owner", .get, "\(path)/\(id)/deliveries").json["deliveries"]?.list == [])
        let replayed = try await world.send("owner", .post, "\(path)/\(id)/replay", body: "{}")
        #expect(try replayed.status == 202 && replayed.json["count"] == 0)
        #expect(try await world.send("owner", .delete, "\(path)/\(id)").status == 204)
        expect(try await world.send("owner", .delete, "\(path)/\(id)"), 404, .notFound)
    }

    @Test(
        "that are sent again or as a test stand in the audit log, with who asked for what, and nothing that was refused does"
    )
    func recorded() async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/event-endpoints")
        let made = try await world.send("owner", .post, path, body: #"{"url": "https://app.example.com"}"#)
        let id = try #require(try made.json["id"]?.text)
        let key = try await world.key([.changeSettings])
        for body in ["{}", #"{"after": 0}"#, #"{"after": -7}"#, #"{"after": \#(Int64.max)}"#] {
            let replayed = try await world.send(key, .post, "\(path)/\(id)/replay", body: body)
            #expect(try replayed.status == 202 && replayed.json["count"] == 0, "\(replayed.text)")
        }
        #expect(try await world.send(key, .post, "\(path)/\(id)/test").status == 200)
        for body in [#"{"after": 1.5}"#, #"{"after": 99999999999999999999}"#, #"{"after": "1"}"#, "[]"] {
            #expect(try await world.send(key, .post, "\(path)/\(id)/replay", body: body).status == 400, "\(body)")
        }
        expect(try await world.send(key, .post, "\(path)/nothing/replay", body: "{}"), 404, .notFound)
        expect(try await world.send(key, .post, "\(path)/nothing/test"), 404, .notFound)
        let other = try await world.key([.readUsers])
        expect(try await world.send(other, .post, "\(path)/\(id)/replay", body: "{}"), 403, .notAllowed)
        let log = try await world.server.modules.administration.audit.list(in: world.server.application.id, limit: 100)
        let entries = log.filter { $0.action == .eventsReplayed || $0.action == .testEventSent }
        #expect(
            entries.map { $0.details["events"] ?? $0.details["after"] ?? $0.action.rawValue }.sorted() == [
                "0", "0", "\(Int64.max)", "events.test-sent", "given-up",
            ])
        #expect(entries.allSatisfy { $0.details["event-endpoint"] == id && $0.actor.rawValue.hasPrefix("admin-key:") })
    }

    @Test("of another application are out of reach")
    func tenants() async throws {
        let world = try await AdminWorld(restricted: true)
        let foreign = "applications/\(world.foreign.id)/event-endpoints"
        let made = try await world.send("owner", .post, foreign, body: #"{"url": "https://other.example.com"}"#)
        let id = try #require(try made.json["id"]?.text)
        expect(
            try await world.send("owner", .patch, world.path("/event-endpoints/\(id)"), body: "{}"), 404, .notFound)
        for (method, rest) in [
            (HTTPRequest.Method.post, "/test"), (.post, "/replay"), (.post, "/rotate"), (.get, "/deliveries"),
            (.delete, ""),
        ] {
            let answer = try await world.send(
                "owner", method, world.path("/event-endpoints/\(id)\(rest)"), body: method == .post ? "{}" : nil)
            expect(answer, 404, .notFound)
        }
        for role in AdminRole.allCases where role != .owner {
            #expect(try await world.send(role.rawValue, .get, foreign).status == 404, "\(role)")
        }
    }
}
