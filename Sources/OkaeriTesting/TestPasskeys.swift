public import Foundation
public import Okaeri
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A device with passkeys, for the tests of apps: real P-256 keys, and no person who has to touch anything.
///
/// ```swift
/// let passkeys = TestPasskeys()
/// try await okaeri.addPasskey(named: "My phone", with: passkeys)
/// passkeys.isCancelled = true
/// ```
public final class TestPasskeys: PasskeyAuthenticator {
    private struct StoredPasskey: Sendable {
        let key: P256.Signing.PrivateKey
        let domain: String
        let userHandle: Data
    }

    private struct Contents: Sendable {
        var passkeys: [Data: StoredPasskey] = [:]
        /// Oldest first.
        var order: [Data] = []
        var forgotten: [Data] = []
        var isCancelled = false
        var isUserVerified = true
        var origin: String?
        var associatedDomain: String?
        var autoFill: AsyncStream<Void>.Continuation?
        var autoFillCount = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let contents = Protected(Contents())

    /// Makes a device without passkeys.
    public init() {}

    /// Whether the person closes every sheet.
    public var isCancelled: Bool {
        get { contents.withValue { $0.isCancelled } }
        set { contents.withValue { $0.isCancelled = newValue } }
    }

    /// Whether a finger, a face or a PIN goes with the touch; it does at first.
    public var isUserVerified: Bool {
        get { contents.withValue { $0.isUserVerified } }
        set { contents.withValue { $0.isUserVerified = newValue } }
    }

    /// From where it says to be asked; `nil` for `https://` and the domain, as apps are.
    public var origin: String? {
        get { contents.withValue { $0.origin } }
        set { contents.withValue { $0.origin = newValue } }
    }

    /// The only domain with which the app is associated; `nil` for any.
    public var associatedDomain: String? {
        get { contents.withValue { $0.associatedDomain } }
        set { contents.withValue { $0.associatedDomain = newValue } }
    }

    /// The ids of the passkeys on the device, oldest first.
    public var credentials: [Data] { contents.withValue { $0.order } }

    /// The ids of passkeys that were to be forgotten, in the order in which that was said.
    public var forgotten: [Data] { contents.withValue { $0.forgotten } }

    /// Waits until passkeys were offered above the keyboard so many times, since the device was made.
    public func waitForAutoFill(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = contents.withValue { contents in
                if contents.autoFillCount >= count { return true }
                contents.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Plays a person who chooses the passkey that is offered above the keyboard.
    public func chooseAutoFill() {
        contents.withValue { $0.autoFill }?.yield()
    }

    /// Makes a passkey.
    public func create(_ request: PasskeyCreation) async throws(OkaeriError) -> CreatedPasskey {
        try check(request.domain)
        guard request.algorithms.contains(-7) else { throw .passkeyRefused(.unavailable) }
        let key = P256.Signing.PrivateKey()
        let id = Data(SHA256.hash(data: key.publicKey.rawRepresentation))
        let isThere = contents.withValue { contents in
            if request.excluded.contains(where: { contents.passkeys[$0] != nil }) { return true }
            contents.passkeys[id] = StoredPasskey(key: key, domain: request.domain, userHandle: request.userHandle)
            contents.order.append(id)
            return false
        }
        guard !isThere else { throw .passkeyRefused(.alreadyThere) }
        let clientData = clientData("webauthn.create", request.challenge, request.domain)
        let attestation = TestAttestation(
            rpIdHash: Data(SHA256.hash(data: Data(request.domain.utf8))), flags: flags | 0x40, credential: id,
            publicKey: key.publicKey.rawRepresentation)
        return CreatedPasskey(
            id: id, clientDataJSON: clientData, attestationObject: attestation.encoded,
            transports: ["internal", "hybrid"])
    }

    /// Shows the newest passkey of the domain.
    public func assert(_ request: PasskeyRequest) async throws(OkaeriError) -> PasskeyAssertion {
        if request.presentation == .autoFill { try await waitForChoice() }
        try check(request.domain)
        let found = contents.withValue { contents in
            contents.order.last { contents.passkeys[$0]?.domain == request.domain }
                .flatMap { id in contents.passkeys[id].map { (id, $0) } }
        }
        guard let (id, passkey) = found else { throw .passkeyRefused(.notFound) }
        let clientData = clientData("webauthn.get", request.challenge, request.domain)
        let data = Data(SHA256.hash(data: Data(request.domain.utf8))) + [flags, 0, 0, 0, 0]
        guard let signature = try? passkey.key.signature(for: data + Data(SHA256.hash(data: clientData))) else {
            throw .passkeyRefused(.unavailable)
        }
        return PasskeyAssertion(
            id: id, clientDataJSON: clientData, authenticatorData: data, signature: signature.derRepresentation,
            userHandle: passkey.userHandle)
    }

    /// Forgets a passkey.
    public func forget(_ credential: Data, of domain: String) async {
        contents.withValue { contents in
            contents.forgotten.append(credential)
            guard contents.passkeys[credential]?.domain == domain else { return }
            contents.passkeys[credential] = nil
            contents.order.removeAll { $0 == credential }
        }
    }

    private func check(_ domain: String) throws(OkaeriError) {
        let (isCancelled, associated) = contents.withValue { ($0.isCancelled, $0.associatedDomain) }
        if isCancelled || Task.isCancelled { throw .cancelled }
        if let associated, associated != domain { throw .passkeyRefused(.unavailable) }
    }

    private func waitForChoice() async throws(OkaeriError) {
        let (choices, continuation) = AsyncStream<Void>.makeStream()
        let watchers = contents.withValue { contents in
            contents.autoFill = continuation
            contents.autoFillCount += 1
            let count = contents.autoFillCount
            defer { contents.watchers.removeAll { $0.count <= count } }
            return contents.watchers.filter { $0.count <= count }.map(\.continuation)
        }
        for watcher in watchers { watcher.resume() }
        for await _ in choices { return }
        throw .cancelled
    }

    /// Touched, can be backed up, is backed up; recognised, if it is so.
    private var flags: UInt8 { isUserVerified ? 0x1d : 0x19 }

    private func clientData(_ type: String, _ challenge: Data, _ domain: String) -> Data {
        let text = Base64URL.text(of: challenge)
        return Data(
            #"{"type":"\#(type)","challenge":"\#(text)","origin":"\#(origin ?? "https://\(domain)")"}"#.utf8)
    }
}

/// An attestation object of the format `none` with a key of ES256, in its one canonical form (WebAuthn level 3, §6.5).
struct TestAttestation {
    let rpIdHash: Data
    let flags: UInt8
    let credential: Data
    /// Both coordinates.
    let publicKey: Data

    private static let head: Data = {
        var bytes: [UInt8] = [0xa3]
        let parts: [(UInt8, String)] = [(0x63, "fmt"), (0x64, "none"), (0x67, "attStmt")]
        for (length, text) in parts { bytes += [length] + Array(text.utf8) }
        bytes += [0xa0, 0x68]
        bytes += Array("authData".utf8)
        return Data(bytes + [0x58])
    }()
    private static let keyHead = Data([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20])
    private static let credentialByteCount = 32

    init(rpIdHash: Data, flags: UInt8, credential: Data, publicKey: Data) {
        self.rpIdHash = rpIdHash
        self.flags = flags
        self.credential = credential
        self.publicKey = publicKey
    }

    var encoded: Data {
        let id = UInt8(truncatingIfNeeded: credential.count)
        var data = rpIdHash
        data.append(contentsOf: [flags, 0, 0, 0, 0])
        data.append(Data(repeating: 0, count: 16))
        data.append(contentsOf: [0, id])
        data.append(credential)
        data.append(Self.keyHead)
        data.append(publicKey.prefix(32))
        data.append(contentsOf: [0x22, 0x58, 0x20])
        data.append(publicKey.suffix(32))
        return Self.head + [UInt8(truncatingIfNeeded: data.count)] + data
    }

    /// Reads what ``encoded`` writes; `nil` for anything else.
    init?(_ bytes: Data) {
        let start = Self.head.count + 1
        let (id, key) = (start + 55, start + 55 + Self.credentialByteCount)
        let x = key + Self.keyHead.count
        guard bytes.count == x + 67 else { return nil }
        let all = Data(bytes)
        self.init(
            rpIdHash: all.subdata(in: start..<(start + 32)), flags: all[start + 32],
            credential: all.subdata(in: id..<key),
            publicKey: all.subdata(in: x..<(x + 32)) + all.subdata(in: (x + 35)..<(x + 67)))
        guard encoded == all else { return nil }
    }
}
