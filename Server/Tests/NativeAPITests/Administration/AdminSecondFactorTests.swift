import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("Second factors, in the dashboard")
struct AdminSecondFactorTests {
    @Test("stand on the user's page, by name only for those who may see personal data, and are removed there")
    func removed() async throws {
        let factors = try await SecondFactorWorld()
        let world = try await AdminWorld(factors.server)
        let person = try await factors.person()
        let offer = try await factors.offer(to: person)
        let body =
            #"{"ticket": "\#(offer.ticket)", "code": "\#(try factors.code(offer.secret))", "name": "<Hana's phone>"}"#
        #expect(try await person.send(.post, APIPath.totp, body: body).status == 201)
        let (browser, path) = (world.browser(), world.page("users/\(person.logIn.user.id)"))
        let shown = try await browser.get(path)
        #expect(shown.html.contains("&lt;Hana") && !shown.html.contains("<Hana"))
        #expect(shown.html.contains("Recovery codes left: 10") && shown.html.contains("second-factors/remove"))
        let support = world.browser("support")
        let masked = try await support.get(path)
        #expect(masked.html.contains("&lt;•••") && !masked.html.contains("Hana&#"))
        #expect(try await support.post("\(path)/second-factors/remove", [:], token: masked.token).status == 403)
        let removed = try await browser.post("\(path)/second-factors/remove", [:], token: shown.token)
        #expect(removed.status == 303 && removed.location == "\(path)?done=factorsRemoved", "\(removed.html)")
        #expect(try await factors.logIn().status == 200)
        let done = try await browser.get(path)
        #expect(!done.html.contains("second-factors/remove"))
        #expect(try await browser.post("\(path)/second-factors/remove", [:], token: done.token).status == 404)
    }

    @Test("are removed only by an admin who was there lately")
    func stepUp() async throws {
        let factors = try await SecondFactorWorld()
        let world = try await AdminWorld(factors.server)
        let person = try await factors.person()
        _ = try await factors.enrol(person)
        let (browser, path) = (world.browser(), world.page("users/\(person.logIn.user.id)"))
        let token = try await browser.get(path).token
        world.server.clock.advance(by: AdminSession.freshness)
        let asked = try await browser.post("\(path)/second-factors/remove", [:], token: token)
        #expect(asked.status == 403 && asked.html.contains("proof.password"))
        let listed = try await person.send(.get, APIPath.secondFactors).read(SecondFactorListResponse.self)
        #expect(listed.factors.count == 1)
    }

    @Test("have settings, by the rules of the admin API, and a form without that part leaves them")
    func settings() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("settings"))
        var shown = try await browser.get(address)
        #expect(shown.html.contains("secondFactors.mode") && shown.html.contains("password_changed"))
        var fields = [
            "version": shown.value(of: "version") ?? "", "name": "Demo", "sessionIdleDays": "30",
            "sessionDays": "100", "passwordMinimumCharacters": "10", "deletionGraceDays": "14",
            "secondFactors.mode": "always", "secondFactors.demandedFor": "password_changed nothing",
        ]
        let wrong = try await browser.post(address, fields, token: shown.token)
        #expect(wrong.status == 422 && wrong.error("secondFactors.mode") != nil)
        #expect(wrong.error("secondFactors.demandedFor") != nil)
        fields["secondFactors.mode"] = "required"
        // A change that nobody demands the second factor for.
        fields["secondFactors.demandedFor"] = "signed_up"
        let refused = try await browser.post(address, fields, token: shown.token)
        #expect(refused.status == 422 && refused.error("secondFactors.demandedFor") != nil)
        #expect(try await stored(world) == SecondFactorRules())
        fields["secondFactors.demandedFor"] = " password_changed,\r\n\r\ndeletion_requested "
        fields["secondFactors.transferCodesCount"] = "yes"
        #expect(try await browser.post(address, fields, token: shown.token).status == 303)
        let rules = try await stored(world)
        #expect(rules.mode == .required && rules.demandedFor == [.passwordChanged, .deletionRequested])
        #expect(!rules.deviceKeysCount && rules.transferCodesCount && !rules.exemptsOldProtocols)
        shown = try await browser.get(address)
        #expect(shown.html.contains(#"<option value="required" selected>"#))
        for name in fields.keys where name.hasPrefix("secondFactors.") { fields[name] = nil }
        fields["version"] = shown.value(of: "version") ?? ""
        #expect(try await browser.post(address, fields, token: shown.token).status == 303)
        #expect(try await stored(world) == rules)
    }

    private func stored(_ world: AdminWorld) async throws -> SecondFactorRules {
        try await world.server.modules.applications.findApplication(world.server.application.id).settings.secondFactors
    }
}
