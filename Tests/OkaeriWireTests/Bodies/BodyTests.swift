import Foundation
import OkaeriWire
import Testing

@Suite("Bodies")
struct BodyTests {
    private func read<Body: Decodable>(_ type: Body.Type, _ text: String) throws -> Body {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    private func written(_ body: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(body), as: UTF8.self)
    }

    @Test("of an automatic log-in may hold everything or nothing")
    func logIn() throws {
        #expect(try read(AutomaticLogInBody.self, "{}") == AutomaticLogInBody())
        let full = #"""
            {"device": {"name": "Hana's iPhone", "model": "iPhone17,1", "system": "iOS 19.1", "appVersion": "2.4.0 (311)"},
             "user": {"displayName": "花子", "locale": "ja", "fields": {"level": 1}}}
            """#
        let body = AutomaticLogInBody(
            device: DeviceBody(
                name: "Hana's iPhone", model: "iPhone17,1", system: "iOS 19.1", appVersion: "2.4.0 (311)"),
            user: NewUserBody(displayName: "花子", locale: "ja", fields: ["level": 1]))
        #expect(try read(AutomaticLogInBody.self, full) == body)
        #expect(try read(AutomaticLogInBody.self, written(body)) == body)
        #expect(try written(AutomaticLogInBody()) == "{}")
    }

    @Test(
        "of requests name a member that they do not know",
        arguments: [
            (#"{"colour": 1}"#, "colour"), (#"{"device": {"colour": 1}}"#, "device.colour"),
            (#"{"user": {"email": "x"}}"#, "user.email"), (#"{"z": 1, "b": 2, "device": {}}"#, "b"),
            (#"{"Device": {}}"#, "Device"),
        ])
    func unknownMembers(text: String, path: String) {
        #expect(throws: UnknownMember(path: path)) { try read(AutomaticLogInBody.self, text) }
    }

    @Test("of a patch and of a token request name a member that they do not know")
    func otherClosedBodies() {
        #expect(throws: UnknownMember(path: "id")) { try read(UserPatchBody.self, #"{"id": "x"}"#) }
        #expect(throws: UnknownMember(path: "aud")) { try read(TokenBody.self, #"{"aud": "x"}"#) }
    }

    @Test(
        "of requests hold no values of other types",
        arguments: ["[]", "1", "null", #"{"device": 1}"#, #"{"user": []}"#])
    func wrongTypes(text: String) {
        #expect(throws: DecodingError.self) { try read(AutomaticLogInBody.self, text) }
    }

    @Test(
        "of a patch tell an absent member from one that is null",
        arguments: [
            ("{}", UserPatchBody()),
            (#"{"displayName":null}"#, UserPatchBody(displayName: .removed)),
            (#"{"displayName":"花子","locale":null}"#, UserPatchBody(displayName: .set("花子"), locale: .removed)),
            (#"{"fields":null}"#, UserPatchBody(fields: .removed)),
            (#"{"fields":{"a":null,"b":{"c":1}}}"#, UserPatchBody(fields: .set(["a": nil, "b": ["c": 1]]))),
            (#"{"fields":{}}"#, UserPatchBody(fields: .set([:]))),
        ])
    func patch(text: String, body: UserPatchBody) throws {
        #expect(try read(UserPatchBody.self, text) == body)
        #expect(try written(body) == text)
    }

    @Test("of answers may hold members that this version does not know")
    func openAnswers() throws {
        let text = #"""
            {"isNew": false, "later": 1, "previousLogInAt": "2026-11-20T00:15:42.000Z",
             "session": {"id": "s", "token": "oks_x", "expiresAt": "2027-11-20T00:15:42Z", "idleSeconds": 60, "later": []},
             "user": {"id": "u", "isAnonymous": true, "emailVerified": false, "phoneVerified": false, "fields": {},
              "identities": [], "hasPassword": false, "createdAt": "2026-11-20T00:15:42Z",
              "updatedAt": "2026-11-20T00:15:42Z", "later": null}}
            """#
        let answer = try read(LogInResponse.self, text)
        #expect(!answer.isNew && answer.session.token == "oks_x" && answer.user.id == "u")
        #expect(answer.previousLogInAt == WireTime("2026-11-20T00:15:42Z"))
        #expect(try read(LogInResponse.self, written(answer)) == answer)
    }

    @Test("of problems carry codes that this version does not know")
    func problems() throws {
        let problem = Problem(
            title: "Teapot", status: 418, detail: "short", code: "teapot",
            errors: [FieldProblem(field: "user.fields", code: "too_long", detail: "At most 32 KiB.")],
            serverTime: WireTime(millisecondsSince1970: 0), requestId: "r1")
        #expect(problem.type == "urn:okaeri:problem:teapot")
        #expect(try read(Problem.self, written(problem)) == problem)
        #expect(
            try read(Problem.self, #"{"type":"t","title":"t","status":400,"code":"malformed_body"}"#).code
                == .malformedBody)
        #expect(try written(ErrorCode.clockSkew) == #""clock_skew""#)
    }

    @Test("of sessions, tokens and keys have their documented members")
    func sessions() throws {
        let time = WireTime(millisecondsSince1970: 0)
        var session = SessionBody(
            id: "s", isCurrent: true, protocol: "native", createdWith: "automatic", createdAt: time, lastUsedAt: time,
            expiresAt: time)
        session.address = "192.0.2.1"
        #expect(
            try read(SessionListResponse.self, written(SessionListResponse(sessions: [session]))).sessions == [session])
        #expect(
            try written(TokenResponse(accessToken: "a", expiresIn: 600))
                == #"{"accessToken":"a","expiresIn":600,"tokenType":"Bearer"}"#)
        #expect(try written(EndedSessionsResponse(ended: 3)) == #"{"ended":3}"#)
        #expect(
            try written(KeySetResponse(keys: [KeyBody(x: "x", y: "y", kid: "k")]))
                == #"{"keys":[{"alg":"ES256","crv":"P-256","kid":"k","kty":"EC","use":"sig","x":"x","y":"y"}]}"#)
        #expect(APIPath.session("s1") == "/v1/user/sessions/s1")
    }
}
