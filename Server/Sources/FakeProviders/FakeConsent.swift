import Domain
import Foundation
import enum OkaeriWire.JSONValue

/// The page of a provider on which a person logs in there and agrees, or does not. In it a person is whatever name is
/// typed.
struct FakeConsent: Sendable {
    let title: String
    /// Whether a client may send people here, and have them sent to an address.
    let knows: @Sendable (_ client: String, _ redirectURI: String) -> Bool
    /// A code for a person and what was asked.
    let code: @Sendable (_ user: String, _ asked: [String: String]) -> String

    func answer(_ request: FakeRequest) -> FakeResponse {
        let asked = request.query
        guard asked["response_type"] == "code", let redirectURI = asked["redirect_uri"], let state = asked["state"],
            !state.isEmpty, let client = asked["client_id"], knows(client, redirectURI)
        else { return FakeResponse(400, ["error": "invalid_request"]) }
        guard request.method == "POST" else { return page(client) }
        let form = request.form
        let result: [(String, String)]
        if form["answer"] == "agree", let user = form["user"], !user.isEmpty {
            result = [("code", code(user, asked)), ("state", state)]
        } else {
            result = [("error", "access_denied"), ("error_description", "the person refused"), ("state", state)]
        }
        let query = result.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
        return FakeResponse(302, location: "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(query)")
    }

    private func page(_ client: String) -> FakeResponse {
        let shown = client.replacing(signs: ["&": "&amp;", "<": "&lt;"])
        let html = """
            <!doctype html><meta charset="utf-8"><title>\(title) (fake)</title><h1>\(title) (fake)</h1>
            <p>The app “\(shown)” wants to know who you are.</p><form method="post">
            <p><label>Name there <input name="user" value="hana" required></label></p>
            <p><button name="answer" value="agree">Agree</button> <button name="answer" value="refuse">Cancel</button></p>
            </form>
            """
        return .file(Array(html.utf8), type: "text/html; charset=utf-8")
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~"))) ?? ""
    }
}
