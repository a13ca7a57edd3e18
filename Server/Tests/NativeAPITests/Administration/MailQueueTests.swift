import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("The mails that wait or were given up")
struct MailQueueTests {
    private let world: AdminWorld
    private let key: String

    init() async throws {
        world = try await AdminWorld(try await TestServer(settings: ["dev": "on"]), roles: [.auditor])
        key = try await world.key([.readSettings, .changeSettings])
    }

    private var queue: String { world.path("/mail/queue") }

    /// Puts a mail into the queue, of use for an hour.
    private func waiting() async throws -> QueuedMail {
        let before = Set(try await mails().map(\.id))
        let test = #"{"kind": "log-in-code", "language": "en", "to": "me@example.com"}"#
        #expect(try await world.send(key, .post, world.path("/mail/test"), body: test).status == 202)
        return try #require(try await mails().first { !before.contains($0.id) })
    }

    /// One as a mail server leaves it that refuses it for good.
    private func givenUp() async throws -> QueuedMail {
        let mail = try await waiting()
        try await world.server.store.write { transaction throws(DomainError) in
            guard var taken = try transaction.claim(mail, until: mail.createdAt + .seconds(60), by: "node") else {
                throw .storageUnavailable
            }
            (taken.nextTryAt, taken.lastFault) = (nil, "550")
            try transaction.postpone(taken)
        }
        return mail
    }

    private func mails() async throws -> [QueuedMail] {
        try await world.server.modules.messaging.listQueuedMail(in: world.server.application.id)
    }

    @Test("are listed page by page")
    func pages() async throws {
        for _ in 0..<3 { _ = try await waiting() }
        let first = try await world.send("auditor", .get, "\(queue)?limit=2").json
        let next = try #require(first["next"]?.text)
        let rest = try await world.send("auditor", .get, "\(queue)?limit=2&from=\(next)").json
        #expect(first["mails"]?.list.count == 2 && rest["mails"]?.list.count == 1 && rest["next"] == nil)
        let listed = (first["mails"]?.list ?? []) + (rest["mails"]?.list ?? [])
        #expect(try await listed.map { $0["id"]?.text } == mails().map(\.id.rawValue))
        for wrong in ["limit=0", "limit=1001", "cursor=1"] {
            expect(try await world.send("auditor", .get, "\(queue)?\(wrong)"), 400, .invalidMember)
        }
    }

    @Test("are sent again one by one, or all together")
    func again() async throws {
        let (one, _, _) = (try await givenUp(), try await givenUp(), try await givenUp())
        let messaging = world.server.modules.messaging
        #expect(try await messaging.deliverMail().delivered == 0)
        let retried = try await world.send(key, .post, "\(queue)/\(one.id)/retry")
        #expect(try retried.status == 202 && retried.json["isGivenUp"] == false, "\(retried.text)")
        #expect(try await messaging.deliverMail().delivered == 1)
        expect(try await world.send(key, .post, "\(queue)/\(one.id)/retry"), 404, .notFound)
        #expect(try await world.send(key, .post, "\(queue)/retry").json["count"] == 2)
        #expect(try await messaging.deliverMail().delivered == 2)
        #expect(try await world.send(key, .post, "\(queue)/retry").json["count"] == 0)
        #expect(try await messaging.readOutbox(of: world.server.application.id).count == 3)
    }

    @Test("are not sent again once their code has expired")
    func expired() async throws {
        let mail = try await givenUp()
        world.server.clock.advance(by: .seconds(3600))
        expect(try await world.send(key, .post, "\(queue)/\(mail.id)/retry"), 409, .mailExpired)
        #expect(try await world.send(key, .post, "\(queue)/retry").json["count"] == 0)
        #expect(try await world.server.modules.messaging.deliverMail().delivered == 0)
    }

    @Test("are taken out, and then there is nothing to send")
    func dropped() async throws {
        let mails = [try await waiting(), try await givenUp()]
        for mail in mails {
            #expect(try await world.send(key, .delete, "\(queue)/\(mail.id)").status == 204)
            expect(try await world.send(key, .delete, "\(queue)/\(mail.id)"), 404, .notFound)
        }
        #expect(try await world.server.modules.messaging.deliverMail().delivered == 0)
        let log = try await world.server.modules.administration.audit.list(in: world.server.application.id, limit: 100)
        let entries = log.filter { $0.action == .mailDropped }
        #expect(Set(entries.compactMap { $0.details["mail"] }) == Set(mails.map(\.id.rawValue)))
        #expect(entries.allSatisfy { $0.details["kind"] == "log-in-code" && $0.actor.rawValue.hasPrefix("admin-key:") })
    }

    @Test("of another application are out of reach, and nobody changes any who may only look")
    func outOfReach() async throws {
        let mail = try await givenUp()
        let foreign = "applications/\(world.foreign.id)/mail/queue"
        for (method, rest) in [(HTTPRequest.Method.post, "/retry"), (.delete, "")] {
            expect(try await world.send(key, method, "\(foreign)/\(mail.id)\(rest)"), 404, .notFound)
            expect(try await world.send("auditor", method, "\(queue)/\(mail.id)\(rest)"), 403, .notAllowed)
        }
        #expect(try await world.send(key, .post, "\(foreign)/retry", changes: false).json["count"] == 0)
        expect(try await world.send("auditor", .post, "\(queue)/retry"), 403, .notAllowed)
        #expect(try await mails().map(\.nextTryAt) == [nil])
    }

    @Test("have buttons in the dashboard for who may use them, and pages")
    func page() async throws {
        let (browser, address) = (world.browser(), world.page("mail-queue"))
        let (first, second) = (try await givenUp(), try await givenUp())
        let list = try await browser.get(address)
        #expect(list.html.contains("Send all again now") && list.html.contains("?mail=\(first.id)"))
        let shown = try await browser.get("\(address)?mail=\(first.id)")
        #expect(shown.html.contains("Send again now") && shown.html.contains("Take it out of the queue"))
        #expect(!shown.html.contains(second.id.rawValue) && !shown.html.contains("me@example.com"))
        #expect(try await browser.post("\(address)/\(first.id)/retry", [:], token: "forged").status == 403)
        #expect(try await mails().map(\.nextTryAt) == [nil, nil])
        let retried = try await browser.post("\(address)/\(first.id)/retry", [:], token: shown.token)
        #expect(retried.status == 303)
        #expect(try await browser.get("\(address)?done=sent").html.contains("on their way"))
        #expect(try await world.server.modules.messaging.deliverMail().delivered == 1)
        #expect(try await browser.post("\(address)/\(second.id)/drop", [:], token: shown.token).status == 303)
        #expect(try await browser.get(address).html.contains("No mail waits"))
        #expect(try await browser.post("\(address)/\(second.id)/drop", [:], token: shown.token).status == 404)
        let third = try await givenUp()
        let auditor = world.browser("auditor")
        let seen = try await auditor.get("\(address)?mail=\(third.id)")
        #expect(seen.status == 200 && !seen.html.contains("Send again now") && !seen.html.contains("Take it out"))
        #expect(try await auditor.post("\(address)/\(third.id)/retry", [:], token: seen.token).status == 403)
        #expect(try await browser.post("\(address)/retry", [:], token: shown.token).status == 303)
        #expect(try await world.server.modules.messaging.deliverMail().delivered == 1)
    }

    @Test("say in the dashboard why they cannot be sent again")
    func expiredPage() async throws {
        let mail = try await givenUp()
        world.server.clock.advance(by: .seconds(3600))
        let token = try await AdminWorld.setUp(
            try await world.server.modules.administration.admins.makeLink(
                for: try await world.server.modules.administration.admins.create(
                    name: "late", role: .operator, applications: nil, by: .local
                ).id, by: .local
            ).token, name: nil, on: world.server)
        let (browser, address) = (Browser(world.server), world.page("mail-queue"))
        browser.plant(token, name: "admin")
        let shown = try await browser.get("\(address)?mail=\(mail.id)")
        #expect(shown.html.contains("cannot be sent again") && !shown.html.contains("Send again now"))
        let refused = try await browser.post("\(address)/\(mail.id)/retry", [:], token: shown.token)
        #expect(refused.status == 409 && refused.html.contains("Its code has expired"))
    }
}
