import Crypto
import enum Domain.Hexadecimal
import Foundation
import Okaeri
import OkaeriWire

/// An app on NCMB's Swift SDK, as far as its requests go: the sample of automatic log-in.
struct DemoNCMBApp: Sendable {
    private static let base = "/2013-09-01"

    let server: URL
    let applicationKey: String
    let clientKey: String
    /// What `identifierForVendor` would give.
    let deviceId = Self.uuid(SystemRandomness().bytes(16))

    /// Who is logged in.
    struct Member: Sendable {
        let id: String
        let token: String
        /// When the member was last changed or logged in, by the server's clock.
        let updateDate: String?
        /// What the app saved at the launch before.
        let lastLogIn: String?
    }

    /// A log-in, or the code of its refusal.
    struct LogIn: Sendable {
        let member: Member?
        let code: String?
    }

    private struct Body: Codable {
        var objectId: String?
        var sessionToken: String?
        var code: String?
        var updateDate: String?
        var lastLoginDate: NCMBDate?
    }

    private struct NCMBDate: Codable {
        var type = "Date"
        var iso: String

        private enum CodingKeys: String, CodingKey {
            case type = "__type"
            case iso
        }
    }

    /// Bytes in the form of a UUID.
    static func uuid(_ bytes: [UInt8]) -> String { Hexadecimal.uuid(bytes).uppercased() }

    func logIn() async throws(CommandFault) -> LogIn {
        let body = try await send("POST", "/login", ["userName": deviceId, "password": deviceId])
        return LogIn(member: member(body), code: body.code)
    }

    func signUp() async throws(CommandFault) -> Member {
        let body = try await send("POST", "/users", ["userName": deviceId, "password": deviceId])
        guard let member = member(body) else { throw .failed("The sign-up was refused: \(body.code ?? "no code").") }
        return member
    }

    /// Saves `updateDate` of the log-in, or of the sign-up, as the sample does it with a third request.
    ///
    /// - Returns: The time as it is stored.
    func saveLastLogIn(of member: Member) async throws(CommandFault) -> String {
        guard let time = member.updateDate else { throw .failed("The answer has no updateDate.") }
        let body = try await send(
            "PUT", "/users/\(member.id)", ["lastLoginDate": NCMBDate(iso: time)], token: member.token)
        guard body.code == nil else { throw .failed("The time was not saved: \(body.code ?? "").") }
        return time
    }

    private func member(_ body: Body) -> Member? {
        guard let id = body.objectId, let token = body.sessionToken else { return nil }
        return Member(
            id: id, token: token, updateDate: body.updateDate, lastLogIn: body.lastLoginDate?.iso)
    }

    private var now: String {
        WireTime(millisecondsSince1970: Int64(SystemClock().now.timeIntervalSince1970 * 1000)).description
    }

    private func send(
        _ method: String, _ path: String, _ body: some Encodable, token: String? = nil
    ) async throws(CommandFault) -> Body {
        guard let url = URL(string: Self.base + path, relativeTo: server)?.absoluteURL, let host = url.host else {
            throw .failed("\(server) is no address.")
        }
        let time = now
        let text = [
            method, host, url.path,
            "SignatureMethod=HmacSHA256&SignatureVersion=2&X-NCMB-Application-Key=\(applicationKey)"
                + "&X-NCMB-Timestamp=\(time)",
        ].joined(separator: "\n")
        let signature = HMAC<SHA256>.authenticationCode(
            for: Array(text.utf8), using: SymmetricKey(data: Array(clientKey.utf8)))
        var headers = [
            "Content-Type": "application/json", "X-NCMB-Application-Key": applicationKey, "X-NCMB-Timestamp": time,
            "X-NCMB-Signature": Data(signature).base64EncodedString(), "X-NCMB-SDK-Version": "swift-1.4.2",
        ]
        headers["X-NCMB-Apps-Session-Token"] = token
        do {
            let answer = try await CurlTransport.shared.send(
                TransportRequest(
                    method: method, url: url, headers: HeaderFields(headers), body: try JSONEncoder().encode(body)))
            return try JSONDecoder().decode(Body.self, from: answer.body)
        } catch {
            throw .failed("The server at \(server) does not answer as NCMB did.")
        }
    }
}
