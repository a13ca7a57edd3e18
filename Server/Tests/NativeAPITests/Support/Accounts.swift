import HTTPTypes
import OkaeriWire

extension TestServer {
    /// Signs somebody up; `rest` is JSON members after the first two, with a comma in front.
    func signUp(
        _ username: String, _ rest: String = "", headers: [(String, String)] = [], peer: String = "192.0.2.1"
    ) async throws -> Answer {
        try await send(
            .post, APIPath.signUp, headers,
            body: #"{"username": "\#(username)", "password": "\#(AccountTests.password)"\#(rest)}"#, peer: peer)
    }

    /// Logs somebody in by password; `rest` is JSON members after the first two, with a comma in front.
    func logIn(
        _ identifier: String, _ password: String, _ rest: String = "", headers: [(String, String)] = [],
        peer: String = "192.0.2.1"
    ) async throws -> Answer {
        try await send(
            .post, APIPath.logInWithPassword, headers,
            body: #"{"identifier": "\#(identifier)", "password": "\#(password)"\#(rest)}"#, peer: peer)
    }
}

extension LogInResponse {
    /// The header that names the session.
    var bearer: [(String, String)] { [("Authorization", "Bearer \(session.token)")] }
}

extension Person {
    /// Sends an upgrade to the user name `hana`; `rest` is further JSON members.
    func upgrade(_ rest: String = "", headers: [(String, String)] = []) async throws -> Answer {
        let members = [#""username": "hana""#, #""password": "\#(AccountTests.password)""#, rest].filter { !$0.isEmpty }
        return try await send(.post, APIPath.upgrade, headers, body: "{\(members.joined(separator: ", "))}")
    }
}
