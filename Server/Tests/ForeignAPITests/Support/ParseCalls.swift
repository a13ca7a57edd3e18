import Domain
import HTTPTypes
import OkaeriWire
import ParseAPI
import TestWorld
import Testing

extension ForeignWorld {
    /// Sends a request as Parse's REST guide has it. `path` stands behind `/parse`.
    func parse(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = nil, master: Bool = false,
        installation: String? = nil, _ more: [(String, String)] = []
    ) async throws -> Answer {
        var headers = [("X-Parse-Application-Id", "app1"), ("Content-Type", "application/json")] + more
        headers.append(master ? ("X-Parse-Master-Key", "master") : ("X-Parse-REST-API-Key", "rest"))
        if let token { headers.append(("X-Parse-Session-Token", token)) }
        if let installation { headers.append(("X-Parse-Installation-Id", installation)) }
        let answer = try await send(
            method, "/parse\(path)", headers, body: body, peer: master ? "127.0.0.1" : "192.0.2.1")
        try Self.check(answer, path)
        return answer
    }

    /// What every answer keeps to: a JSON body, headers for browsers, and for errors a code with its status and a text.
    static func check(_ answer: Answer, _ path: String) throws {
        #expect(answer.headers[.accessControlAllowOrigin] == "*")
        guard answer.status >= 400 else { return }
        #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
        #expect(try !answer.text("error").isEmpty)
        guard let code = answer.parseCode else {
            #expect(answer.status == 403, "\(path): \(answer.text)")
            return
        }
        let statuses = code == 107 ? [400, 404] : code == 101 ? [404] : code == 100 ? [429] : code == 2 ? [503] : [400]
        #expect(statuses.contains(answer.status), "\(path): \(answer.status) \(answer.text)")
    }

    /// A user's id and token.
    func parseUser(
        _ name: String, _ more: String = "", installation: String? = nil
    ) async throws -> (id: String, token: String) {
        let made = try await parse(
            "POST", "/users", #"{"username":"\#(name)","password":"s3cret"\#(more)}"#, installation: installation)
        #expect(made.status == 201, "\(made.text)")
        return (try made.text("objectId"), try made.text("sessionToken"))
    }

    /// Takes a user in from another server, to whom sessions of there belong.
    func importParseUser(_ id: String) async throws {
        let user = Domain.User(
            id: Identifier(rawValue: id), application: application.id, displayName: "Mika", createdAt: clock.now,
            updatedAt: clock.now)
        let outcomes = try await modules.imports.importUsers(
            [ImportedUser(user: user)], into: application.id, of: .parse, isRehearsal: false)
        #expect(outcomes == [.imported])
    }

    func parseLogIn(_ name: String, _ password: String = "s3cret") async throws -> Answer {
        try await parse("POST", "/login", #"{"username":"\#(name)","password":"\#(password)"}"#)
    }
}

extension Answer {
    /// Parse's `code`.
    var parseCode: Int? {
        guard case .integer(let code)? = try? json()["code"] else { return nil }
        return Int(code)
    }

    func results() throws -> [[String: JSONValue]] {
        guard case .array(let list)? = try json()["results"] else { throw Missing(description: text) }
        return list.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }
}
