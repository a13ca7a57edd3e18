package import Domain
import OkaeriWire

/// A provider of an application, in the admin API and as commands print it.
package struct ProviderBody: Encodable {
    let provider: String
    let audiences: [String]
    let teamId: String?
    let keyId: String?
    let issuer: String?
    let redirectURIs: [String]
    /// Whether a private key or client secret is stored. It is never shown.
    let hasSecret: Bool
    let updatedAt: WireTime

    package init(_ entry: ListProviders.Entry) {
        provider = entry.settings.provider.rawValue
        audiences = entry.settings.audiences
        teamId = entry.settings.teamId
        keyId = entry.settings.keyId
        issuer = entry.settings.issuer
        redirectURIs = entry.settings.redirectURIs
        hasSecret = entry.hasSecret
        updatedAt = entry.updatedAt.wire
    }
}

/// A rule for a custom field, in the admin API and as commands print it.
package struct FieldRuleBody: Encodable {
    /// How many users break a rule that was made after them.
    struct Users: Encodable {
        let breaking: Int
        let looked: Int
        let isComplete: Bool
    }

    let name: String
    let type: String
    let read: String
    let write: String
    let required: Bool
    let `default`: JSONValue?
    let label: [String: String]
    /// Only where one rule is asked for or changed.
    let users: Users?

    package init(_ rule: FieldRule, _ count: CountRuleBreakers.Count? = nil) {
        name = rule.name
        type = rule.kind.rawValue
        read = rule.reader.rawValue
        write = rule.writer.rawValue
        required = rule.isRequired
        `default` = rule.standard
        label = rule.labels
        users = count.map { Users(breaking: $0.breaking, looked: $0.looked, isComplete: $0.isComplete) }
    }
}

/// What an application demands of first launches, in the admin API and as commands print it.
package struct AttestationRulesBody: Encodable {
    let mode: String
    let appleApps: [String]
    let playApps: [PlayApp]
    let takesDevelopment: Bool
    let attested: Budget
    let unattested: Budget
    let refused: Budget
    let proofOfWorkBits: Int

    struct Budget: Encodable {
        let perAddress: Int
        let perApplication: Int

        init(_ budget: AttestationRules.Budget) {
            perAddress = budget.perAddress
            perApplication = budget.perApplication
        }
    }

    /// An app of Google Play. The decryption key is never shown.
    struct PlayApp: Encodable {
        let package: String
        let certificates: [String]
        let level: String

        init(_ app: AttestationRules.PlayApp) {
            package = app.app.packageName
            certificates = app.app.certificates
            level = app.level.rawValue
        }
    }

    package init(_ rules: AttestationRules) {
        mode = rules.mode.rawValue
        appleApps = rules.appleApps
        playApps = rules.playApps.map(PlayApp.init(_:))
        takesDevelopment = rules.takesDevelopment
        attested = Budget(rules.attested)
        unattested = Budget(rules.unattested)
        refused = Budget(rules.refused)
        proofOfWorkBits = rules.proofOfWorkBits
    }
}

/// What an application has decided of second factors, in the admin API and as commands print it.
package struct SecondFactorRulesBody: Encodable {
    let mode: String
    let demandedFor: [String]
    let deviceKeysCount: Bool
    let transferCodesCount: Bool
    let exemptsOldProtocols: Bool

    package init(_ rules: SecondFactorRules) {
        mode = rules.mode.rawValue
        demandedFor = rules.demandedFor.map(\.rawValue).sorted()
        deviceKeysCount = rules.deviceKeysCount
        transferCodesCount = rules.transferCodesCount
        exemptsOldProtocols = rules.exemptsOldProtocols
    }
}
