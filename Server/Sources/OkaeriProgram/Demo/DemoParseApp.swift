import Foundation
import Okaeri
import OkaeriWire

/// An app of Parse on one device, as its SDK speaks: with the token that it holds, and nothing else.
struct DemoParseApp: Sendable {
    let server: URL
    let applicationId: String
    let restKey: String
    var token: String?

    /// What was answered.
    struct Reply: Sendable {
        let status: Int
        let members: [String: JSONValue]

        func text(_ name: String) -> String {
            if case .string(let text)? = members[name] { text } else { "" }
        }
    }

    /// Sends a request; `path` stands behind `/parse`.
    ///
    /// - Throws: `CommandFault` when the server does not answer, or refuses.
    func send(
        _ method: String, _ path: String, _ body: [String: JSONValue]? = nil
    ) async throws(CommandFault) -> Reply {
        guard let url = URL(string: "\(server.absoluteString)/parse\(path)") else {
            throw .failed("\(server.absoluteString) is no address.")
        }
        var headers = [
            "Content-Type": "application/json", "X-Parse-Application-Id": applicationId,
            "X-Parse-REST-API-Key": restKey,
        ]
        if let token { headers["X-Parse-Session-Token"] = token }
        let reply: Reply
        do {
            let request = TransportRequest(
                method: method, url: url, headers: HeaderFields(headers),
                body: try body.map { try JSONEncoder().encode($0) })
            let answer = try await CurlTransport.shared.send(request)
            reply = Reply(
                status: answer.status, members: try JSONDecoder().decode([String: JSONValue].self, from: answer.body))
        } catch {
            throw .failed("The server at \(server.absoluteString) does not answer.")
        }
        guard (200..<300).contains(reply.status) else {
            throw .failed("The server refuses: \(reply.status) \(reply.text("error"))")
        }
        return reply
    }
}
