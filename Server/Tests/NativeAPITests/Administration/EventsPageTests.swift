import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import PageSupport
import TestWorld
import Testing

@testable import Dashboard

@Suite("The dashboard's page of events")
struct EventsPageTests {
    private func endpoints(_ world: AdminWorld) async throws -> [EventEndpoint] {
        try await world.server.modules.events.endpoints.list(in: world.server.application.id)
    }

    private func made(_ world: AdminWorld, _ url: String = "https://app.example.com/hooks") async throws
        -> EventEndpoint
    {
        try await world.server.modules.events.endpoints.create(
            .init(url: url), in: world.server.application.id, by: .local
        ).endpoint
    }

    @Test("is drawn in every language, with an endpoint and without", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) async throws {
        let world = try await AdminWorld(roles: [])
        let endpoint = try await made(world)
        _ = try await world.server.person()
        for query in ["", "&endpoint=\(endpoint.id)"] {
            let shown = try await world.browser().get(world.page("events") + "?lang=\(language.rawValue)\(query)")
            #expect(shown.status == 200 && shown.html.contains("https://app.example.com/hooks"))
            #expect(shown.html.firstMatch(of: /\bevents\.[a-zA-Z]+/) == nil)
            // Before anything was delivered, the creation of the user waits and is the newest event.
            #expect(shown.html.contains(query.isEmpty ? "user.created" : ">1<"))
        }
    }

    @Test("adds an address whose secret is shown once, changes, pauses and removes it, and says what is wrong")
    func life() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("events"))
        let token = try await browser.get(address).token
        func post(_ name: String, _ fields: [String: String]) async throws -> Page {
            try await browser.post("\(address)/\(name)", fields, token: token)
        }
        for (field, fields) in [
            ("url", ["url": "https://127.0.0.1/"]), ("url", ["url": ""]),
            ("types", ["url": "https://app.example.com/", "types": "user.unheard"]),
        ] {
            let refused = try await post("endpoints", fields)
            #expect(refused.status == 422 && refused.error(field) != nil, "\(fields)")
        }
        let added = try await post(
            "endpoints", ["url": "https://app.example.com/hooks", "types": "user.created, user.merged"])
        #expect(added.status == 200 && added.html.contains("whsec_"))
        let endpoint = try #require(try await endpoints(world).first)
        #expect(endpoint.types.map(\.rawValue) == ["user.created", "user.merged"])
        #expect(try await !browser.get("\(address)?endpoint=\(endpoint.id)").html.contains("whsec_"))
        let path = "endpoints/\(endpoint.id)"
        #expect(try await post(path, ["url": endpoint.url, "isPaused": "yes", "includesUser": "yes"]).status == 303)
        let changed = try #require(try await endpoints(world).first)
        #expect(changed.isPaused && changed.includesUser && changed.types.isEmpty)
        let rotated = try await post("\(path)/rotate", ["overlapHours": "1"])
        #expect(rotated.status == 200 && rotated.html.contains("whsec_"))
        #expect(try await endpoints(world).first?.sealedFormer == endpoint.sealedSecret)
        #expect(try await post("\(path)/rotate", ["overlapHours": "169"]).error("overlapHours") != nil)
        #expect(try await post("\(path)/replay", ["after": "-1"]).error("after") != nil)
        #expect(try await post("\(path)/replay", ["after": ""]).status == 303)
        #expect(try await post("\(path)/remove", [:]).status == 303)
        #expect(try await endpoints(world).isEmpty)
        for gone in ["", "/rotate", "/remove", "/test", "/replay"] {
            let fields = ["url": "https://app.example.com/", "overlapHours": "1", "after": ""]
            #expect(try await post(path + gone, fields).status == 404, "\(gone)")
        }
        #expect(try await post("settings", ["isStreamed": "yes", "retentionDays": "91"]).error("retentionDays") != nil)
        #expect(try await post("settings", ["isStreamed": "yes", "retentionDays": "7"]).status == 303)
        let settings = try await world.server.modules.applications.findApplication(world.server.application.id).settings
        #expect(settings.events.isStreamed && settings.events.retention == .days(7))
    }

    @Test(
        "sends a test, and says why it was not taken in the admin's language",
        arguments: [
            (.english, "did not take the test: the receiver cannot be reached, or took too long."),
            (.japanese, "受信側に接続できないか、応答に時間がかかりすぎました"), (.korean, "수신 서버에 연결할 수 없거나 응답이 너무 늦습니다"),
        ] as [(PageLanguage, String)])
    func test(language: PageLanguage, words: String) async throws {
        let world = try await AdminWorld(roles: [])
        let endpoint = try await made(world)
        let (browser, address) = (world.browser(), world.page("events"))
        let token = try await browser.get(address).token
        let failed = try await browser.post(
            "\(address)/endpoints/\(endpoint.id)/test?lang=\(language.rawValue)", [:], token: token)
        #expect(failed.status == 422 && failed.html.contains(words))
        #expect(failed.html.contains("the receiver") == (language == .english))
    }

    @Test("says of an endpoint that its receiver wants no more", arguments: PageLanguage.allCases)
    func gone(language: PageLanguage) async throws {
        let world = try await AdminWorld(roles: [])
        var endpoint = try await made(world)
        (endpoint.isPaused, endpoint.goneAt) = (true, world.server.clock.now)
        let gone = endpoint
        try await world.server.store.write { transaction throws(DomainError) in try transaction.update(gone) }
        let shown = try await world.browser().get(world.page("events") + "?lang=\(language.rawValue)")
        #expect(shown.html.contains("410"))
        let listed = try await world.send("owner", .get, world.path("/event-endpoints"))
        #expect(try listed.json["endpoints"]?.list.first?["goneAt"] != nil)
    }

    @Test("shows users' events to who may see users, and forms to who may change settings")
    func permissions() async throws {
        let world = try await AdminWorld()
        let endpoint = try await made(world)
        let person = try await world.server.person()
        let owner = try await world.browser("owner").get(world.page("events"))
        #expect(owner.html.contains(person.logIn.user.id) && owner.html.contains("/events/endpoints"))
        // An auditor sees settings, and no users.
        let auditor = try await world.browser("auditor").get(world.page("events"))
        #expect(auditor.status == 200 && auditor.html.contains(endpoint.url))
        #expect(!auditor.html.contains(person.logIn.user.id) && !auditor.html.contains("/events/endpoints\""))
        let refused = try await world.browser("auditor").post(
            world.page("events") + "/endpoints/\(endpoint.id)/remove", [:], token: auditor.token)
        #expect(refused.status == 403)
        #expect(try await endpoints(world).count == 1)
    }

    @Test("is not the only one: the time line of a user has the user's events too")
    func timeline() async throws {
        let world = try await AdminWorld()
        _ = try await world.server.modules.events.endpoints.create(
            .init(url: "https://app.example.com/hooks"), in: world.server.application.id, by: .local)
        let person = try await world.server.person()
        let page = world.page("users/\(person.logIn.user.id)")
        let shown = try await world.browser("owner").get(page)
        #expect(shown.status == 200 && shown.html.contains("user.created"))
        // The audit log has an entry of that name too.
        #expect(shown.html.contains("<span class=\"badge\">event</span>"))
        #expect(try await world.browser("support").get(page).html.contains("user.created"))
    }

    @Test("says, as the time line does, where an event has come: it waits, was delivered or was given up")
    func deliveries() async throws {
        let world = try await AdminWorld()
        let endpoint = try await made(world)
        let id = world.server.application.id
        let user = try await world.server.person().logIn.user.id
        func shown(_ role: String = "owner") async throws -> (events: String, chosen: String, user: String) {
            (
                try await world.browser(role).get(world.page("events")).html,
                try await world.browser(role).get("\(world.page("events"))?endpoint=\(endpoint.id)").html,
                try await world.browser(role).get(world.page("users/\(user)")).html
            )
        }
        let waiting = try await shown()
        #expect(waiting.events.contains("waits: 1") && waiting.user.contains("waits for \(endpoint.url)"))
        #expect(waiting.chosen.contains("user.created"))
        let waits = try await world.send("owner", .get, world.path("/event-endpoints/\(endpoint.id)/deliveries"))
        #expect(try waits.json["deliveries"]?.list.first?["type"] == "user.created")
        // Who sees no settings sees no address.
        let support = try await world.browser("support").get(world.page("users/\(user)")).html
        #expect(support.contains("waits for \(endpoint.id)") && !support.contains(endpoint.url))
        let now = world.server.clock.now
        func claim(_ time: Timestamp) async throws -> EventDelivery {
            let claimed = try await world.server.store.write { transaction throws(DomainError) in
                try transaction.claimDeliveries(
                    of: endpoint, dueBy: time, repetition: time, limit: 1, lease: time, claim: "a")
            }
            return try #require(claimed.first)
        }
        var dead = try await claim(now)
        (dead.nextTryAt, dead.isGivenUp) = (nil, true)
        let given = dead
        try await world.server.store.write { transaction throws(DomainError) in
            try transaction.postpone(given, at: now)
        }
        let gone = try await shown()
        #expect(gone.events.contains("given up: 1") && gone.user.contains("given up for \(endpoint.url)"))
        _ = try await world.server.modules.events.replayEvents(givenUpOf: endpoint.id, in: id, by: .local)
        let taken = try await claim(now)
        try await world.server.store.write { transaction throws(DomainError) in
            _ = try transaction.finish(taken, at: now)
        }
        let done = try await shown()
        #expect(done.events.contains("delivered: 1") && done.user.contains("delivered to \(endpoint.url)"))
    }
}
