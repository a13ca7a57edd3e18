/// A key by which an application is known in a foreign protocol. Apps in the stores carry them.
package enum ProtocolKey: String, CaseIterable, Hashable, Sendable {
    case applicationKey, clientKey, applicationId, restKey, javascriptKey, masterKey, appId, appKey, clientId
    case clientSecret, basePath

    /// How a key is kept.
    package enum Keeping: Hashable, Sendable {
        /// It names the application: requests are looked up by it.
        case open
        /// It ships inside the app. It is sealed, because some protocols compute with it, and can be shown again.
        case sealed
        /// It makes an administrator. Only a digest is kept, and it is told once (requirement 40).
        case digested
    }

    package var keeping: Keeping {
        switch self {
        case .applicationKey, .applicationId, .appId, .basePath: .open
        case .clientKey, .restKey, .javascriptKey, .appKey, .clientId: .sealed
        case .masterKey, .clientSecret: .digested
        }
    }
}

extension Session.ProtocolName {
    package static let ncmb = Session.ProtocolName(rawValue: "ncmb")
    package static let parse = Session.ProtocolName(rawValue: "parse")
    package static let kii = Session.ProtocolName(rawValue: "kii")
    package static let envelope = Session.ProtocolName(rawValue: "envelope")

    /// The protocols that an application can switch on.
    package static let foreign: [Session.ProtocolName] = [.ncmb, .parse, .kii, .envelope]

    /// The keys of the protocol, the one that names the application first; none for the native one.
    package var keys: [ProtocolKey] {
        switch self {
        case .ncmb: [.applicationKey, .clientKey]
        case .parse: [.applicationId, .restKey, .javascriptKey, .clientKey, .masterKey]
        case .kii: [.appId, .appKey, .clientId, .clientSecret]
        case .envelope: [.basePath]
        default: []
        }
    }

    /// Whether a key is made when others were brought along and this one was not. A Parse app that has one client key
    /// configured takes no other.
    func needs(_ key: ProtocolKey) -> Bool {
        switch key {
        case .restKey, .javascriptKey: false
        case .clientKey: self == .ncmb
        default: true
        }
    }
}
