import Foundation
import Okaeri
import OkaeriWire

/// An app of Kii Cloud on one device, as its SDK speaks: with the token that it holds, and nothing else.
struct DemoKiiApp: Sendable {
    let server: URL
    let appId: String
    var token: String?

    /// Sends a request; `path` stands behind `/api/apps/{appID}`.
    ///
    /// - Throws: `CommandFault` when the server does not answer, or refuses.
    func send(
        _ method: String, _ path: String, _ body: [String: JSONValue]? = nil, type: String = "application/json"
    ) async throws(CommandFault) -> DemoReply {
        var headers = ["Content-Type": type, "X-Kii-AppID": appId, "X-Kii-AppKey": "demo"]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        return try await DemoReply(
            method, "/api/apps/\(appId)\(path)", at: server, headers, body, reason: "errorCode")
    }
}

/// An app of Parse on one device, as its SDK speaks: with the token that it holds, and nothing else.
struct DemoParseApp: Sendable {
    let server: URL
    let applicationId: String
    let restKey: String
    var token: String?

    /// Sends a request; `path` stands behind `/parse`.
    ///
    /// - Throws: `CommandFault` when the server does not answer, or refuses.
    func send(
        _ method: String, _ path: String, _ body: [String: JSONValue]? = nil
    ) async throws(CommandFault) -> DemoReply {
        var headers = [
            "Content-Type": "application/json", "X-Parse-Application-Id": applicationId,
            "X-Parse-REST-API-Key": restKey,
        ]
        if let token { headers["X-Parse-Session-Token"] = token }
        return try await DemoReply(method, "/parse\(path)", at: server, headers, body, reason: "error")
    }
}

/// What a server responds to an app of an old service that speaks JSON.
struct DemoReply: Sendable {
    let members: [String: JSONValue]

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: Behind the server's address.
    ///   - server: The server.
    ///   - headers: What the app's SDK sends with each request.
    ///   - body: The members of the body, if there is one.
    ///   - reason: The member that says why a request is refused.
    /// - Throws: `CommandFault` when the server does not respond, or refuses.
    init(
        _ method: String, _ path: String, at server: URL, _ headers: [String: String], _ body: [String: JSONValue]?,
        reason: String
    ) async throws(CommandFault) {
        guard let url = URL(string: server.absoluteString + path) else {
            throw .failed("\(server.absoluteString) is no address.")
        }
        let response: TransportResponse
        do {
            response = try await CurlTransport.shared.send(
                TransportRequest(
                    method: method, url: url, headers: HeaderFields(headers),
                    body: try body.map { try JSONEncoder().encode($0) }))
            members =
                response.body.isEmpty ? [:] : try JSONDecoder().decode([String: JSONValue].self, from: response.body)
        } catch {
            throw .failed("The server at \(server.absoluteString) does not answer.")
        }
        guard (200..<300).contains(response.status) else {
            throw .failed("The server refuses: \(response.status) \(text(reason))")
        }
    }

    /// The text of a member; none for what is no text.
    func text(_ name: String) -> String {
        if case .string(let text)? = members[name] { text } else { "" }
    }
}
