import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Settings over the admin API")
struct AdminSettingsTests {
    @Test("are read with a version, changed by a merge patch, and never overwritten unseen")
    func settings() async throws {
        let world = try await AdminWorld(roles: [])
        let read = try await world.send("owner", .get, world.path())
        let version = try #require(read.headers[.eTag])
        #expect(try read.json["sessionIdleSeconds"] == 5_184_000)
        let body = """
            {"name": "Star", "sessionSeconds": 864000, "anonymousIdleSeconds": 8640000, "transferLink": "app://c/{code}",
            "audiences": ["api"], "mergeRules": {"gems": "sum"}, "mail": {"senderName": "Star team"}}
            """
        let changed = try await world.send("owner", .patch, world.path(), [("If-Match", version)], body: body)
        #expect(try changed.json["name"] == "Star")
        #expect(try changed.json["mail"]?["senderName"] == "Star team")
        let settings = try await world.server.modules.applications.findApplication(world.server.application.id).settings
        #expect(settings.sessionLifetime == .days(10) && settings.mergeRules == ["gems": .sum])
        expect(
            try await world.send("owner", .patch, world.path(), [("If-Match", version)], body: body), 412,
            .changedMeanwhile)
        expect(try await world.send("owner", .patch, world.path(), body: "{}"), 428, .versionRequired)
        let next = [("If-Match", try #require(changed.headers[.eTag]))]
        let removed = try await world.send(
            "owner", .patch, world.path(), next, body: #"{"anonymousIdleSeconds": null, "transferLink": null}"#)
        #expect(try removed.json["anonymousIdleSeconds"] == nil)
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        #expect(entries.filter { $0.action == .settingsChanged }.count == 2)
    }

    @Test(
        "name what is not possible",
        arguments: [
            (#"{"name": ""}"#, "name"), (#"{"name": " \u3000 "}"#, "name"),
            (#"{"sessionSeconds": 1}"#, "sessionSeconds"),
            (#"{"passwordMinimumCharacters": 3}"#, "passwordMinimumCharacters"),
            (#"{"passwordOnlyMinimumCharacters": 65}"#, "passwordOnlyMinimumCharacters"),
            (#"{"transferLink": "app://x"}"#, "transferLink"),
            (#"{"transferLink": "http://app.example.com/{code}"}"#, "transferLink"),
            (#"{"transferLink": "javascript:alert('{code}')"}"#, "transferLink"),
            (#"{"mergeRules": {"a": "best"}}"#, "mergeRules"),
            (#"{"mail": {"resetURL": "javascript:alert(1)"}}"#, "mail.resetURL"),
        ])
    func faults(body: String, field: String) async throws {
        let world = try await AdminWorld(roles: [])
        let version = try #require(try await world.send("owner", .get, world.path()).headers[.eTag])
        let answer = try await world.send("owner", .patch, world.path(), [("If-Match", version)], body: body)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.text.contains("\"\(field)\""), "\(answer.text)")
    }

    @Test(
        "refuse null by its name for what can only be another value, instead of saying that it was done",
        arguments: [
            (#"{"name": null}"#, "name"), (#"{"proofRequired": null}"#, "proofRequired"),
            (#"{"audiences": null}"#, "audiences"), (#"{"mergeRules": null}"#, "mergeRules"),
            (#"{"signUp": {"emailRequired": null}}"#, "signUp.emailRequired"),
            (#"{"passkeys": {"origins": null}}"#, "passkeys.origins"), (#"{"passkeys": null}"#, "passkeys"),
            (#"{"secondFactors": {"demandedFor": null}}"#, "secondFactors.demandedFor"),
            (#"{"attestation": {"attested": {"perAddress": null}}}"#, "attestation.attested.perAddress"),
        ])
    func null(body: String, field: String) async throws {
        let world = try await AdminWorld(roles: [])
        let version = try #require(try await world.send("owner", .get, world.path()).headers[.eTag])
        let answer = try await world.send("owner", .patch, world.path(), [("If-Match", version)], body: body)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map { "\($0.field):\($0.code)" } == ["\(field):wrong_type"])
    }

    @Test("refuse null for a rule of a protocol, too")
    func nullRule() async throws {
        let world = try await AdminWorld(roles: [])
        let answer = try await world.send(
            "owner", .patch, world.path("/protocols/kii/rules"),
            try await world.version(of: world.path("/protocols")), body: #"{"administratorNetworks": null}"#)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == ["administratorNetworks"])
    }

    @Test("are changed also where the application has a name of before that no rule of now lets through")
    func formerName() async throws {
        let world = try await AdminWorld(roles: [])
        let id = world.server.application.id
        try await world.server.store.write { transaction throws(DomainError) in
            guard var application = try transaction.application(id) else { return }
            application.name = " "
            try transaction.update(application)
        }
        let changed = try await world.server.modules.applications.changeApplication(
            id, isCurrent: { _ in true }, by: .local
        ) { $0.settings.deletionGrace = .days(8) }
        #expect(changed.settings.deletionGrace == .days(8) && changed.name == " ")
    }

    @Test("are changed also where mails had a link that no rule of now lets through, which the dashboard names")
    func formerLink() async throws {
        var settings = ApplicationSettings()
        settings.mail.resetURL = "javascript:alert(1)"
        let world = try await AdminWorld(try await TestServer(application: settings), roles: [])
        func patch(_ body: String) async throws -> Answer {
            try await world.send("owner", .patch, world.path(), try await world.version(of: world.path()), body: body)
        }
        let changed = try await patch(#"{"name": "Star", "mail": {"senderName": "Star team"}}"#)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try changed.json["mail"]?["resetURL"] == "javascript:alert(1)")
        let mail = try await world.server.modules.messaging.changeMailSettings(
            of: world.server.application.id, by: .local
        ) { $0.senderName = "Moon team" }
        #expect(mail.settings.mail.senderName == "Moon team")
        let other = try await patch(#"{"mail": {"verificationURL": "javascript:alert(2)"}}"#)
        #expect(other.status == 400 && other.text.contains("\"mail.verificationURL\""), "\(other.text)")
        let (browser, address) = (world.browser(), world.page("settings"))
        let shown = try await browser.get(address)
        #expect(shown.status == 200)
        #expect(shown.html.contains("Page that resets passwords: Nobody is sent there any more."), "\(shown.html)")
        #expect(try await patch(#"{"mail": {"resetURL": "https://app.example.com/reset"}}"#).status == 200)
        #expect(try await !browser.get(address).html.contains("Nobody is sent there any more."))
    }

    @Test("tell where people are sent back to, and how pages look, with a warning for hard colours")
    func looks() async throws {
        let world = try await AdminWorld(roles: [])
        let list = #"{"redirects": ["https://app.example.com/back"]}"#
        #expect(try await world.send("owner", .put, world.path("/redirects"), body: list).status == 200)
        expect(
            try await world.send("owner", .put, world.path("/redirects"), body: #"{"redirects": ["http://evil"]}"#),
            400, .invalidMember)
        #expect(try await world.send("owner", .get, world.path("/redirects")).json["redirects"]?.list.count == 1)

        let path = world.path("/theme")
        let theme = ##"{"brand": "Hoshi", "light": {"primary": "#FFFF00", "onPrimary": "#FFFFFF"}}"##
        let set = try await world.send("owner", .put, path, body: theme)
        #expect(try set.json["theme"]?["brand"] == "Hoshi")
        #expect(try set.json["contrastFaults"]?.list.isEmpty == false)
        for wrong in [
            #"{"light": {"primary": "red"}}"#, #"{"logo": "https://evil.example/x.png"}"#, #"{"cornerRadius": 99}"#,
            #"{"logo": "data:image/svg+xml;base64,PHN2Zz4="}"#, #"{"logoHeight": 1000}"#,
            #"{"backgroundImages": {"logIn": "https://evil.example/x.png"}}"#,
        ] {
            expect(try await world.send("owner", .put, path, body: wrong), 400, .invalidMember)
        }
        for (misspelt, name) in [
            (#"{"brandd": "Hoshi"}"#, "brandd"), (##"{"light": {"primry": "#0A5C36"}}"##, "light.primry"),
            (#"{"brand": "Hoshi", "css": "a{}"}"#, "css"), (#"{"theme": {"brand": "Hoshi"}}"#, "theme"),
        ] {
            let refused = try await world.send("owner", .put, path, body: misspelt)
            expect(refused, 400, .unknownMember)
            #expect(refused.text.contains("Unknown member: \(name)."), "\(refused.text)")
        }
        // What a theme leaves to its authors: screens, languages and texts of apps.
        let open = #"{"brand": null, "texts": {"fr": {"logIn.own": "Bonjour"}}, "backgroundImages": {}}"#
        #expect(try await world.send("owner", .put, path, body: open).status == 200)
        #expect(try await world.send("owner", .delete, path).status == 204)
        #expect(try await world.send("owner", .get, path).json["theme"] == nil)
    }

    @Test("switch providers on and off, and never show a secret")
    func providers() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let path = world.path("/providers/google")
        let body = #"{"audiences": ["1.apps.example"], "secret": "very-secret"}"#
        #expect(try await world.send("owner", .put, path, body: body).json["hasSecret"] == true)
        // Without a secret the one that is stored stays.
        let kept = try await world.send("owner", .put, path, body: #"{"audiences": ["2.apps.example"]}"#)
        #expect(try kept.json["hasSecret"] == true)
        let list = try await world.send("auditor", .get, world.path("/providers"))
        #expect(try list.json["providers"]?.list.first?["audiences"]?.list == ["2.apps.example"])
        #expect(!list.text.contains("very-secret"))
        expect(try await world.send("owner", .put, path, body: #"{"audiences": []}"#), 400, .invalidMember)
        expect(
            try await world.send("owner", .put, world.path("/providers/elsewhere"), body: body), 404,
            .providerNotEnabled)
        #expect(try await world.send("owner", .delete, path).status == 204)
        expect(try await world.send("owner", .delete, path), 404, .providerNotEnabled)
        expect(try await world.send("owner", .post, "\(path)/check"), 404, .providerNotEnabled)
        let actions = try await world.server.modules.administration.audit.list(in: world.server.application.id).map(
            \.action)
        #expect(actions.contains(.providerSet) && actions.contains(.providerRemoved))
    }

    @Test(
        "answer a list that is far too long with one error, and not with one for each of its values",
        arguments: [
            (.patch, "", "audiences"), (.put, "/redirects", "redirects"), (.put, "/views/mine", "fields"),
            (.put, "/providers/google", "audiences"), (.put, "/old-services/firebase", "audiences"),
        ] as [(HTTPRequest.Method, String, String)])
    func longLists(method: HTTPRequest.Method, path: String, member: String) async throws {
        let world = try await AdminWorld(roles: [])
        let values = Array(repeating: #""""#, count: 5000).joined(separator: ",")
        let answer = try await world.send(
            "owner", method, world.path(path), try await world.version(of: world.path()),
            body: #"{"\#(member)": [\#(values)]}"#)
        expect(answer, 400, .invalidMember)
        #expect(try answer.json["errors"]?.list.count == 1, "\(answer.text.prefix(500))")
    }

    @Test("keep a client secret for the issuer that it was given for, and for no other")
    func secretOfIssuer() async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/providers/oidc:work")
        func set(_ issuer: String, _ rest: String = "") async throws -> Answer {
            try await world.send(
                "owner", .put, path, body: #"{"audiences": ["app"], "issuer": "https://\#(issuer)"\#(rest)}"#)
        }
        #expect(try await set("login.example.com", #", "secret": "very-secret""#).status == 200)
        #expect(try await set("login.example.com").json["hasSecret"] == true)
        // It would be sent to the token endpoint that the other issuer names.
        let refused = try await set("elsewhere.example.com")
        expect(refused, 400, .invalidMember)
        #expect(try refused.json["errors"]?.list.first?["field"] == "secret")
        let list = try await world.send("owner", .get, world.path("/providers"))
        #expect(try list.json["providers"]?.list.first?["issuer"] == "https://login.example.com")
        #expect(try await set("elsewhere.example.com", #", "secret": "another""#).json["hasSecret"] == true)
        // A public client's issuer can change.
        #expect(try await world.send("owner", .delete, path).status == 204)
        #expect(try await set("login.example.com").status == 200)
        #expect(try await set("elsewhere.example.com").json["issuer"] == "https://elsewhere.example.com")
    }

    @Test("switch old protocols on with the keys of apps in the stores, and show them to who may change them")
    func protocols() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let path = world.path("/protocols/ncmb")
        let keys = #"{"keys": {"applicationKey": "old-application", "clientKey": "old-client"}}"#
        let enabled = try await world.send("owner", .put, path, body: keys)
        #expect(try enabled.json["keys"]?["clientKey"] == "old-client")
        let seen = try await world.send("auditor", .get, world.path("/protocols"))
        #expect(try seen.json["protocols"]?.list.first?["keys"]?["applicationKey"] == "old-application")
        #expect(!seen.text.contains("old-client"))
        let rules = try await world.send(
            "owner", .patch, "\(path)/rules", try await world.version(of: world.path("/protocols")),
            body: #"{"idleSeconds": 86400000, "allowsAnonymous": false}"#)
        #expect(try rules.json["allowsAnonymous"] == false)
        expect(
            try await world.send(
                "owner", .patch, "\(path)/rules", try await world.version(of: world.path("/protocols")),
                body: #"{"administratorNetworks": ["everywhere"]}"#), 400,
            .invalidMember)
        expect(try await world.send("owner", .put, path, body: #"{"keys": {"masterKey": "x"}}"#), 400, .invalidMember)
        // The master key is returned once.
        let parse = world.path("/protocols/parse")
        #expect(try await world.send("owner", .put, parse, body: "{}").json["keys"]?["masterKey"] != nil)
        #expect(try await !world.send("owner", .get, world.path("/protocols")).text.contains("masterKey"))
        #expect(try await world.send("owner", .delete, path).status == 204)
        expect(try await world.send("owner", .delete, path), 404, .notFound)
        expect(try await world.send("owner", .put, world.path("/protocols/smoke"), body: "{}"), 404, .notFound)
    }

    @Test("keep own words for mails, show them filled in, and send one to look at")
    func mail() async throws {
        let server = try await TestServer(settings: ["dev": "on"])
        let world = try await AdminWorld(server, roles: [])
        let path = world.path("/mail/templates/log-in-code/ja")
        let words = #"{"subject": "ログイン", "text": "コード: {{code}}"}"#
        #expect(try await world.send("owner", .put, path, body: words).json["templates"]?.list.count == 1)
        expect(
            try await world.send("owner", .put, path, body: #"{"subject": "x", "text": "no code"}"#), 400,
            .invalidMember)
        let preview = try await world.send(
            "owner", .post, world.path("/mail/preview"), body: #"{"kind": "log-in-code", "language": "ja"}"#)
        #expect(try preview.json["text"] == "コード: 1234 5678")
        let tried = try await world.send(
            "owner", .post, world.path("/mail/preview"),
            body: """
                {"kind": "password-reset", "language": "en",
                "template": {"subject": "Hi", "text": "{{code}}", "html": "<b>{{code}}</b><p>{{email}}</p>"}}
                """)
        #expect(try tried.json["html"]?.text?.contains("<b>0123-") == true)
        let bomb = String(repeating: "{{link}} ", count: 2_200)
        let bombed = try await world.send(
            "owner", .post, world.path("/mail/preview"),
            body: """
                {"kind": "password-reset", "language": "en",
                "template": {"subject": "Hi", "text": "\(bomb)", "html": "\(bomb)"}}
                """)
        expect(bombed, 400, .invalidMember)
        #expect(try bombed.read(Problem.self).errors?.map(\.code) == ["too_many", "too_many"])
        let test = #"{"kind": "log-in-code", "language": "ja", "to": "me@example.com"}"#
        #expect(try await world.send("owner", .post, world.path("/mail/test"), body: test).status == 202)
        #expect(try await world.send("owner", .get, world.path("/mail/queue")).json["mails"]?.list.count == 1)
        let waiting = try await server.modules.messaging.listQueuedMail(in: server.application.id)
        #expect(waiting.map { $0.expiresAt - $0.createdAt } == [.seconds(3600)])
        _ = try await server.modules.messaging.deliverMail()
        let sent = try #require(try await server.modules.messaging.readOutbox(of: server.application.id).first)
        #expect(sent.recipient == "me@example.com" && sent.text == "コード: 1234 5678")
        expect(
            try await world.send(
                "owner", .post, world.path("/mail/test"),
                body: #"{"kind": "log-in-code", "language": "ja", "to": "me@example.com\r\nBcc: all@x"}"#), 400,
            .invalidMember)
        #expect(try await world.send("owner", .delete, path).status == 204)
    }

    @Test("cannot make the server a machine for mails to strangers")
    func testMailLimit() async throws {
        let world = try await AdminWorld(try await TestServer(settings: ["dev": "on"]), roles: [])
        let test = #"{"kind": "log-in-code", "language": "en", "to": "a@example.com"}"#
        for _ in 0..<20 {
            #expect(try await world.send("owner", .post, world.path("/mail/test"), body: test).status == 202)
        }
        expect(try await world.send("owner", .post, world.path("/mail/test"), body: test), 429, .rateLimited)
    }

    @Test("tell how the server is, and make a new key for access tokens")
    func health() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let health = try await world.send("auditor", .get, "health").json
        #expect(health["version"]?.text?.isEmpty == false && health["applications"] == 2)
        #expect(health["mail"]?["isAvailable"] == false && health["signingKeys"]?.list.count == 1)
        let made = try await world.send("owner", .post, "signing-keys").json["id"]
        #expect(try await world.send("auditor", .get, "health").json["signingKeys"]?.list.first?["id"] == made)
        expect(try await world.send("owner", .post, "signing-keys"), 429, .rateLimited)
    }

    @Test("give users out as a file, with all fields and without formulas, and write it down")
    func export() async throws {
        let world = try await AdminWorld(roles: [])
        let body = #"{"user": {"displayName": "=1+1", "fields": {"level": 3}}}"#
        let id = try await world.server.person(body: body).logIn.user.id
        let csv = try await world.send("owner", .get, world.path("/export?form=csv"))
        #expect(csv.text.contains("\"'=1+1\"") && csv.text.contains(#""{""level"":3}""#))
        let lines = try await world.send("owner", .get, world.path("/export?form=json&kind=anonymous")).text
        let line = try #require(lines.split(separator: "\n").first)
        #expect(try JSONValue(parsing: Array(line.utf8))["id"] == .string(id))
        #expect(try await world.send("owner", .get, world.path("/export?form=json&kind=registered")).text.isEmpty)
        expect(try await world.send("owner", .get, world.path("/export?form=xlsx")), 400, .invalidMember)
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        #expect(entries.contains { $0.action == .usersExported })
    }
}
