import Foundation

/// What a call of the Keychain says, without the Keychain: which item, and how it is kept. `KeychainItems` translates it
/// for Apple's systems, and does nothing else.
struct KeychainAttributes: Hashable, Sendable {
    /// An attribute that a call names, after Apple's constant.
    enum Name: Hashable, Sendable, CaseIterable {
        /// `kSecClass`.
        case itemClass
        /// `kSecAttrService`.
        case service
        /// `kSecAttrAccount`.
        case account
        /// `kSecAttrAccessGroup`.
        case accessGroup
        /// `kSecAttrAccessible`.
        case accessible
        /// `kSecUseDataProtectionKeychain`.
        case dataProtection
        /// `kSecReturnData`.
        case returnsData
        /// `kSecMatchLimit`.
        case limit
        /// `kSecValueData`.
        case data
    }

    /// A value of an attribute.
    enum Value: Hashable, Sendable {
        case text(String)
        case flag(Bool)
        case data(Data)
        /// `kSecClassGenericPassword`.
        case genericPassword
        /// `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`: readable in the background, and in no backup and no iCloud.
        case afterFirstUnlockThisDeviceOnly
        /// `kSecMatchLimitOne`.
        case one
    }

    var values: [Name: Value]

    /// An item of the data protection Keychain: on macOS too, where there is another one.
    ///
    /// - Parameters:
    ///   - service: The service that it belongs to; `nil` finds items of any service.
    ///   - name: The account.
    ///   - accessGroup: The group of apps that share it; `nil` for the app's own.
    /// - Returns: What every call about the item says.
    static func item(service: String?, name: String, accessGroup: String?) -> KeychainAttributes {
        var values: [Name: Value] = [
            .itemClass: .genericPassword, .account: .text(name), .dataProtection: .flag(true),
        ]
        values[.service] = service.map(Value.text)
        values[.accessGroup] = accessGroup.map(Value.text)
        return KeychainAttributes(values: values)
    }

    /// What is kept, and how: readable after the first unlock, on this device only.
    static func contents(_ data: Data) -> KeychainAttributes {
        KeychainAttributes(values: [.data: .data(data), .accessible: .afterFirstUnlockThisDeviceOnly])
    }

    /// A question for one item's data.
    var reading: KeychainAttributes { merging(KeychainAttributes(values: [.returnsData: .flag(true), .limit: .one])) }

    func merging(_ other: KeychainAttributes) -> KeychainAttributes {
        KeychainAttributes(values: values.merging(other.values) { $1 })
    }
}

/// What a status of the Keychain means that is no success.
struct KeychainFailure: Hashable, Sendable {
    let status: Int32

    /// The status in words, with what to do where the app can do something.
    var reason: String {
        // errSecMissingEntitlement.
        guard status == -34_018 else { return "Keychain status \(status)" }
        return """
            Keychain status -34018 (errSecMissingEntitlement): this process may not use the Keychain, or not this access group. Is \
            it signed, with the group, its team's id in front, among its `keychain-access-groups`?
            """
    }

    /// The error for a vault whose item could not be read. Everything may pass, above all `errSecInteractionNotAllowed` before the
    /// first unlock; but for an entitlement nobody has to wait, and the developer must hear of it.
    var readingError: VaultError { status == -34_018 ? .unwritable(reason) : .unreadableNow(reason) }
}
