/// Where sealed values are stored: every such column of the schema. A column of the schema that holds nothing but sealed
/// values has a name that begins with `sealed`; a test compares these with the table.
///
/// Signing keys come last: who can open them can open the rest, once everything was sealed again.
package enum SealedColumn: String, CaseIterable, Hashable, Sendable {
    case providerSecrets = "providers.sealed_secret"
    case providerGrants = "provider_accounts.sealed_grant"
    case providerRevocations = "provider_revocations.sealed_grant"
    case mailQueue = "mail_queue.sealed"
    case mailOutbox = "mail_outbox.sealed"
    case eventSecrets = "event_endpoints.sealed_secret"
    case formerEventSecrets = "event_endpoints.sealed_former"
    case userTOTP = "totp_factors.sealed_key"
    case adminTOTP = "admins.sealed_totp"
    case adminLinkTOTP = "admin_links.sealed_totp"
    /// JSON, in which one row has several sealed values: the keys of Play Integrity, the secrets of hooks, and
    /// those of old services. Which of them a value is, stands third in its row: see `SettingsSecret`.
    case applicationSettings = "applications.settings"
    /// JSON, in which one row has several sealed values.
    case protocolKeys = "protocol_keys.keys"
    case signingKeys = "signing_keys.sealed"

    /// Whether each value of the column is a sealed one, and nothing else.
    package var isPlain: Bool { self != .protocolKeys && self != .applicationSettings }

    /// Columns with few rows, which a server reads when it starts.
    static let small: [SealedColumn] = [
        .providerSecrets, .eventSecrets, .adminTOTP, .applicationSettings, .protocolKeys, .signingKeys,
    ]
}

/// What a sealed value in an application's settings is. The second text of its row names the one that it belongs to.
package enum SettingsSecret: String, CaseIterable, Hashable, Sendable {
    /// Of an app's package.
    case playKey = "play-key"
    /// Of a hook.
    case hookSecret = "hook-secret"
    /// Of a hook, and replaced since.
    case formerHookSecret = "former-hook-secret"
    /// Of a service that users have left.
    case oldServiceSecret = "old-service-secret"

    /// What a value is sealed for; `nil` where there is nothing of the name.
    func purpose(_ name: String, _ application: Identifier<Application>) -> String? {
        switch self {
        case .playKey: PlayKeys.purpose(name, application)
        case .hookSecret, .formerHookSecret: HookPoint(rawValue: name).map { Hook.purpose($0, application) }
        case .oldServiceSecret: OldService.Name(rawValue: name).map { OldService.purpose($0, application) }
        }
    }
}

/// A sealed value as stored.
package struct SealedValue: Hashable, Sendable {
    package var column: SealedColumn
    /// What finds the row, and what its purpose needs beside that: three texts, the last ones empty where fewer do.
    package var row: [String]
    package var sealed: [UInt8]

    package init(column: SealedColumn, row: [String], sealed: [UInt8]) {
        self.column = column
        self.row = row
        self.sealed = sealed
    }

    /// What the value is bound to, as its module has it; `nil` for a row without its three texts.
    var purpose: String? {
        guard row.count == 3 else { return nil }
        let application = Identifier<Application>(rawValue: row[0])
        return switch column {
        case .providerSecrets: StoredProvider.purpose(Identity.Provider(rawValue: row[1]), in: application)
        case .providerGrants: Self.grantPurpose(row[1], in: application)
        case .providerRevocations: Self.grantPurpose(row[2], in: application)
        case .mailQueue: MailSealing.purpose(Identifier(rawValue: row[1]), application)
        case .mailOutbox: Outbox.purpose(Identifier(rawValue: row[1]), application)
        case .eventSecrets, .formerEventSecrets: EventSecrets.purpose(Identifier(rawValue: row[1]), application)
        case .userTOTP: TOTPFactor.purpose(Identifier(rawValue: row[1]), application)
        case .adminTOTP, .adminLinkTOTP: AdminSecrets.totpPurpose
        case .applicationSettings: SettingsSecret(rawValue: row[2])?.purpose(row[1], application)
        case .protocolKeys:
            ProtocolKeyring.purpose(
                ProtocolKey(rawValue: row[2]), Session.ProtocolName(rawValue: row[1]), application)
        case .signingKeys: SigningKeys.purpose
        }
    }

    private static func grantPurpose(_ name: String, in application: Identifier<Application>) -> String {
        let provider = Identity.Provider(rawValue: name)
        return provider == .anonymous
            ? AnonymousId.purpose(in: application) : ProviderAccount.purpose(provider, in: application)
    }
}

/// What resealing needs of storage.
package protocol SealingQueries {
    /// Sealed values of a column behind a row, in the order of the rows.
    ///
    /// - Parameters:
    ///   - column: Which values.
    ///   - row: The row of the last value known; `nil` to begin.
    ///   - limit: How many rows to read.
    /// - Returns: the values, empty at the end.
    /// - Throws: `storageUnavailable`.
    func sealedValues(
        in column: SealedColumn, after row: [String]?, limit: Int
    ) throws(DomainError) -> [SealedValue]

    /// Puts another record where a value is.
    ///
    /// - Returns: whether the value was still there.
    /// - Throws: `storageUnavailable`.
    func reseal(_ value: SealedValue, as sealed: [UInt8]) throws(DomainError) -> Bool
}
