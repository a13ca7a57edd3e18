import Domain

/// A service that users have left as stored, in the settings of its application.
struct StoredOldService: Codable {
    private var name: String
    private var issuer: String?
    private var audiences: [String]?
    private var sealedSecret: String?

    init(_ service: OldService) {
        name = service.name.rawValue
        issuer = service.issuer
        audiences = service.audiences.isEmpty ? nil : service.audiences
        sealedSecret = service.sealedSecret.map { Base64URL.text(of: $0) }
    }

    /// `nil` for one that a newer server knows and this one does not.
    var service: OldService? {
        guard let name = OldService.Name(rawValue: name) else { return nil }
        return OldService(
            name, issuer: issuer, audiences: audiences ?? [],
            sealedSecret: sealedSecret.flatMap { Base64URL.bytes(of: $0.utf8) })
    }
}
