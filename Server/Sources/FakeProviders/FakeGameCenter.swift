import Crypto
import CryptoExtras
package import Domain
import Foundation
import enum OkaeriWire.JSONValue
import Synchronization

/// Plays Game Center: certificates at Apple's paths, their issuer's at its own, and signatures for players.
package final class FakeGameCenter: FakeProvider {
    package static let certificatePath = "/public-key/gc-prod-10.cer"

    private let clock: any WallClock
    private let certificates: FakeCertificates
    private let state = Mutex(State())

    private struct State {
        var calls: [String] = []
        var isDown = false
        var count = 0
    }

    package init(clock: any WallClock, certificates: FakeCertificates) {
        self.clock = clock
        self.certificates = certificates
    }

    /// What `fetchItems(forIdentityVerificationSignature:)` gives.
    package struct Items: Sendable {
        package var signature: [UInt8]
        package var salt: [UInt8]
        package var timestamp: UInt64
    }

    /// Signs for a player.
    ///
    /// - Throws: when the library does not sign.
    package func items(playerId: String, bundleId: String, at moment: Timestamp? = nil) throws -> Items {
        let count = state.withLock { state in
            state.count += 1
            return state.count
        }
        let salt = Array("s\(count)".utf8)
        let timestamp = UInt64((moment ?? clock.now).milliseconds)
        let bytes =
            Array(playerId.utf8) + Array(bundleId.utf8) + withUnsafeBytes(of: timestamp.bigEndian) { Array($0) } + salt
        let signature = try certificates.key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        return Items(signature: Array(signature.rawRepresentation), salt: salt, timestamp: timestamp)
    }

    /// Every path that was asked for.
    package var calls: [String] { state.withLock { $0.calls } }

    package func fail(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    package func answer(_ request: FakeRequest) async -> FakeResponse {
        let isDown = state.withLock { state in
            state.calls.append(request.path)
            return state.isDown
        }
        if isDown { return FakeResponse(503) }
        switch (request.method, request.path) {
        case ("GET", Self.certificatePath): return .file(certificates.leaf, type: "application/x-x509-ca-cert")
        case ("GET", "/FakeCodeSigning.crt"): return .file(certificates.issuer, type: "application/pkix-cert")
        case ("POST", "/fake/sign-in"): return signIn(request.json)
        default: return FakeResponse(404)
        }
    }

    /// For a client of development, which has no Game Center: signs for any player.
    private func signIn(_ json: [String: JSONValue]) -> FakeResponse {
        guard case .string(let player)? = json["playerId"], case .string(let bundle)? = json["bundleId"],
            let items = try? items(playerId: player, bundleId: bundle)
        else { return FakeResponse(400) }
        return FakeResponse(
            200,
            [
                "publicKeyPath": .string(Self.certificatePath), "playerId": .string(player),
                "bundleId": .string(bundle), "signature": .string(Data(items.signature).base64EncodedString()),
                "salt": .string(Data(items.salt).base64EncodedString()),
                "timestamp": .integer(Int64(clamping: items.timestamp)),
            ])
    }
}
