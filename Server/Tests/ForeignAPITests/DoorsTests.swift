import Domain
import HTTPTypes
import OkaeriWire
import Testing

/// The ways into one user that this server has: each registers, logs in, reads, updates and logs out in its own words.
enum Door: String, CaseIterable, Sendable {
    case native, kii, envelope, parse

    /// Makes a user and returns a token.
    func register(_ name: String, _ password: String, at world: ForeignWorld) async throws {
        let answer =
            switch self {
            case .native:
                try await world.native(
                    "POST", "/v1/sign-up", #"{"username":"\#(name)","password":"\#(password)","fields":{"score":1}}"#)
            case .kii:
                try await world.kii(
                    "POST", "/users", #"{"loginName":"\#(name)","password":"\#(password)","score":1}"#)
            case .envelope:
                try await world.send(
                    "POST", "/user/signup", body: #"{"id":"\#(name)","password":"\#(password)","name":"Mina"}"#)
            case .parse:
                try await world.parse(
                    "POST", "/users", #"{"username":"\#(name)","password":"\#(password)","score":1}"#)
            }
        #expect([200, 201].contains(answer.status), "\(self): \(answer.text)")
    }

    /// Logs in and returns the token; `nil` when it was refused.
    func logIn(_ name: String, _ password: String, at world: ForeignWorld) async throws -> String? {
        switch self {
        case .native:
            let answer = try await world.native(
                "POST", "/v1/log-in/password", #"{"identifier":"\#(name)","password":"\#(password)"}"#)
            guard answer.status == 200, case .object(let session)? = try answer.json()["session"],
                case .string(let token)? = session["token"]
            else { return nil }
            return token
        case .kii:
            let answer = try await world.kii(
                "POST", "/oauth2/token", #"{"username":"\#(name)","password":"\#(password)"}"#)
            return answer.status == 200 ? try answer.text("access_token") : nil
        case .envelope:
            let answer = try await world.send(
                "POST", "/user/signin", body: #"{"id":"\#(name)","password":"\#(password)"}"#)
            guard case .object(let data)? = try answer.json()["data"], case .string(let token)? = data["jwt"] else {
                return nil
            }
            return token
        case .parse:
            let answer = try await world.parseLogIn(name, password)
            return answer.status == 200 ? try answer.text("sessionToken") : nil
        }
    }

    /// The user's id and score; `nil` when the token is refused.
    func read(_ token: String, at world: ForeignWorld) async throws -> (id: String, score: JSONValue?)? {
        switch self {
        case .native:
            let answer = try await world.native("GET", "/v1/user", token: token)
            guard answer.status == 200, case .object(let fields)? = try answer.json()["fields"] else { return nil }
            return (try answer.text("id"), fields["score"])
        case .kii:
            let answer = try await world.kii("GET", "/users/me", token: token)
            return answer.status == 200 ? (try answer.text("userID"), try answer.json()["score"]) : nil
        case .envelope:
            let answer = try await world.send("GET", "/user/me", [("jwt", token)])
            guard case .object(let data)? = try answer.json()["data"], case .object(let user)? = data["user"],
                case .string(let id)? = user["id"], case .object(let fields)? = user["fields"]
            else { return nil }
            return (id, fields["score"])
        case .parse:
            let answer = try await world.parse("GET", "/users/me", token: token)
            return answer.status == 200 ? (try answer.text("objectId"), try answer.json()["score"]) : nil
        }
    }

    /// Changes the score; the envelope has no call for that.
    func update(_ score: Int, _ token: String, at world: ForeignWorld) async throws -> Bool {
        switch self {
        case .native:
            try await world.native("PATCH", "/v1/user", #"{"fields":{"score":\#(score)}}"#, token: token).status == 200
        case .kii: try await world.kii("POST", "/users/me", #"{"score":\#(score)}"#, token: token).status == 200
        case .envelope: false
        case .parse:
            if let id = try await read(token, at: world)?.id {
                try await world.parse("PUT", "/users/\(id)", #"{"score":\#(score)}"#, token: token).status == 200
            } else {
                false
            }
        }
    }

    /// Logs out; Kii has no call for that.
    func logOut(_ token: String, at world: ForeignWorld) async throws -> Bool {
        switch self {
        case .native: try await world.native("POST", "/v1/log-out", token: token).status == 204
        case .kii: false
        case .envelope: try await world.send("POST", "/user/signout", [("jwt", token)]).status == 200
        case .parse: try await world.parse("POST", "/logout", token: token).status == 200
        }
    }
}

extension ForeignWorld {
    fileprivate func native(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = nil
    ) async throws -> Answer {
        var headers = [("Okaeri-Application", application.id.rawValue), ("Content-Type", "application/json")]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        return try await send(method, path, headers, body: body)
    }
}

@Suite("One user, several doors")
struct DoorsTests {
    private static let password = "correct horse 7 staple"

    /// Logs in at every door.
    private func tokens(at world: ForeignWorld) async throws -> [Door: String] {
        var tokens: [Door: String] = [:]
        for door in Door.allCases {
            let token = try await door.logIn("mina26", Self.password, at: world)
            #expect(token != nil, "\(door)")
            tokens[door] = token
        }
        return tokens
    }

    @Test("is the same user through every other door", arguments: Door.allCases)
    func sameUser(entrance: Door) async throws {
        let world = try await ForeignWorld()
        try await entrance.register("mina26", Self.password, at: world)
        let tokens = try await tokens(at: world)
        var ids: Set<String> = []
        for (door, token) in tokens {
            let seen = try await door.read(token, at: world)
            ids.insert(seen?.id ?? "nobody at \(door)")
        }
        #expect(ids.count == 1)
        for (place, writer) in Door.allCases.enumerated() {
            guard try await writer.update(place + 10, tokens[writer] ?? "", at: world) else { continue }
            for (reader, token) in tokens {
                let seen = try await reader.read(token, at: world)
                #expect(seen?.score == .integer(Int64(place + 10)), "\(writer) wrote, \(reader) read")
            }
        }
    }

    @Test("has a token of each door that no other door takes")
    func tokensStay() async throws {
        let world = try await ForeignWorld()
        try await Door.native.register("mina26", Self.password, at: world)
        for (door, token) in try await tokens(at: world) {
            for other in Door.allCases where other != door {
                let seen = try await other.read(token, at: world)
                #expect(seen == nil, "\(door) in \(other)")
            }
        }
    }

    @Test("logs out at one door alone")
    func logOut() async throws {
        let world = try await ForeignWorld()
        try await Door.kii.register("mina26", Self.password, at: world)
        let tokens = try await tokens(at: world)
        for (door, token) in tokens {
            guard try await door.logOut(token, at: world) else { continue }
            let (here, elsewhere) = (
                try await door.read(token, at: world), try await Door.kii.read(tokens[.kii] ?? "", at: world)
            )
            #expect(here == nil && elsewhere != nil)
        }
    }

    @Test("is out of every door at once when it is disabled, and in again; and when it is deleted")
    func disabledAndDeleted() async throws {
        let world = try await ForeignWorld()
        try await Door.envelope.register("mina26", Self.password, at: world)
        let tokens = try await tokens(at: world)
        let kii = tokens[.kii] ?? ""
        let known = try await Door.kii.read(kii, at: world)
        let id = Identifier<User>(rawValue: known?.id ?? "")
        for (isDisabled, expected) in [(true, 0), (false, Door.allCases.count)] {
            try await world.useCases.setUserDisabled(id, in: world.application.id, isDisabled: isDisabled)
            let seen = try await seen(tokens, at: world)
            #expect(seen == expected)
        }
        let deleted = try await world.kii("DELETE", "/users/me", token: kii)
        #expect(deleted.status == 204)
        let left = try await seen(tokens, at: world)
        #expect(left == 0)
        for door in Door.allCases {
            let token = try await door.logIn("mina26", Self.password, at: world)
            #expect(token == nil)
        }
    }

    /// At how many doors the tokens count.
    private func seen(_ tokens: [Door: String], at world: ForeignWorld) async throws -> Int {
        var count = 0
        for (door, token) in tokens where try await door.read(token, at: world) != nil { count += 1 }
        return count
    }
}
