public import Foundation

/// What attests the app and the device when the server asks for that at a first launch. On Apple's systems `AppAttest` is
/// one; tests bring their own.
public protocol AppAttestor: Sendable {
    /// The format of its attestations, as servers name it.
    var format: String { get }

    /// Attests a new key.
    ///
    /// - Parameter clientDataHash: The SHA-256 of the server's challenge and of the name of the device's key.
    /// - Returns: `nil` when it cannot now. The log-in goes on with a proof of work where the server takes one.
    func attest(_ clientDataHash: Data) async -> AppAttestation?
}

/// What the system attested.
public struct AppAttestation: Hashable, Sendable {
    /// The SHA-256 of the attested key.
    public let keyId: Data
    /// The attestation object.
    public let object: Data

    /// Takes what the system attested.
    public init(keyId: Data, object: Data) {
        self.keyId = keyId
        self.object = object
    }
}

extension OkaeriConfiguration {
    /// What attests this app on this device: App Attest on Apple's systems, nothing elsewhere.
    public static var systemAttestor: (any AppAttestor)? {
        #if canImport(DeviceCheck)
            AppAttest()
        #else
            nil
        #endif
    }
}

#if canImport(DeviceCheck)
    import DeviceCheck

    /// Apple's App Attest. The app needs the capability of that name; simulators and some devices have none.
    public struct AppAttest: AppAttestor {
        /// `apple-appattest`.
        public let format = "apple-appattest"

        /// Uses the system's service.
        public init() {}

        /// Attests a new key of the Secure Enclave, which asks Apple.
        public func attest(_ clientDataHash: Data) async -> AppAttestation? {
            let service = DCAppAttestService.shared
            guard service.isSupported else { return nil }
            do {
                let name = try await service.generateKey()
                let object = try await service.attestKey(name, clientDataHash: clientDataHash)
                return Data(base64Encoded: name).map { AppAttestation(keyId: $0, object: object) }
            } catch {
                // Apple is out of reach, or takes no more keys of this device: the log-in goes on without.
                return nil
            }
        }
    }
#endif
