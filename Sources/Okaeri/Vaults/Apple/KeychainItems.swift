#if canImport(Security)
    import Foundation
    import Security

    /// Generic passwords in the data protection Keychain, readable after first unlock, on this device only.
    struct KeychainItems: SecureItems {
        let service: String
        let accessGroup: String?

        func read(_ name: String) throws(VaultError) -> Data? {
            var query = query(name)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            switch status {
            case errSecSuccess:
                guard let data = result as? Data else { throw .unreadableNow("the Keychain gave no data") }
                return data
            case errSecItemNotFound: return nil
            // Everything else may pass: above all errSecInteractionNotAllowed, before the first unlock.
            default: throw .unreadableNow("Keychain status \(status)")
            }
        }

        func add(_ name: String, _ data: Data) throws(VaultError) -> Bool {
            let status = SecItemAdd(query(name).merging(contents(data)) { $1 } as CFDictionary, nil)
            switch status {
            case errSecSuccess: return true
            case errSecDuplicateItem: return false
            default: throw .unwritable("Keychain status \(status)")
            }
        }

        func replace(_ name: String, _ data: Data) throws(VaultError) {
            let status = SecItemUpdate(query(name) as CFDictionary, contents(data) as CFDictionary)
            if status == errSecSuccess { return }
            guard status == errSecItemNotFound else { throw .unwritable("Keychain status \(status)") }
            guard try !add(name, data) else { return }
            // Another process added it in between.
            let second = SecItemUpdate(query(name) as CFDictionary, contents(data) as CFDictionary)
            guard second == errSecSuccess else { throw .unwritable("Keychain status \(second)") }
        }

        func remove(_ name: String) throws(VaultError) {
            let status = SecItemDelete(query(name) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw .unwritable("Keychain status \(status)")
            }
        }

        private func query(_ name: String) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: name,
                kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
            return query
        }

        private func contents(_ data: Data) -> [String: Any] {
            [
                kSecValueData as String: data,
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
        }
    }
#endif
