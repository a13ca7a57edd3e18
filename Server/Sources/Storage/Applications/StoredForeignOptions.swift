import Domain

/// The options of a foreign protocol as stored. What an older program did not write has its default.
struct StoredForeignOptions: Codable {
    private var allowsAnonymous: Bool?
    private var isReadableByAll: Bool?
    private var takesPasswordsInAddresses: Bool?
    private var timestampWindowSeconds: Int64?
    private var hosts: [String]?
    private var needsVerifiedEmail: Bool?
    private var verifiesEmails: Bool?
    private var upstream: [String]?
    private var hasPasswordPolicy: Bool?
    private var ignoresCase: Bool?
    private var administratorNetworks: [String]?
    private var retiresWeakPasswords: Bool?
    private var allowsSignUpByMail: Bool?
    private var demandsVerifiedEmail: Bool?
    private var demandsVerifiedPhone: Bool?
    private var hasDashedIds: Bool?
    private var refreshedTokenSeconds: Int64?
    private var logInMovesUpdateTime: Bool?

    init(_ options: ForeignOptions) {
        allowsAnonymous = options.allowsAnonymous
        isReadableByAll = options.isReadableByAll
        takesPasswordsInAddresses = options.takesPasswordsInAddresses
        timestampWindowSeconds = options.timestampWindow?.components.seconds
        hosts = options.hosts
        needsVerifiedEmail = options.needsVerifiedEmail
        verifiesEmails = options.verifiesEmails
        upstream = options.upstream
        hasPasswordPolicy = options.hasPasswordPolicy
        ignoresCase = options.ignoresCase
        administratorNetworks = options.administratorNetworks
        retiresWeakPasswords = options.retiresWeakPasswords
        allowsSignUpByMail = options.allowsSignUpByMail
        demandsVerifiedEmail = options.demandsVerifiedEmail
        demandsVerifiedPhone = options.demandsVerifiedPhone
        logInMovesUpdateTime = options.logInMovesUpdateTime
        hasDashedIds = options.hasDashedIds
        refreshedTokenSeconds = options.refreshedTokenLifetime?.components.seconds
    }

    var options: ForeignOptions {
        let standard = ForeignOptions()
        var options = ForeignOptions(
            allowsAnonymous: allowsAnonymous ?? standard.allowsAnonymous,
            isReadableByAll: isReadableByAll ?? standard.isReadableByAll,
            takesPasswordsInAddresses: takesPasswordsInAddresses ?? standard.takesPasswordsInAddresses,
            timestampWindow: timestampWindowSeconds.map { .seconds($0) }, hosts: hosts ?? standard.hosts,
            retiresWeakPasswords: retiresWeakPasswords ?? standard.retiresWeakPasswords,
            demandsVerifiedEmail: demandsVerifiedEmail ?? standard.demandsVerifiedEmail,
            refreshedTokenLifetime: refreshedTokenSeconds.map { .seconds($0) })
        options.allowsSignUpByMail = allowsSignUpByMail ?? standard.allowsSignUpByMail
        options.logInMovesUpdateTime = logInMovesUpdateTime ?? standard.logInMovesUpdateTime
        options.demandsVerifiedPhone = demandsVerifiedPhone ?? standard.demandsVerifiedPhone
        options.hasDashedIds = hasDashedIds ?? standard.hasDashedIds
        options.needsVerifiedEmail = needsVerifiedEmail ?? standard.needsVerifiedEmail
        options.verifiesEmails = verifiesEmails ?? standard.verifiesEmails
        options.upstream = upstream ?? standard.upstream
        options.hasPasswordPolicy = hasPasswordPolicy ?? standard.hasPasswordPolicy
        options.ignoresCase = ignoresCase ?? standard.ignoresCase
        options.administratorNetworks = administratorNetworks ?? standard.administratorNetworks
        return options
    }
}
