import Domain
import OkaeriWire

extension Session.LogInMethod {
    /// An administrator acts as the user.
    static let administrator = Session.LogInMethod(rawValue: "administrator")
}

/// A session as its owner sees it.
struct SessionObject {
    /// What stands for a token that is not known any more: only digests are kept. It is nobody's.
    static let hiddenToken = "r:hidden"

    let session: Session
    /// The token, when the request has shown it.
    let token: String?

    var members: [String: JSONValue] {
        let own: [String: JSONValue] = [
            "objectId": .string(session.id.rawValue), "sessionToken": .string(token ?? Self.hiddenToken),
            "user": ParseValue.pointer(to: session.user), "createdWith": createdWith,
            "installationId": .string(installation), "expiresAt": ParseValue.date(session.expiresAt),
            "createdAt": .string(session.createdAt.text),
            "updatedAt": .string((session.updatedAt ?? session.createdAt).text),
        ]
        return session.fields.merging(own) { _, own in own }
    }

    /// The Swift SDK reads no session without one, so that a session whose client named none is shown with one of its own.
    private var installation: String {
        if let named = session.device.installation { return named }
        return Hexadecimal.uuid(SecretDigest(of: "parse installation \(session.id)".utf8).bytes.prefix(16))
    }

    private var createdWith: JSONValue {
        switch session.method {
        case .signUp: ["action": "signup", "authProvider": "password"]
        case .creation: ["action": "create"]
        case .upgrade: ["action": "upgrade"]
        case .administrator: ["action": "login", "authProvider": "masterkey"]
        case let method:
            [
                "action": "login",
                "authProvider": .string(AuthDataObject.name(of: Identity.Provider(rawValue: method.rawValue))),
            ]
        }
    }
}
