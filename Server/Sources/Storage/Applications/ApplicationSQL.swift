package import Domain
import enum OkaeriWire.JSONValue

extension SQLTransaction {
    package func application(_ id: Identifier<Application>) throws(DomainError) -> Application? {
        try connection.first(ApplicationRow.self, "FROM applications WHERE id = $1", [.id(id)])
    }

    package func applications() throws(DomainError) -> [Application] {
        try connection.all(ApplicationRow.self, "FROM applications ORDER BY id")
    }

    package func insert(_ application: Application) throws(DomainError) {
        try connection.insert(application, as: ApplicationRow.self)
        note(.application(application.id))
    }

    package func update(_ application: Application) throws(DomainError) {
        let stored = try connection.row(
            "SELECT settings FROM applications WHERE id = $1", [.id(application.id)]
        ) { row throws(DomainError) in row.only.text }
        try connection.run(
            "UPDATE applications SET name = $1, settings = $2 WHERE id = $3",
            [
                .text(application.name), .text(try application.settings.storedText(replacing: stored)),
                .id(application.id),
            ])
        note(.application(application.id))
    }

    package func userCount(in application: Identifier<Application>) throws(DomainError) -> Int {
        try connection.row(
            "SELECT COUNT(*) FROM users WHERE application_id = $1", [.id(application)]
        ) { row throws(DomainError) in row.only.count } ?? 0
    }
}

package enum ApplicationRow: StoredRow {
    package static let table: StaticString = "applications"

    package enum Column: Int, RowColumn {
        case id, name, adminKeyDigest, settings, createdAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Application {
        Application(
            id: row.id(.id), name: row.text(.name), adminKeyDigest: try row.digest(.adminKeyDigest),
            settings: try JSONText.decode(StoredSettings.self, from: row.text(.settings)).settings,
            createdAt: row.time(.createdAt))
    }

    package static func stored(_ application: Application, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .id: .id(application.id)
        case .name: .text(application.name)
        case .adminKeyDigest: .digest(application.adminKeyDigest)
        case .settings: .text(try JSONText.encode(StoredSettings(application.settings)))
        case .createdAt: .time(application.createdAt)
        }
    }
}

extension ApplicationSettings {
    /// As they are stored, for files that outlive a version of the schema.
    package func storedText() throws(DomainError) -> String { try JSONText.encode(StoredSettings(self)) }

    /// - Parameter text: What `storedText` returned, here or in another version of the program.
    /// - Throws: `storageUnavailable` when it is nothing like that.
    package init(storedText text: String) throws(DomainError) {
        self = try JSONText.decode(StoredSettings.self, from: text).settings
    }
}

/// Settings as stored. What an older program did not write has its default.
private struct StoredSettings: Codable {
    var proofRequired: Bool?
    var sessionIdleSeconds: Int64?
    var sessionSeconds: Int64?
    var audiences: [String]?
    var passwordMinimumCharacters: Int?
    var passwordOnlyMinimumCharacters: Int?
    var mail: StoredMailSettings?
    var transferLink: String?
    var deletionGraceSeconds: Int64?
    var anonymousIdleSeconds: Int64?
    var mergeRules: [String: String]?
    var foreignSessions: [String: StoredSessionRules]?
    var theme: JSONValue?
    var redirectAddresses: [String]?
    var foreignOptions: [String: StoredForeignOptions]?
    var fieldRules: StoredFieldRules?
    var userListViews: [StoredUserListView]?
    var signUp: StoredSignUpRules?
    var passkeys: StoredPasskeyRules?
    var secondFactors: StoredSecondFactorRules?
    var attestation: StoredAttestationRules?
    var events: StoredEventSettings?
    var access: StoredAccessRules?
    var hooks: [StoredHook]?
    var oldServices: [StoredOldService]?

    init(_ settings: ApplicationSettings) {
        proofRequired = settings.proofRequired
        sessionIdleSeconds = settings.sessionIdleLifetime.components.seconds
        sessionSeconds = settings.sessionLifetime.components.seconds
        audiences = settings.audiences
        passwordMinimumCharacters = settings.passwordMinimumCharacters
        passwordOnlyMinimumCharacters = settings.passwordOnlyMinimumCharacters
        mail = StoredMailSettings(settings.mail)
        transferLink = settings.transferLink
        deletionGraceSeconds = settings.deletionGrace.components.seconds
        anonymousIdleSeconds = settings.anonymousIdleLimit?.components.seconds
        mergeRules = settings.mergeRules.mapValues(\.rawValue)
        foreignSessions = Dictionary(
            settings.foreignSessions.map { ($0.rawValue, StoredSessionRules($1)) }, uniquingKeysWith: { $1 })
        theme = settings.theme
        redirectAddresses = settings.redirectAddresses.isEmpty ? nil : settings.redirectAddresses
        foreignOptions = Dictionary(
            settings.foreignOptions.map { ($0.rawValue, StoredForeignOptions($1)) }, uniquingKeysWith: { $1 })
        fieldRules = StoredFieldRules(settings.fieldRules)
        userListViews = settings.userListViews.isEmpty ? nil : settings.userListViews.map(StoredUserListView.init(_:))
        signUp = settings.signUp == SignUpRules() ? nil : StoredSignUpRules(settings.signUp)
        passkeys = settings.passkeys == PasskeyRules() ? nil : StoredPasskeyRules(settings.passkeys)
        secondFactors =
            settings.secondFactors == SecondFactorRules() ? nil : StoredSecondFactorRules(settings.secondFactors)
        attestation = settings.attestation == AttestationRules() ? nil : StoredAttestationRules(settings.attestation)
        events = settings.events == EventSettings() ? nil : StoredEventSettings(settings.events)
        access = settings.access == AccessRules() ? nil : StoredAccessRules(settings.access)
        hooks =
            settings.hooks.isEmpty
            ? nil : HookPoint.allCases.compactMap { settings.hooks[$0].map(StoredHook.init(_:)) }
        oldServices =
            settings.oldServices.isEmpty
            ? nil : OldService.Name.allCases.compactMap { settings.oldServices[$0].map(StoredOldService.init(_:)) }
    }

    var settings: ApplicationSettings {
        let standard = ApplicationSettings()
        var settings = ApplicationSettings(
            proofRequired: proofRequired ?? standard.proofRequired,
            sessionIdleLifetime: sessionIdleSeconds.map { .seconds($0) } ?? standard.sessionIdleLifetime,
            sessionLifetime: sessionSeconds.map { .seconds($0) } ?? standard.sessionLifetime,
            audiences: audiences ?? standard.audiences, mail: mail?.settings ?? standard.mail, theme: theme,
            redirectAddresses: redirectAddresses ?? [], fieldRules: fieldRules?.rules ?? standard.fieldRules)
        if let passwordMinimumCharacters { settings.passwordMinimumCharacters = passwordMinimumCharacters }
        if let passwordOnlyMinimumCharacters { settings.passwordOnlyMinimumCharacters = passwordOnlyMinimumCharacters }
        settings.transferLink = transferLink
        if let deletionGraceSeconds { settings.deletionGrace = .seconds(deletionGraceSeconds) }
        settings.anonymousIdleLimit = anonymousIdleSeconds.map { .seconds($0) }
        settings.mergeRules = (mergeRules ?? [:]).compactMapValues(MergeRule.init(rawValue:))
        settings.foreignSessions = Dictionary(
            (foreignSessions ?? [:]).map { (.init(rawValue: $0), $1.rules) }, uniquingKeysWith: { $1 })
        settings.foreignOptions = Dictionary(
            (foreignOptions ?? [:]).map { (.init(rawValue: $0), $1.options) }, uniquingKeysWith: { $1 })
        settings.userListViews = (userListViews ?? []).map(\.view)
        settings.signUp = signUp?.rules ?? standard.signUp
        settings.passkeys = passkeys?.rules ?? standard.passkeys
        settings.secondFactors = secondFactors?.rules ?? standard.secondFactors
        settings.attestation = attestation?.rules ?? standard.attestation
        settings.events = events?.settings ?? standard.events
        settings.access = access?.rules ?? standard.access
        for hook in (hooks ?? []).compactMap(\.hook) { settings.set(hook) }
        for service in (oldServices ?? []).compactMap(\.service) { settings.set(service) }
        return settings
    }
}

private struct StoredEventSettings: Codable {
    private var isStreamed: Bool?
    private var hasEndpoints: Bool?
    private var retentionSeconds: Int64?

    init(_ settings: EventSettings) {
        isStreamed = settings.isStreamed
        hasEndpoints = settings.hasEndpoints
        retentionSeconds = settings.retention.components.seconds
    }

    var settings: EventSettings {
        var settings = EventSettings()
        settings.isStreamed = isStreamed ?? settings.isStreamed
        settings.hasEndpoints = hasEndpoints ?? settings.hasEndpoints
        if let retentionSeconds { settings.retention = .seconds(retentionSeconds) }
        return settings
    }
}

private struct StoredSignUpRules: Codable {
    private var usernameMinimumCharacters: Int?
    private var isEmailRequired: Bool?
    private var asksPhone: Bool?
    private var asksDisplayName: Bool?
    private var holdsOldProtocols: Bool?

    init(_ rules: SignUpRules) {
        usernameMinimumCharacters = rules.usernameMinimumCharacters
        isEmailRequired = rules.isEmailRequired
        asksPhone = rules.asksPhone
        asksDisplayName = rules.asksDisplayName
        holdsOldProtocols = rules.holdsOldProtocols
    }

    var rules: SignUpRules {
        var rules = SignUpRules()
        rules.usernameMinimumCharacters = usernameMinimumCharacters ?? rules.usernameMinimumCharacters
        rules.isEmailRequired = isEmailRequired ?? rules.isEmailRequired
        rules.asksPhone = asksPhone ?? rules.asksPhone
        rules.asksDisplayName = asksDisplayName ?? rules.asksDisplayName
        rules.holdsOldProtocols = holdsOldProtocols ?? rules.holdsOldProtocols
        return rules
    }
}

private struct StoredPasskeyRules: Codable {
    private var isEnabled: Bool?
    private var domain: String?
    private var origins: [String]?
    private var requiresUserVerification: Bool?
    private var allowedAuthenticators: [String]?
    private var refusedAuthenticators: [String]?
    private var appleApps: [String]?
    private var androidApps: [StoredAndroidApp]?
    private var attestationRoots: [StoredAttestationRoots]?

    private struct StoredAttestationRoots: Codable {
        let certificates: String
        let authenticators: [String]
    }

    private struct StoredAndroidApp: Codable {
        let packageName: String
        let certificates: [String]
    }

    init(_ rules: PasskeyRules) {
        isEnabled = rules.isEnabled
        domain = rules.domain
        origins = rules.origins
        requiresUserVerification = rules.requiresUserVerification
        allowedAuthenticators = rules.allowedAuthenticators
        refusedAuthenticators = rules.refusedAuthenticators
        appleApps = rules.appleApps
        androidApps = rules.androidApps.map {
            StoredAndroidApp(packageName: $0.packageName, certificates: $0.certificates)
        }
        attestationRoots = rules.attestationRoots.map {
            StoredAttestationRoots(certificates: $0.certificates, authenticators: $0.authenticators)
        }
    }

    var rules: PasskeyRules {
        var rules = PasskeyRules()
        rules.isEnabled = isEnabled ?? rules.isEnabled
        rules.domain = domain
        rules.origins = origins ?? rules.origins
        rules.requiresUserVerification = requiresUserVerification ?? rules.requiresUserVerification
        rules.allowedAuthenticators = allowedAuthenticators ?? rules.allowedAuthenticators
        rules.refusedAuthenticators = refusedAuthenticators ?? rules.refusedAuthenticators
        rules.appleApps = appleApps ?? rules.appleApps
        rules.androidApps =
            androidApps?.map { .init(packageName: $0.packageName, certificates: $0.certificates) } ?? rules.androidApps
        rules.attestationRoots = (attestationRoots ?? []).map {
            .init(certificates: $0.certificates, authenticators: $0.authenticators)
        }
        return rules
    }
}

private struct StoredSecondFactorRules: Codable {
    private var mode: String?
    private var demandedFor: [String]?
    private var deviceKeysCount: Bool?
    private var transferCodesCount: Bool?
    private var exemptsOldProtocols: Bool?

    init(_ rules: SecondFactorRules) {
        mode = rules.mode.rawValue
        demandedFor = rules.demandedFor.map(\.rawValue).sorted()
        deviceKeysCount = rules.deviceKeysCount
        transferCodesCount = rules.transferCodesCount
        exemptsOldProtocols = rules.exemptsOldProtocols
    }

    var rules: SecondFactorRules {
        var rules = SecondFactorRules()
        // What a newer server wrote and this one does not know asks for more, not for less.
        if let mode { rules.mode = SecondFactorRules.Mode(rawValue: mode) ?? .required }
        rules.demandedFor = Set((demandedFor ?? []).compactMap(AccountChange.init(rawValue:)))
        rules.deviceKeysCount = deviceKeysCount ?? rules.deviceKeysCount
        rules.transferCodesCount = transferCodesCount ?? rules.transferCodesCount
        rules.exemptsOldProtocols = exemptsOldProtocols ?? rules.exemptsOldProtocols
        return rules
    }
}

private struct StoredSessionRules: Codable {
    var idleSeconds: Int64
    var seconds: Int64
    var maximumPerUser: Int?

    init(_ rules: SessionRules) {
        idleSeconds = rules.idleLifetime.components.seconds
        seconds = rules.lifetime.components.seconds
        maximumPerUser = rules.maximumPerUser
    }

    var rules: SessionRules {
        SessionRules(
            idleLifetime: .seconds(idleSeconds), lifetime: .seconds(seconds),
            maximumPerUser: maximumPerUser.map { max($0, 1) })
    }
}
