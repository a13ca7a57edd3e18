import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Accounts over HTTP")
struct AccountTests {
    static let password = "a long enough secret"

    @Test("makes a user, logs in by each identifier, and tells nothing of the password")
    func signUp() async throws {
        let server = try await TestServer()
        let answer = try await server.send(
            .post, APIPath.signUp,
            body: #"""
                {"username": "Hana", "email": "hana@例え.テスト", "phone": "+81 90-1234-5678", "password": "\#(Self.password)",
                 "displayName": "花", "locale": "ja", "fields": {"score": 1}, "device": {"name": "iPhone"}}
                """#)
        let new = try answer.read(LogInResponse.self)
        #expect(answer.status == 201 && new.isNew && !new.user.isAnonymous && new.user.hasPassword)
        #expect(new.user.username == "Hana" && new.user.email == "hana@例え.テスト" && new.user.phone == "+819012345678")
        #expect(!new.user.emailVerified && !new.user.phoneVerified && new.user.displayName == "花")
        #expect(!answer.text.contains("argon2") && !answer.text.contains(Self.password))
        for identifier in ["HANA", "hana@xn--r8jz45g.xn--zckzah", "+819012345678"] {
            let logIn = try await server.logIn(identifier, Self.password)
            let known = try logIn.read(LogInResponse.self)
            #expect(logIn.status == 200 && !known.isNew && known.user.id == new.user.id)
            #expect(known.previousLogInAt != nil)
        }
    }

    @Test("answers an unknown user and a wrong password alike, to the byte")
    func unknown() async throws {
        let server = try await TestServer()
        _ = try await server.signUp("hana")
        let wrong = try await server.logIn("hana", "wrong")
        let unknown = try await server.logIn("nobody", "wrong")
        for answer in [wrong, unknown] { expect(answer, 401, .credentialRefused) }
        var problems = [try wrong.read(Problem.self), try unknown.read(Problem.self)]
        for index in problems.indices { problems[index].requestId = nil }
        #expect(problems[0] == problems[1])
        #expect(wrong.headers.map(\.name) == unknown.headers.map(\.name))
    }

    @Test("makes the sixth try wait, and says how long")
    func delay() async throws {
        let server = try await TestServer()
        for _ in 0..<5 { expect(try await server.logIn("hana", "wrong"), 401, .credentialRefused) }
        let answer = try await server.logIn("hana", "wrong")
        expect(answer, 429, .rateLimited)
        #expect(answer.headers[.retryAfter] == "1")
    }

    @Test("refuses a taken name, and names it")
    func taken() async throws {
        let server = try await TestServer()
        _ = try await server.signUp("hana")
        let answer = try await server.signUp("ＨＡＮＡ")
        expect(answer, 409, .identifierTaken)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == ["username"])
    }

    @Test(
        "names each member of a sign-up that breaks a rule",
        arguments: [
            (#"{}"#, [":none_of", "password:required"]),
            (#"{"username": "hana"}"#, ["password:required"]),
            (#"{"password": "a long enough secret"}"#, [":none_of"]),
            (#"{"username": "hana", "password": "short"}"#, ["password:too_short"]),
            (#"{"username": "hana", "password": "password1"}"#, ["password:too_common"]),
            (#"{"username": "hanako", "password": "hanako2026"}"#, ["password:contains_context"]),
            (
                #"{"username": "a@b", "email": "a", "phone": "090", "password": "", "locale": "日"}"#,
                [
                    "username:not_a_user_name", "email:not_a_mail_address", "phone:not_a_phone_number",
                    "locale:not_a_language_tag", "password:empty",
                ]
            ),
            (#"{"username": "hаna", "password": "a long enough secret"}"#, ["username:mixed_scripts"]),
            (#"{"username": 1}"#, ["username:wrong_type"]),
        ])
    func wrong(body: String, errors: [String]) async throws {
        let answer = try await TestServer().send(.post, APIPath.signUp, body: body)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map { "\($0.field):\($0.code)" } == errors)
    }

    @Test("refuses log-ins without a body or without a member", arguments: [nil, "{}", #"{"identifier": "hana"}"#])
    func incomplete(body: String?) async throws {
        expect(try await TestServer().send(.post, APIPath.logInWithPassword, body: body), 400, .invalidMember)
    }

    @Test("upgrades with one request; the session stays and the device keeps logging in by key")
    func upgrade() async throws {
        let server = try await TestServer()
        let person = try await server.person(body: #"{"user": {"fields": {"score": 1, "old": true}}}"#)
        let answer = try await person.upgrade(#""fields": {"score": 2, "old": null}, "displayName": "花""#)
        let user = try answer.read(UserBody.self)
        #expect(answer.status == 200 && user.id == person.logIn.user.id && !user.isAnonymous && user.hasPassword)
        #expect(user.fields == ["score": 2] && user.displayName == "花" && user.username == "hana")
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self) == user)
        #expect(try await server.logIn(person.device).read(LogInResponse.self).user.id == user.id)
        expect(try await person.upgrade(), 409, .alreadyRegistered)
    }

    @Test("wants the owner there for an upgrade: a fresh session, or a proof with the request")
    func upgradePresence() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        server.clock.advance(by: .seconds(600))
        expect(try await person.upgrade(), 403, .reauthenticationRequired)
        let proof = try person.device.proof(
            "POST", server.url(APIPath.upgrade), at: server.clock.now, token: person.token)
        #expect(try await person.upgrade(headers: [("DPoP", proof)]).status == 200)
    }

    @Test("refuses an upgrade to a taken name, and one without any")
    func upgradeRefusals() async throws {
        let server = try await TestServer()
        _ = try await server.signUp("hana")
        let person = try await server.person()
        expect(try await person.upgrade(), 409, .identifierTaken)
        expect(try await person.send(.post, APIPath.upgrade), 400, .invalidMember)
        expect(try await person.send(.post, APIPath.upgrade, body: "{}"), 400, .invalidMember)
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self) == person.logIn.user)
        expect(try await server.send(.post, APIPath.upgrade, body: "{}"), 401, .sessionRequired)
    }

    @Test("changes the password, and ends the other sessions")
    func changePassword() async throws {
        let server = try await TestServer()
        let own = try await server.signUp("hana").read(LogInResponse.self)
        let other = try await server.logIn("hana", Self.password).read(LogInResponse.self)
        let change = #"{"currentPassword": "\#(Self.password)", "newPassword": "an even longer secret"}"#
        let answer = try await server.send(.put, APIPath.password, own.bearer, body: change)
        #expect(try answer.read(EndedSessionsResponse.self).ended == 1)
        expect(try await server.send(.get, APIPath.user, other.bearer), 401, .sessionInvalid)
        #expect(try await server.send(.get, APIPath.user, own.bearer).status == 200)
        expect(try await server.logIn("hana", Self.password), 401, .credentialRefused)
        expect(try await server.send(.put, APIPath.password, own.bearer, body: change), 401, .credentialRefused)
        expect(try await server.send(.put, APIPath.password, own.bearer), 400, .invalidMember)
    }

    @Test("makes a session fresh again, under a new token")
    func reauthenticate() async throws {
        let server = try await TestServer()
        let own = try await server.signUp("hana").read(LogInResponse.self)
        server.clock.advance(by: .seconds(600))
        let rename = #"{"username": "hanako"}"#
        expect(try await server.send(.patch, APIPath.user, own.bearer, body: rename), 403, .reauthenticationRequired)
        let change = #"{"newPassword": "an even longer secret"}"#
        expect(try await server.send(.put, APIPath.password, own.bearer, body: change), 403, .reauthenticationRequired)
        expect(
            try await server.send(.post, APIPath.reauthenticate, own.bearer, body: #"{"password": "no"}"#), 401,
            .credentialRefused)
        expect(try await server.send(.post, APIPath.reauthenticate, own.bearer), 400, .invalidMember)
        let fresh = try await server.send(
            .post, APIPath.reauthenticate, own.bearer, body: #"{"password": "\#(Self.password)"}"#
        ).read(ReauthenticationResponse.self)
        #expect(fresh.session.id == own.session.id && fresh.session.token != own.session.token)
        expect(try await server.send(.get, APIPath.user, own.bearer), 401, .sessionInvalid)
        let bearer = [("Authorization", "Bearer \(fresh.session.token)")]
        #expect(
            try await server.send(.patch, APIPath.user, bearer, body: rename).read(UserBody.self).username == "hanako")
        expect(try await server.logIn("hana", Self.password), 401, .credentialRefused)
        expect(
            try await server.send(.patch, APIPath.user, bearer, body: #"{"username": null}"#), 400, .invalidMember)
    }

    @Test("gives an anonymous user identifiers by an upgrade only")
    func anonymousIdentifiers() async throws {
        let person = try await TestServer().person()
        let answer = try await person.send(.patch, APIPath.user, body: #"{"username": "hana"}"#)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.code) == ["only_after_upgrade"])
    }

    @Test("repeats a sign-up and a log-in under their Idempotency-Key, and refuses the key with another body")
    func idempotency() async throws {
        let server = try await TestServer()
        let key = [("Idempotency-Key", "one")]
        let first = try await server.signUp("hana", headers: key).read(LogInResponse.self)
        let again = try await server.signUp("hana", headers: key)
        #expect(again.status == 201)
        #expect(try again.read(LogInResponse.self).session.id == first.session.id)
        expect(try await server.signUp("hana", #", "locale": "ja""#, headers: key), 409, .idempotencyKeyReused)
        let other = [("Idempotency-Key", "two")]
        let logIn = try await server.logIn("hana", Self.password, headers: other).read(LogInResponse.self)
        let repeated = try await server.logIn("hana", Self.password, headers: other).read(LogInResponse.self)
        #expect(logIn.session.id == repeated.session.id && logIn.session.token != repeated.session.token)
        expect(try await server.logIn("hana", "wrong", headers: other), 401, .credentialRefused)
        expect(try await server.logIn("HANA", Self.password, headers: other), 409, .idempotencyKeyReused)
        server.clock.advance(by: .seconds(86_399))
        #expect(try await server.signUp("hana", headers: key).status == 201)
        server.clock.advance(by: .seconds(1))
        expect(try await server.signUp("hana", headers: key), 409, .identifierTaken)
    }

    @Test("binds a session to the key of a proof, which joins the user unless asked not to")
    func proof() async throws {
        let server = try await TestServer()
        _ = try await server.signUp("hana")
        let (joining, passing) = (ProofMaker(), ProofMaker())
        for (device, body) in [(joining, ""), (passing, #", "joinsDevice": false"#)] {
            let proof = try device.proof("POST", server.url(APIPath.logInWithPassword), at: server.clock.now)
            let answer = try await server.logIn("hana", Self.password, body, headers: [("DPoP", proof)])
            #expect(answer.status == 200)
            expect(try await server.logIn("hana", Self.password, body, headers: [("DPoP", proof)]), 401, .proofReplayed)
        }
        #expect(try await server.logIn(joining).read(LogInResponse.self).user.username == "hana")
        #expect(try await server.logIn(passing).read(LogInResponse.self).isNew)
        let wrong = try await server.logIn("hana", Self.password, headers: [("DPoP", "nonsense")])
        expect(wrong, 401, .proofInvalid)
    }

    @Test("counts sign-ups and first launches of an address together")
    func signUpLimit() async throws {
        let server = try await TestServer(settings: ["first-launches": "2"])
        _ = try await server.person()
        #expect(try await server.signUp("hana").status == 201)
        expect(try await server.signUp("hanako"), 429, .rateLimited)
        expect(try await server.logIn(ProofMaker()), 429, .rateLimited)
    }

    @Test("refuses a disabled user at once, and says so only to who proves to be the user")
    func disabled() async throws {
        let server = try await TestServer()
        let own = try await server.signUp("hana").read(LogInResponse.self)
        try await server.modules.accounts.setUserDisabled(
            Identifier(rawValue: own.user.id), in: server.application, isDisabled: true, by: .local)
        expect(try await server.send(.get, APIPath.user, own.bearer), 401, .sessionInvalid)
        expect(try await server.logIn("hana", Self.password), 403, .userDisabled)
        expect(try await server.logIn("hana", "wrong"), 401, .credentialRefused)
    }
}
