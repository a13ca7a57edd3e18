import Crypto
import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// Plays Facebook: a token, and the code that it is exchanged for, are named after whose they are. `wrong` is nobody's.
final class NamedFacebook: FakeProvider {
    static let app = "fb-app"

    func answer(_ request: FakeRequest) async -> FakeResponse {
        switch request.path {
        case "/oauth/access_token":
            let code = FakeRequest.fields(String(decoding: request.body, as: UTF8.self))["code"] ?? ""
            return FakeResponse(200, ["access_token": .string(code), "token_type": "bearer", "expires_in": 3600])
        case "/debug_token":
            let name = request.query["input_token"] ?? ""
            return FakeResponse(
                200,
                [
                    "data": [
                        "is_valid": .bool(name != "wrong"), "app_id": .string(Self.app), "user_id": .string(name),
                    ]
                ])
        default: return FakeResponse(404)
        }
    }
}

/// Requests as the SDKs of the mobile backends send them, on the server of `EvictionWorld`.
extension EvictionWorld {
    static let kiiApp = "a1b2c3d4"
    /// The keys that apps in the stores carry.
    static let protocols: [Session.ProtocolName: [ProtocolKey: Secret]] = [
        Session.ProtocolName(rawValue: "ncmb"): keys(["applicationKey": "ncmb-key", "clientKey": "ncmb-client-key"]),
        Session.ProtocolName(rawValue: "parse"): keys([
            "applicationId": "app1", "restKey": "rest", "javascriptKey": "jskey", "clientKey": "client",
            "masterKey": "master",
        ]),
        Session.ProtocolName(rawValue: "kii"): keys([
            "appId": kiiApp, "appKey": "00112233", "clientId": "client", "clientSecret": "client-secret",
        ]),
        Session.ProtocolName(rawValue: "envelope"): keys(["basePath": "/"]),
    ]

    private static func keys(_ texts: [String: String]) -> [ProtocolKey: Secret] {
        Dictionary(uniqueKeysWithValues: texts.map { (ProtocolKey(rawValue: $0.key), Secret($0.value)) })
    }

    /// Decides something for one protocol, as an operator does.
    func decide(_ name: String, _ change: @escaping @Sendable (inout ForeignOptions) -> Void) async throws {
        _ = try await server.modules.applications.changeApplication(
            server.application.id, isCurrent: { _ in true }, by: .local
        ) { application in
            let protocolName = Session.ProtocolName(rawValue: name)
            var options = application.settings.foreignOptions(of: protocolName)
            change(&options)
            application.settings.foreignOptions[protocolName] = options
        }
    }

    func ncmb(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil
    ) async throws -> Answer {
        let time = "2026-01-02T03:04:05.678Z"
        let items = [
            "SignatureMethod=HmacSHA256", "SignatureVersion=2", "X-NCMB-Application-Key=ncmb-key",
            "X-NCMB-Timestamp=\(time)",
        ]
        let text = [method.rawValue, "id.example.test", path, items.joined(separator: "&")].joined(separator: "\n")
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data("ncmb-client-key".utf8)))
        var headers = [
            ("X-NCMB-Application-Key", "ncmb-key"), ("X-NCMB-Timestamp", time),
            ("X-NCMB-Signature", Data(code).base64EncodedString()),
        ]
        if let token { headers.append(("X-NCMB-Apps-Session-Token", token)) }
        return try await server.send(method, path, headers, body: body, isNamed: false)
    }

    func parse(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil,
        isMaster: Bool = false
    ) async throws -> Answer {
        var headers = [("X-Parse-Application-Id", "app1")]
        headers.append(isMaster ? ("X-Parse-Master-Key", "master") : ("X-Parse-REST-API-Key", "rest"))
        if let token { headers.append(("X-Parse-Session-Token", token)) }
        return try await server.send(
            method, path, headers, body: body, peer: isMaster ? "127.0.0.1" : "192.0.2.1",
            host: isMaster ? "127.0.0.1:8080" : "id.example.test", isNamed: false)
    }

    func kii(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil,
        type: String = "application/json"
    ) async throws -> Answer {
        var headers = [("X-Kii-AppID", Self.kiiApp), ("X-Kii-AppKey", "00112233"), ("Content-Type", type)]
        if let token { headers.append(("Authorization", "bearer \(token)")) }
        return try await server.send(method, path, headers, body: body, isNamed: false)
    }

    /// The path of something of an application in Kii.
    static func kiiPath(_ rest: String) -> String { "/api/apps/\(kiiApp)\(rest)" }

    /// The token of a log-in by password at a mobile backend.
    func token(_ surface: AccountChangeStep.Surface, _ name: String, _ password: String) async throws -> String {
        let answer: Answer
        let member: String
        switch surface {
        case .ncmb:
            answer = try await ncmb(
                .post, "/2013-09-01/login", #"{"userName":"\#(name)","password":"\#(password)"}"#)
            member = "sessionToken"
        case .parse:
            answer = try await parse(.post, "/parse/login", #"{"username":"\#(name)","password":"\#(password)"}"#)
            member = "sessionToken"
        default:
            answer = try await kii(
                .post, "/api/oauth2/token", #"{"username":"\#(name)","password":"\#(password)"}"#)
            member = "access_token"
        }
        return try #require(try answer.json[member]?.text, "\(answer.text)")
    }

    /// The owner's token at a mobile backend.
    func ownerToken(_ surface: AccountChangeStep.Surface) async throws -> String {
        try await token(surface, "hana", Self.password)
    }

    /// The token of Kii's administrators.
    func kiiAdministrator() async throws -> String {
        let answer = try await kii(
            .post, "/api/oauth2/token", #"{"client_id":"client","client_secret":"client-secret"}"#)
        return try #require(try answer.json["access_token"]?.text, "\(answer.text)")
    }

    /// Somebody who registered at Kii; `more` is JSON members with a comma in front.
    func kiiUser(_ name: String, _ more: String = "") async throws -> (id: String, token: String) {
        let made = try await kii(
            .post, Self.kiiPath("/users"), #"{"loginName":"\#(name)","password":"123ABC"\#(more)}"#)
        return (try #require(try made.json["userID"]?.text, "\(made.text)"), try await token(.kii, name, "123ABC"))
    }

    /// A pseudo user of Kii.
    func pseudoUser() async throws -> (id: String, token: String) {
        let made = try await kii(
            .post, Self.kiiPath("/users"), "{}",
            type: "application/vnd.kii.RegistrationAndAuthorizationRequest+json")
        return (
            try #require(try made.json["userID"]?.text, "\(made.text)"),
            try #require(try made.json["_accessToken"]?.text)
        )
    }

    /// The digits of the newest text message to a number.
    func textedCode(_ number: String) async throws -> String {
        let message = try #require(try await mails().first { $0.recipient == number })
        let match = try #require(message.text.firstMatch(of: #/\d{3,4} \d{3,4}/#), "\(message.text)")
        return String(match.output).replacing(" ", with: "")
    }

    /// Gives the owner a phone number, as an import does.
    func givePhone(_ number: String) async throws {
        let (id, application) = (Identifier<User>(rawValue: owner.logIn.user.id), server.application.id)
        try await server.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.phone = number
            user.phoneVerifiedAt = user.createdAt
            try transaction.updateIdentifiers(of: user)
        }
    }

    /// Takes the proof of the owner's mail address back, as an import without one does.
    func forgetProofOfAddress() async throws {
        let (id, application) = (Identifier<User>(rawValue: owner.logIn.user.id), server.application.id)
        try await server.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.emailVerifiedAt = nil
            try transaction.updateIdentifiers(of: user)
        }
    }

    /// Links an identity to the owner, as an import does.
    func give(_ provider: Identity.Provider, _ subject: String) async throws {
        let (id, application) = (Identifier<User>(rawValue: owner.logIn.user.id), server.application.id)
        let now = server.clock.now
        try await server.store.write { transaction throws(DomainError) in
            try transaction.insert(
                Identity(provider: provider, subject: subject, linkedAt: now), for: id, in: application)
        }
    }
}
