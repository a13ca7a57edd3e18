import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("The account page with second factors")
struct SecondFactorAccountPageTests {
    @Test("says nothing of them where the application has none, nor to guests")
    func absent() async throws {
        let world = try await SecondFactorBrowser.world()
        let guest = SecondFactorBrowser(world)
        try await guest.browser.open(accountOf: try await world.server.person())
        #expect(try await !guest.browser.get(guest.browser.path("account")).html.contains("s-factors"))
        #expect(try await guest.act("factors/offer").status == 409)
        let pages = SecondFactorBrowser(world)
        try await pages.browser.open(accountOf: try await world.person())
        #expect(try await pages.browser.get(pages.browser.path("account")).html.contains("s-factors"))
        try await world.change { $0.mode = .off }
        #expect(try await !pages.browser.get(pages.browser.path("account")).html.contains("s-factors"))
    }

    @Test("adds an app by its code, shows the recovery codes once, and lists it by its name")
    func added() async throws {
        let world = try await SecondFactorBrowser.world()
        let person = try await world.person()
        let pages = SecondFactorBrowser(world)
        try await pages.browser.open(accountOf: person)
        let offered = try await pages.act("factors/offer")
        let key = try #require(offered.shownKey)
        #expect(offered.html.contains("<svg") && offered.html.contains("otpauth://totp/"))
        let path = "account/factors/add"
        #expect(try await pages.answer(offered, ["totp": ""], to: path).error("totp") == "Please fill this in.")
        let wrong = try await pages.answer(offered, ["totp": "000000"], to: path)
        #expect(wrong.status == 422 && wrong.shownKey == key)
        let fields = ["totp": try world.nextCode(key), "name": "<b>電話</b>"]
        let added = try await pages.answer(wrong, fields, to: path)
        #expect(added.status == 200 && added.shownCodes.count == 10)
        let again = try await pages.answer(wrong, fields, to: path)
        #expect(again.shownCodes == added.shownCodes)
        let gone = try await pages.answer(again, ["kept": "yes"], to: "account/factors/added")
        #expect(gone.location == "\(pages.browser.path("account"))?done=factorAdded")
        let listed = try await pages.browser.get(pages.browser.path("account")).html
        #expect(listed.contains("&lt;b&gt;電話&lt;/b&gt;") && listed.contains("Recovery codes left: 10"))
        // A second one brings no codes.
        let second = try await pages.act("factors/offer")
        let done = try await pages.answer(
            second, ["totp": try world.nextCode(try #require(second.shownKey))], to: path)
        #expect(done.location?.hasSuffix("done=factorAdded") == true, "\(done.html)")
    }

    @Test("asks for the code before it removes one or gives out new recovery codes, and not for the password alone")
    func stepUp() async throws {
        let world = try await SecondFactorBrowser.world()
        let person = try await world.person()
        let (key, factor, _) = try await world.enrol(person)
        let pages = SecondFactorBrowser(world)
        try await pages.enter(key)
        world.server.clock.advance(by: .seconds(700))
        let asked = try await pages.act("factors/remove", ["factor": factor])
        #expect(asked.html.contains("Is it you?") && asked.html.contains(#"name="totp""#))
        // The password makes the session fresh, and is no second factor.
        let typed = try await pages.answer(asked, ["with": "password"], to: "account/confirm")
        #expect(typed.html.contains(#"name="password""#))
        let shown = try await pages.answer(typed, ["password": SecondFactorWorld.password], to: "account/confirm")
        #expect(shown.status == 303)
        for (action, fields) in [("factors/remove", ["factor": factor]), ("factors/codes", [:]), ("transfer", [:])] {
            let refused = try await pages.act(action, fields)
            #expect(refused.html.contains(#"name="totp""#) && !refused.html.contains("Use the password"), "\(action)")
        }
        let last = try await pages.act("factors/codes")
        let empty = try await pages.answer(last, ["totp": ""], to: "account/confirm")
        #expect(empty.status == 422 && !empty.html.contains("Use the password"))
        let wrong = try await pages.answer(last, ["totp": "000000"], to: "account/confirm")
        #expect(wrong.status == 422 && wrong.error("totp")?.contains("wrong") == true)
        let confirmed = try await pages.answer(wrong, ["totp": try world.nextCode(key)], to: "account/confirm")
        #expect(confirmed.status == 303)
        let codes = try await pages.act("factors/codes")
        #expect(codes.status == 200 && codes.shownCodes.count == 10)
        let kept = try await pages.answer(codes, ["kept": "yes"], to: "account/factors/replaced")
        #expect(kept.location?.hasSuffix("done=codesReplaced") == true)
        let removed = try await pages.act("factors/remove", ["factor": factor])
        #expect(removed.location?.hasSuffix("done=factorRemoved") == true)
        #expect(try await pages.act("factors/remove", ["factor": factor]).status == 409)
        #expect(try await SecondFactorBrowser(world).logIn().status == 303)
    }

    @Test("takes a recovery code in the place of the app's")
    func recoveryCode() async throws {
        let world = try await SecondFactorBrowser.world()
        let (key, factor, codes) = try await world.enrol(try await world.person())
        let pages = SecondFactorBrowser(world)
        try await pages.enter(key)
        world.server.clock.advance(by: .seconds(700))
        let asked = try await pages.act("factors/remove", ["factor": factor])
        let chosen = try await pages.answer(asked, ["with": "recovery-code"], to: "account/confirm")
        #expect(chosen.html.contains(#"name="recoveryCode""#))
        let confirmed = try await pages.answer(chosen, ["recoveryCode": codes[3]], to: "account/confirm")
        #expect(confirmed.status == 303)
        #expect(try await pages.act("factors/remove", ["factor": factor]).status == 303)
    }

    @Test("touches nobody else's apps")
    func others() async throws {
        let world = try await SecondFactorBrowser.world()
        let (key, _, _) = try await world.enrol(try await world.person())
        let taro = try await world.person("taro")
        let (_, foreign, _) = try await world.enrol(taro)
        let pages = SecondFactorBrowser(world)
        try await pages.enter(key)
        for factor in [foreign, "", String(repeating: "a", count: 10_000)] {
            #expect(try await pages.act("factors/remove", ["factor": factor]).status == 409)
        }
        let listed = try await taro.send(.get, APIPath.secondFactors).read(SecondFactorListResponse.self)
        #expect(listed.factors.map(\.id) == [foreign])
        // A key that was offered to somebody else is nobody's here.
        let offer = try await world.offer(to: taro)
        let refused = try await pages.act(
            "factors/add", ["enrolment": offer.ticket, "totp": try world.code(offer.secret)])
        #expect(refused.status == 422)
    }

    @Test("says that a second factor is missing for what the application demands one")
    func demanded() async throws {
        let world = try await SecondFactorBrowser.world { $0.demandedFor = [.deletionRequested] }
        let pages = SecondFactorBrowser(world)
        try await pages.browser.open(accountOf: try await world.person())
        let refused = try await pages.act("delete", ["sure": "yes"])
        #expect(refused.status == 403 && refused.html.contains("Add one below first"))
    }
}
