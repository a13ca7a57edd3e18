import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@testable import Dashboard
@testable import NativeAPI

@Suite("Views of the list of users")
struct UserListViewTests {
    private static let evil = #""><script>alert(1)</script>"#

    @Test("are kept and forgotten over the API, by names in any script")
    func api() async throws {
        let world = try await AdminWorld(roles: [.support])
        let name = try #require("弱い パスワード".addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let body = #"{"kind": "weak", "seenSince": "2026-01-31", "columns": ["name", "id"], "fields": ["level"]}"#
        let kept = try await world.send("owner", .put, world.path("/views/\(name)"), body: body)
        #expect(kept.status == 200, "\(kept.text)")
        #expect(try kept.json["seenSince"] == "2026-01-31" && kept.json["name"] == "弱い パスワード")
        // The same name again replaces it.
        _ = try await world.send("owner", .put, world.path("/views/\(name)"), body: #"{"kind": "leaving"}"#)
        _ = try await world.send("owner", .put, world.path("/views/hana"), body: #"{"search": "hana@example.com"}"#)
        let all = try await world.send("owner", .get, world.path("/views")).json["views"]?.list ?? []
        #expect(all.map { $0["kind"]?.text } == [nil, "leaving"])
        // Support sees no personal data, and so no view that searches by it; and keeps none.
        let masked = try await world.send("support", .get, world.path("/views"))
        #expect(try masked.json["views"]?.list.count == 1 && !masked.text.contains("hana"))
        expect(try await world.send("support", .put, world.path("/views/x"), body: "{}"), 403, .notAllowed)
        #expect(try await world.send("owner", .delete, world.path("/views/hana")).status == 204)
        expect(try await world.send("owner", .delete, world.path("/views/hana")), 404, .notFound)
        // Another application's are its own.
        let foreign = try await world.send("owner", .get, "applications/\(world.foreign.id)/views")
        #expect(try foreign.json["views"]?.list.isEmpty == true)
    }

    @Test(
        "are refused when they hold what there is not",
        arguments: [
            #"{"kind": "new"}"#, #"{"columns": ["password"]}"#, #"{"columns": ["id", "id"]}"#,
            #"{"seenSince": "today"}"#,
            #"{"fields": ["a", "b", "c", "d", "e", "f", "g"]}"#, #"{"fields": [""]}"#, #"{"sort": "name"}"#,
            #"{"search": ""}"#, #"{"provider": 7}"#,
        ])
    func refused(body: String) async throws {
        let world = try await AdminWorld(roles: [])
        let answer = try await world.send("owner", .put, world.path("/views/x"), body: body)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(try await world.send("owner", .get, world.path("/views")).json["views"]?.list.isEmpty == true)
    }

    @Test("are at most thirty, and their names are short")
    func limits() async throws {
        let world = try await AdminWorld(roles: [])
        for number in 0..<UserListView.maximum {
            #expect(try await world.send("owner", .put, world.path("/views/v\(number)"), body: "{}").status == 200)
        }
        #expect(try await world.send("owner", .put, world.path("/views/more"), body: "{}").status == 400)
        #expect(try await world.send("owner", .put, world.path("/views/v3"), body: #"{"kind": "weak"}"#).status == 200)
        let long = String(repeating: "n", count: UserListView.maximumNameCharacters + 1)
        #expect(try await world.send("owner", .put, world.path("/views/\(long)"), body: "{}").status == 400)
    }

    @Test("are kept from the page as it stands in the address, and lead back to it")
    func page() async throws {
        let world = try await AdminWorld(roles: [.support])
        let (browser, list) = (world.browser(), world.page("users"))
        let query = "?kind=registered&provider=apple&seen=2026-01-02&chosen=yes&column.name=yes&fields=level,tag"
        let token = try await browser.get(list + query).token
        let kept = try await browser.post(
            world.page("views/save") + query, ["view": Self.evil], token: token)
        #expect(kept.status == 303 && kept.location?.contains("done=kept") == true)
        let shown = try await browser.get(list)
        #expect(shown.html.contains("&lt;script&gt;alert(1)") && !shown.html.contains("<script>alert"))
        let link = try #require(shown.html.firstMatch(of: /views"[^>]*><a href="([^"]+)"/)?.output.1)
        let there = try await browser.get(String(link).replacing("&amp;", with: "&"))
        #expect(there.status == 200 && there.html.contains("aria-current=\"true\""))
        #expect(there.html.contains("value=\"level, tag\""), "\(there.html)")
        let view = try #require(
            try await world.server.modules.applications.findApplication(world.server.application.id).settings
                .userListViews.first)
        #expect(view.filter.isAnonymous == false && view.filter.provider == .apple && view.columns == [.name])
        #expect(try await browser.post(world.page("views/save"), ["view": ""], token: token).status == 422)
        #expect(try await browser.post(world.page("views/save"), ["view": "x"]).status == 403)
        let support = world.browser("support")
        let seen = try await support.get(list)
        #expect(seen.html.contains("views") && !seen.html.contains("views/save"))
        #expect(try await support.post(world.page("views/save"), ["view": "x"], token: seen.token).status == 403)
        let dropped = try await browser.post(world.page("views/remove"), ["view": Self.evil], token: token)
        #expect(dropped.location?.contains("done=dropped") == true)
        #expect(try await !browser.get(list).html.contains("&lt;script&gt;"))
    }
}
