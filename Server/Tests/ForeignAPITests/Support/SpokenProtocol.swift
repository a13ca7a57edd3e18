import Crypto
import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// A way into a user that this server has: it registers, logs in, reads, updates, logs out and deletes in its own words.
///
/// A further protocol is one more value in `SpokenProtocol.all`.
struct SpokenProtocol: Sendable, CustomTestStringConvertible {
    /// What a log-in gives: the token, and whose it is.
    struct Pass: Sendable {
        var token: String
        var id: String
    }

    /// What a protocol shows of a user.
    struct View: Sendable, Hashable {
        var id: String
        var score: JSONValue?
    }

    let name: String
    /// Makes a user with a name and a password.
    let register: @Sendable (_ world: ForeignWorld, _ name: String, _ password: String) async throws -> Answer
    /// Logs in; `nil` when it is refused.
    let logIn: @Sendable (_ world: ForeignWorld, _ name: String, _ password: String) async throws -> Pass?
    /// The user; `nil` when the token is refused.
    let read: @Sendable (_ world: ForeignWorld, _ pass: Pass) async throws -> View?
    /// Writes the field `score`; `nil` where the protocol has no call for it.
    var update: (@Sendable (_ world: ForeignWorld, _ pass: Pass, _ score: Int) async throws -> Answer)?
    /// Ends the session; `nil` where the protocol has no call for it.
    var logOut: (@Sendable (_ world: ForeignWorld, _ pass: Pass) async throws -> Answer)?
    /// Deletes the user; `nil` where the protocol has no call for it.
    var delete: (@Sendable (_ world: ForeignWorld, _ pass: Pass) async throws -> Answer)?

    var testDescription: String { name }

    static let all: [SpokenProtocol] = [.native, .ncmb, .kii, .envelope, .parse]

    static let native = SpokenProtocol(
        name: "native",
        register: { world, name, password in
            try await world.native("POST", "/v1/sign-up", #"{"username":"\#(name)","password":"\#(password)"}"#)
        },
        logIn: { world, name, password in
            let answer = try await world.native(
                "POST", "/v1/log-in/password", #"{"identifier":"\#(name)","password":"\#(password)"}"#)
            guard answer.status == 200, case .object(let session)? = try answer.json()["session"],
                case .string(let token)? = session["token"], case .object(let user)? = try answer.json()["user"],
                case .string(let id)? = user["id"]
            else { return nil }
            return Pass(token: token, id: id)
        },
        read: { world, pass in
            let answer = try await world.native("GET", "/v1/user", token: pass.token)
            guard answer.status == 200, case .object(let fields)? = try answer.json()["fields"] else { return nil }
            return View(id: try answer.text("id"), score: fields["score"])
        },
        update: { world, pass, score in
            try await world.native("PATCH", "/v1/user", #"{"fields":{"score":\#(score)}}"#, token: pass.token)
        },
        logOut: { world, pass in try await world.native("POST", "/v1/log-out", token: pass.token) },
        delete: { world, pass in try await world.native("DELETE", "/v1/user", token: pass.token) })

    static let ncmb = SpokenProtocol(
        name: "ncmb",
        register: { world, name, password in
            try await world.ncmb("POST", "/users", #"{"userName":"\#(name)","password":"\#(password)"}"#)
        },
        logIn: { world, name, password in
            let answer = try await world.ncmb(
                "POST", "/login", #"{"userName":"\#(name)","password":"\#(password)"}"#)
            guard answer.status == 200 else { return nil }
            return Pass(token: try answer.text("sessionToken"), id: try answer.text("objectId"))
        },
        read: { world, pass in
            let answer = try await world.ncmb("GET", "/users/\(pass.id)", token: pass.token)
            guard answer.status == 200 else { return nil }
            return View(id: try answer.text("objectId"), score: try answer.json()["score"])
        },
        update: { world, pass, score in
            try await world.ncmb("PUT", "/users/\(pass.id)", #"{"score":\#(score)}"#, token: pass.token)
        },
        logOut: { world, pass in try await world.ncmb("GET", "/logout", token: pass.token) },
        delete: { world, pass in try await world.ncmb("DELETE", "/users/\(pass.id)", token: pass.token) })

    static let kii = SpokenProtocol(
        name: "kii",
        register: { world, name, password in
            try await world.kii("POST", "/users", #"{"loginName":"\#(name)","password":"\#(password)"}"#)
        },
        logIn: { world, name, password in
            let answer = try await world.kii(
                "POST", "/oauth2/token", #"{"username":"\#(name)","password":"\#(password)"}"#)
            guard answer.status == 200 else { return nil }
            return Pass(token: try answer.text("access_token"), id: try answer.text("id"))
        },
        read: { world, pass in
            let answer = try await world.kii("GET", "/users/me", token: pass.token)
            guard answer.status == 200 else { return nil }
            return View(id: try answer.text("userID"), score: try answer.json()["score"])
        },
        update: { world, pass, score in
            try await world.kii("POST", "/users/me", #"{"score":\#(score)}"#, token: pass.token)
        },
        delete: { world, pass in try await world.kii("DELETE", "/users/me", token: pass.token) })

    static let envelope = SpokenProtocol(
        name: "envelope",
        register: { world, name, password in
            try await world.send(
                "POST", "/user/signup", body: #"{"id":"\#(name)","password":"\#(password)","name":"Mina"}"#)
        },
        logIn: { world, name, password in
            let answer = try await world.send(
                "POST", "/user/signin", body: #"{"id":"\#(name)","password":"\#(password)"}"#)
            guard case .object(let data)? = try answer.json()["data"], case .string(let token)? = data["jwt"] else {
                return nil
            }
            return Pass(token: token, id: "")
        },
        read: { world, pass in
            let answer = try await world.send("GET", "/user/me", [("jwt", pass.token)])
            guard case .object(let data)? = try answer.json()["data"], case .object(let user)? = data["user"],
                case .string(let id)? = user["id"], case .object(let fields)? = user["fields"]
            else { return nil }
            return View(id: id, score: fields["score"])
        },
        logOut: { world, pass in try await world.send("POST", "/user/signout", [("jwt", pass.token)]) })
}

extension ForeignWorld {
    /// Sends a request of Okaeri's own protocol.
    func native(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = nil
    ) async throws -> Answer {
        var headers = [("Okaeri-Application", application.id.rawValue), ("Content-Type", "application/json")]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        return try await send(method, path, headers, body: body)
    }

    /// Sends a signed request as NCMB's SDKs do: `path` stands behind the version.
    func ncmb(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = nil
    ) async throws -> Answer {
        let (target, time) = ("/2013-09-01\(path)", "2026-01-02T03:04:05.678Z")
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        var items = [
            "SignatureMethod=HmacSHA256", "SignatureVersion=2", "X-NCMB-Application-Key=ncmb-key",
            "X-NCMB-Timestamp=\(time)",
        ]
        if parts.count > 1 { items += parts[1].split(separator: "&").map(String.init).sorted() }
        let text = [method, Self.host, parts[0], items.joined(separator: "&")].joined(separator: "\n")
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data("ncmb-client-key".utf8)))
        var headers = [
            ("X-NCMB-Application-Key", "ncmb-key"), ("X-NCMB-Timestamp", time),
            ("X-NCMB-Signature", Data(code).base64EncodedString()), ("Content-Type", "application/json"),
        ]
        if let token { headers.append(("X-NCMB-Apps-Session-Token", token)) }
        return try await send(method, target, headers, body: body)
    }
}
