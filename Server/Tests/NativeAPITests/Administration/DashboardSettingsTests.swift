import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import Dashboard

@Suite("The dashboard's settings")
struct DashboardSettingsTests {
    @Test("switch providers on, check them and switch them off, and send no secret back")
    func providers() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let (browser, place) = (world.browser(), world.page("doors"))
        let token = try await browser.get(place).token
        let wrong = try await browser.post(place, ["act": "set", "door": "google"], token: token)
        #expect(wrong.status == 422 && wrong.html.contains("(audiences)"))
        let fields = [
            "act": "set", "door": "google", "google.audiences": "a.example\r\nb.example",
            "google.secret": "very-secret",
        ]
        #expect(try await browser.post(place, fields, token: token).status == 303)
        let shown = try await browser.get(place)
        #expect(shown.html.contains("a.example\nb.example") && !shown.html.contains("very-secret"))
        let own = [
            "act": "set", "door": "new", "new.name": "campus", "new.audiences": "app",
            "new.issuer": "https://id.example.edu",
        ]
        #expect(try await browser.post(place, own, token: token).status == 303)
        #expect(try await browser.get(place).html.contains("oidc:campus"))
        #expect(try await browser.post(place, ["act": "remove", "door": "google"], token: token).status == 303)
        #expect(try await browser.post(place, ["act": "check", "door": "google"], token: token).status == 422)
        let auditor = world.browser("auditor")
        let seen = try await auditor.get(place)
        #expect(seen.status == 200 && !seen.html.contains("value=\"set\""))
        #expect(try await auditor.post(place, fields, token: seen.token).status == 403)
    }

    @Test("keep own words for mails, show them in a frame that can run nothing, and send one")
    func mail() async throws {
        let world = try await AdminWorld(try await TestServer(settings: ["dev": "on"]), roles: [.auditor])
        let (browser, place) = (world.browser(), world.page("mail"))
        let shown = try await browser.get(place + "?kind=log-in-code&language=ja")
        #expect(shown.policy.contains("frame-src 'self'"))
        let words = [
            "kind": "log-in-code", "language": "ja", "subject": "こんにちは", "text": "{{code}}",
            "html": "<script>alert(1)</script><b>{{code}}</b>",
        ]
        let preview = try await browser.post("\(place)/preview", words, token: shown.token)
        #expect(preview.policy.hasPrefix("sandbox; default-src 'none'"))
        #expect(preview.html.contains("<b>1234 5678</b>"))
        #expect(try await browser.post("\(place)/preview", words).status == 403)
        let saved = try await browser.post(place, words.merging(["act": "save"]) { $1 }, token: shown.token)
        #expect(saved.status == 303)
        let bad = words.merging(["act": "save", "text": "nothing", "html": ""]) { $1 }
        let refused = try await browser.post(place, bad, token: shown.token)
        #expect(refused.status == 422 && refused.html.contains("{{code}}"))
        let test = ["act": "test", "kind": "log-in-code", "language": "ja", "to": "me@example.com"]
        #expect(try await browser.post(place, test, token: shown.token).status == 303)
        _ = try await world.server.useCases.deliverMail()
        let outbox = try await world.server.useCases.readOutbox(of: world.server.application.id)
        #expect(outbox.first?.subject == "こんにちは")
        let remove = ["act": "remove", "kind": "log-in-code", "language": "ja"]
        #expect(try await browser.post(place, remove, token: shown.token).status == 303)
        #expect(
            try await world.browser("auditor").post(place, test, token: shown.token).status == 403)
    }

    @Test("give pages another look, with a warning, and take nothing that is no colour")
    func look() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, place) = (world.browser(), world.page("look"))
        let token = try await browser.get(place).token
        let fields = ["act": "save", "brand": "Hoshi & <b>Co</b>", "light.primary": "#FFFF00", "cornerRadius": "4"]
        let preview = try await browser.post("\(place)/preview", fields, token: token)
        #expect(preview.html.contains("#FFFF00") && preview.html.contains("class=warning"))
        #expect(preview.html.contains("Hoshi &amp; &lt;b&gt;") && !preview.html.contains("<b>Co"))
        #expect(try await browser.post(place, fields, token: token).status == 303)
        #expect(try await browser.get(place).html.contains("notice-warn"))
        for wrong in [["light.primary": "red;}"], ["cornerRadius": "99"], ["cornerRadius": "x"]] {
            let answer = try await browser.post(
                place, wrong.merging(["act": "save"]) { first, _ in first }, token: token)
            #expect(answer.status == 422)
        }
        #expect(try await browser.post(place, ["act": "remove"], token: token).status == 303)
        let settings = try await world.server.useCases.findApplication(world.server.application.id).settings
        #expect(settings.theme == nil)
    }

    @Test("columns of the users' list are chosen in the address, the application's own fields too")
    func columns() async throws {
        let world = try await AdminWorld(roles: [.support])
        _ = try await world.server.person(body: #"{"user": {"fields": {"level": 42, "tag": "<i>"}}}"#)
        let list = world.page("users")
        let shown = try await world.browser().get(
            list + "?chosen=yes&column.name=yes&fields=level,tag,none&kind=anonymous")
        #expect(shown.html.contains(">42<") && shown.html.contains("&lt;i&gt;"))
        #expect(!shown.html.contains("<th scope=\"col\">First launch</th>"))
        #expect(shown.html.contains("form=csv") && shown.html.contains("kind=anonymous"))
        // Support sees that there is something, not what.
        let masked = try await world.browser("support").get(list + "?fields=level")
        #expect(masked.html.contains("•••") && !masked.html.contains(">42<"))
    }

    @Test("many users at once are disabled, enabled, logged out, and deleted after their number was typed")
    func bulk() async throws {
        let world = try await AdminWorld(roles: [.support])
        let people = [try await world.server.person(), try await world.server.person()]
        let ids = people.map(\.logIn.user.id)
        let (browser, list) = (world.browser(), world.page("users"))
        let token = try await browser.get(list).token
        let picks = ["pick.\(ids[0])": "yes", "pick.\(ids[1])": "yes"]
        func send(_ act: String, _ more: [String: String] = [:]) async throws -> Page {
            try await browser.post(
                list + "?kind=anonymous", picks.merging(["act": act]) { $1 }.merging(more) { $1 }, token: token)
        }
        let done = try await send("disable", ["pick.nobody": "yes"])
        #expect(done.location == "\(list)?kind=anonymous&done=disable&count=2")
        for person in people { #expect(try await person.send(.get, APIPath.user).status >= 401) }
        #expect(try await send("enable").status == 303)
        let asked = try await send("delete")
        #expect(asked.status == 200 && asked.html.contains(ids[0]))
        #expect(try await send("delete", ["confirm": "3"]).status == 422)
        #expect(try await send("delete", ["confirm": "2"]).status == 303)
        let user = try await world.server.useCases.readUser(.init(rawValue: ids[0]), in: world.server.application.id)
        #expect(user.deletionRequestedAt != nil)
        #expect(try await browser.post(list, ["act": "disable"], token: token).location == "\(list)?done=none")
        #expect(try await browser.post(list, picks.merging(["act": "burn"]) { $1 }, token: token).status == 404)
        #expect(try await browser.post(list, picks.merging(["act": "disable"]) { $1 }).status == 403)
        let support = world.browser("support")
        let shown = try await support.get(list)
        #expect(!shown.html.contains("type=\"checkbox\" form=\"bulk\""))
        let refused = try await support.post(
            list, picks.merging(["act": "enable"]) { $1 }, token: shown.token)
        #expect(refused.status == 403)
    }

    @Test("of another application answer as if there were none", arguments: ["doors", "mail", "look", "users"])
    func foreign(page: String) async throws {
        let world = try await AdminWorld(roles: [.operator], restricted: true)
        let browser = world.browser("operator")
        let token = try await browser.get(world.page(page)).token
        let place = "/dashboard/app/\(world.foreign.id)/\(page)"
        #expect(try await browser.get(place).status == 404)
        #expect(try await browser.post(place, ["act": "save"], token: token).status == 404)
    }

    @Test("show how the server is")
    func health() async throws {
        let world = try await AdminWorld(roles: [])
        let shown = try await world.browser().get("/dashboard/health")
        #expect(shown.status == 200 && shown.html.contains("can be reached, 0 ms"))
    }
}
