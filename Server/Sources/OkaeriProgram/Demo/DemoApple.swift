import Crypto
import Foundation
import Okaeri

/// The fake Apple, as the demo asks it: what a person's taps on Apple's sheet would do.
struct DemoApple: Sendable {
    static let bundle = "com.example.demo"
    static let team = "DEMOTEAM01"
    static let keyId = "DEMOKEY001"

    let address: String

    /// A private key, as Apple's pages would hand it out.
    struct Key {
        private let key = P256.Signing.PrivateKey()
        var privatePEM: String { key.pemRepresentation }
        var publicPEM: String { key.publicKey.pemRepresentation }
    }

    /// What the fake answers to `/fake/calls`.
    private struct Calls: Decodable {
        let revoked: Int
    }

    private struct SignedIn: Decodable {
        let identityToken: String
        let authorizationCode: String
    }

    func register(_ key: Key) async throws(CommandFault) {
        _ = try await send(
            "POST", "/fake/teams", ["team": Self.team, "keyId": Self.keyId, "publicKey": key.publicPEM])
    }

    /// A person signs in on the sheet.
    func signIn(_ person: String, name: String? = nil) async throws(CommandFault) -> AppleCredential {
        let nonce = AppleNonce()
        let body = [
            "subject": person, "audience": Self.bundle, "nonce": nonce.hashed,
            "email": "\(person)@privaterelay.appleid.com",
        ]
        let answer = try await read(SignedIn.self, try await send("POST", "/fake/sign-in", body))
        return AppleCredential(
            user: person, identityToken: answer.identityToken, authorizationCode: answer.authorizationCode,
            nonce: nonce.value, name: name)
    }

    /// How many grants were revoked since the fake began to play.
    func revokedCount() async throws(CommandFault) -> Int {
        try await read(Calls.self, try await send("GET", "/fake/calls", nil)).revoked
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ data: Data) async throws(CommandFault) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw .failed("The fake Apple answers nonsense.")
        }
    }

    private func send(
        _ method: String, _ path: String, _ body: [String: String]?
    ) async throws(CommandFault) -> Data {
        guard let url = URL(string: address + path) else { throw .failed("\(address) is no address.") }
        do {
            let request = TransportRequest(
                method: method, url: url, headers: ["Content-Type": "application/json"],
                body: try body.map { try JSONEncoder().encode($0) })
            let answer = try await CurlTransport.shared.send(request)
            guard answer.status == 200 else { throw TransportError.unreachable("status \(answer.status)") }
            return answer.body
        } catch {
            throw .failed("The fake Apple at \(address) does not answer.")
        }
    }
}
