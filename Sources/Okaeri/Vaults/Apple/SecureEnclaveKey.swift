#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation
    import Security

    /// Makes keys in the Secure Enclave where there is one, else in software. The stored form's first byte tells which.
    struct AppleKeyMaker: DeviceKeyMaker {
        private static let softwareMark: UInt8 = 1
        private static let enclaveMark: UInt8 = 2

        func make() throws(VaultError) -> (key: any DeviceKey, stored: Data) {
            guard SecureEnclave.isAvailable else {
                let key = SoftwareDeviceKey()
                return (key, Data([Self.softwareMark]) + key.rawRepresentation)
            }
            let key = try SecureEnclaveKey()
            return (key, Data([Self.enclaveMark]) + key.sealed)
        }

        func restore(_ stored: Data) throws(VaultError) -> any DeviceKey {
            let rest = Data(stored.dropFirst())
            switch stored.first {
            case Self.softwareMark: return try SoftwareDeviceKey(rawRepresentation: rest)
            case Self.enclaveMark: return try SecureEnclaveKey(sealed: rest)
            default: throw .damaged("the stored key has an unknown form")
            }
        }
    }

    /// A key that the Secure Enclave made and never gives away.
    struct SecureEnclaveKey: DeviceKey {
        private let key: SecureEnclave.P256.Signing.PrivateKey
        let publicKey: DevicePublicKey

        /// Makes a new key, usable after the phone's first unlock.
        init() throws(VaultError) {
            guard
                let access = SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
            else { throw .unwritable("the Secure Enclave has no such access control") }
            do {
                try self.init(SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
            } catch let error as VaultError {
                throw error
            } catch {
                throw .unwritable("the Secure Enclave makes no key")
            }
        }

        /// Takes a key in the form that only the Secure Enclave that made it can use.
        init(sealed: Data) throws(VaultError) {
            do {
                try self.init(SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: sealed))
            } catch let error as VaultError {
                throw error
            } catch {
                throw EnclaveFailure(domain: error._domain, code: error._code).vaultError("take the key")
            }
        }

        private init(_ key: SecureEnclave.P256.Signing.PrivateKey) throws(VaultError) {
            guard let publicKey = DevicePublicKey(rawRepresentation: key.publicKey.rawRepresentation) else {
                throw .damaged("the Secure Enclave's key is no P-256 key")
            }
            self.key = key
            self.publicKey = publicKey
        }

        /// The form to store.
        var sealed: Data { key.dataRepresentation }

        func signature(for message: Data) throws(VaultError) -> Data {
            do {
                return try key.signature(for: message).rawRepresentation
            } catch {
                throw EnclaveFailure(domain: error._domain, code: error._code).vaultError("sign")
            }
        }
    }
#endif
