import Foundation
import Okaeri
import OkaeriWire

/// An app of Kii Cloud on one device, as its SDK speaks: with the token that it holds, and nothing else.
struct DemoKiiApp: Sendable {
    let server: URL
    let appId: String
    var token: String?

    /// What was answered.
    struct Reply: Sendable {
        let status: Int
        let members: [String: JSONValue]

        func text(_ name: String) -> String {
            if case .string(let text)? = members[name] { text } else { "" }
        }
    }

    /// Sends a request; `path` stands behind `/api/apps/{appID}`.
    ///
    /// - Throws: `CommandFault` when the server does not answer, or refuses.
    func send(
        _ method: String, _ path: String, _ body: [String: JSONValue]? = nil, type: String = "application/json"
    ) async throws(CommandFault) -> Reply {
        guard let url = URL(string: "\(server.absoluteString)/api/apps/\(appId)\(path)") else {
            throw .failed("\(server.absoluteString) is no address.")
        }
        var headers = ["Content-Type": type, "X-Kii-AppID": appId, "X-Kii-AppKey": "demo"]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        let reply: Reply
        do {
            let request = TransportRequest(
                method: method, url: url, headers: HeaderFields(headers),
                body: try body.map { try JSONEncoder().encode($0) })
            let answer = try await CurlTransport.shared.send(request)
            let members =
                answer.body.isEmpty ? [:] : try JSONDecoder().decode([String: JSONValue].self, from: answer.body)
            reply = Reply(status: answer.status, members: members)
        } catch {
            throw .failed("The server at \(server.absoluteString) does not answer.")
        }
        guard (200..<300).contains(reply.status) else {
            throw .failed("The server refuses: \(reply.status) \(reply.text("errorCode"))")
        }
        return reply
    }
}
