#if canImport(Security)
    import Foundation
    import Security

    /// Generic passwords in the data protection Keychain, readable after first unlock, on this device only.
    struct KeychainItems: SecureItems {
        let service: String
        let accessGroup: String?

        func read(_ name: String) throws(VaultError) -> Data? {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(item(name).reading.dictionary as CFDictionary, &result)
            switch status {
            case errSecSuccess:
                guard let data = result as? Data else { throw .unreadableNow("the Keychain gave no data") }
                return data
            case errSecItemNotFound: return nil
            default: throw KeychainFailure(status: status).readingError
            }
        }

        func add(_ name: String, _ data: Data) throws(VaultError) -> Bool {
            let status = SecItemAdd(item(name).merging(.contents(data)).dictionary as CFDictionary, nil)
            switch status {
            case errSecSuccess: return true
            case errSecDuplicateItem: return false
            default: throw .unwritable(KeychainFailure(status: status).reason)
            }
        }

        func replace(_ name: String, _ data: Data) throws(VaultError) {
            let status = update(name, data)
            if status == errSecSuccess { return }
            guard status == errSecItemNotFound else { throw .unwritable(KeychainFailure(status: status).reason) }
            guard try !add(name, data) else { return }
            // Another process added it in between.
            let second = update(name, data)
            guard second == errSecSuccess else { throw .unwritable(KeychainFailure(status: second).reason) }
        }

        func remove(_ name: String) throws(VaultError) {
            let status = SecItemDelete(item(name).dictionary as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw .unwritable(KeychainFailure(status: status).reason)
            }
        }

        private func update(_ name: String, _ data: Data) -> OSStatus {
            let contents = KeychainAttributes.contents(data)
            return SecItemUpdate(item(name).dictionary as CFDictionary, contents.dictionary as CFDictionary)
        }

        private func item(_ name: String) -> KeychainAttributes {
            .item(service: service, name: name, accessGroup: accessGroup)
        }
    }

    extension KeychainAttributes {
        /// The attributes in the Keychain's own words.
        var dictionary: [String: Any] {
            Dictionary(values.map { ($0.constant as String, $1.constant) }, uniquingKeysWith: { $1 })
        }
    }

    extension KeychainAttributes.Name {
        fileprivate var constant: CFString {
            switch self {
            case .itemClass: kSecClass
            case .service: kSecAttrService
            case .account: kSecAttrAccount
            case .accessGroup: kSecAttrAccessGroup
            case .accessible: kSecAttrAccessible
            case .dataProtection: kSecUseDataProtectionKeychain
            case .returnsData: kSecReturnData
            case .limit: kSecMatchLimit
            case .data: kSecValueData
            }
        }
    }

    extension KeychainAttributes.Value {
        fileprivate var constant: Any {
            switch self {
            case .text(let text): text
            case .flag(let flag): flag
            case .data(let data): data
            case .genericPassword: kSecClassGenericPassword
            case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            case .one: kSecMatchLimitOne
            }
        }
    }
#endif
