package import Domain

/// The services whose tokens an application takes, in the admin API and as commands print them.
package struct OldServicesBody: Encodable {
    let services: [OldServiceBody]

    package init(_ services: [OldService]) {
        self.services = services.map(OldServiceBody.init(_:))
    }
}

/// A service that users have left. Its secret is never shown.
package struct OldServiceBody: Encodable {
    let service: String
    let issuer: String?
    let audiences: [String]
    let hasSecret: Bool

    package init(_ service: OldService) {
        self.service = service.name.rawValue
        issuer = service.issuer
        audiences = service.audiences
        hasSecret = service.sealedSecret != nil
    }
}
