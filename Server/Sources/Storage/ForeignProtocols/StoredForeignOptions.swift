import Domain

/// The options of a foreign protocol as stored. What an older program did not write has its default.
struct StoredForeignOptions: Codable {
    private var allowsAnonymous: Bool?
    private var isReadableByAll: Bool?
    private var takesPasswordsInAddresses: Bool?
    private var timestampWindowSeconds: Int64?
    private var hosts: [String]?
    private var retiresWeakPasswords: Bool?
    private var allowsSignUpByMail: Bool?
    private var demandsVerifiedEmail: Bool?
    private var refreshedTokenSeconds: Int64?

    init(_ options: ForeignOptions) {
        allowsAnonymous = options.allowsAnonymous
        isReadableByAll = options.isReadableByAll
        takesPasswordsInAddresses = options.takesPasswordsInAddresses
        timestampWindowSeconds = options.timestampWindow?.components.seconds
        hosts = options.hosts
        retiresWeakPasswords = options.retiresWeakPasswords
        allowsSignUpByMail = options.allowsSignUpByMail
        demandsVerifiedEmail = options.demandsVerifiedEmail
        refreshedTokenSeconds = options.refreshedTokenLifetime?.components.seconds
    }

    var options: ForeignOptions {
        let standard = ForeignOptions()
        return ForeignOptions(
            allowsAnonymous: allowsAnonymous ?? standard.allowsAnonymous,
            isReadableByAll: isReadableByAll ?? standard.isReadableByAll,
            takesPasswordsInAddresses: takesPasswordsInAddresses ?? standard.takesPasswordsInAddresses,
            timestampWindow: timestampWindowSeconds.map { .seconds($0) }, hosts: hosts ?? standard.hosts,
            retiresWeakPasswords: retiresWeakPasswords ?? standard.retiresWeakPasswords,
            allowsSignUpByMail: allowsSignUpByMail ?? standard.allowsSignUpByMail,
            demandsVerifiedEmail: demandsVerifiedEmail ?? standard.demandsVerifiedEmail,
            refreshedTokenLifetime: refreshedTokenSeconds.map { .seconds($0) })
    }
}
