import Domain

/// The options of a foreign protocol as stored. What an older program did not write has its default.
struct StoredForeignOptions: Codable {
    private var allowsAnonymous: Bool?
    private var isReadableByAll: Bool?
    private var takesPasswordsInAddresses: Bool?
    private var timestampWindowSeconds: Int64?
    private var hosts: [String]?

    init(_ options: ForeignOptions) {
        allowsAnonymous = options.allowsAnonymous
        isReadableByAll = options.isReadableByAll
        takesPasswordsInAddresses = options.takesPasswordsInAddresses
        timestampWindowSeconds = options.timestampWindow?.components.seconds
        hosts = options.hosts
    }

    var options: ForeignOptions {
        let standard = ForeignOptions()
        return ForeignOptions(
            allowsAnonymous: allowsAnonymous ?? standard.allowsAnonymous,
            isReadableByAll: isReadableByAll ?? standard.isReadableByAll,
            takesPasswordsInAddresses: takesPasswordsInAddresses ?? standard.takesPasswordsInAddresses,
            timestampWindow: timestampWindowSeconds.map { .seconds($0) }, hosts: hosts ?? standard.hosts)
    }
}
