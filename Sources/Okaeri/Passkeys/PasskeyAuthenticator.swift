public import Foundation

/// What makes and shows passkeys. On Apple's systems `PasskeySheet` is one; tests and other systems bring their own.
public protocol PasskeyAuthenticator: Sendable {
    /// Makes a passkey.
    ///
    /// - Throws: `OkaeriError.cancelled` when the person closed the sheet, `.passkeyRefused` with the reason.
    func create(_ request: PasskeyCreation) async throws(OkaeriError) -> CreatedPasskey
    /// Shows a passkey. It ends when the caller's task is cancelled.
    ///
    /// - Throws: `OkaeriError.cancelled` when the person closed the sheet, `.passkeyRefused` with the reason.
    func assert(_ request: PasskeyRequest) async throws(OkaeriError) -> PasskeyAssertion
    /// The server knows a passkey no more: the system should offer it no longer.
    ///
    /// - Parameters:
    ///   - credential: The credential's id.
    ///   - domain: The domain that it belongs to.
    func forget(_ credential: Data, of domain: String) async
}

/// How somebody is asked for a passkey.
public enum PasskeyPresentation: Hashable, Sendable {
    /// By a sheet, which also offers passkeys of another device.
    case sheet
    /// By a sheet, if this device has a passkey; nothing is shown when it has none.
    case ifAvailable
    /// Above the keyboard, beside saved passwords, when the person touches the field of the user name.
    case autoFill
}

/// Whether a PIN, a finger or a face is needed beside a touch.
public enum PasskeyUserVerification: String, Hashable, Sendable {
    /// It is needed.
    case required
    /// Where the device can.
    case preferred
    /// It is not wanted.
    case discouraged
}

/// What a passkey is to be made by, read from the server's options.
public struct PasskeyCreation: Hashable, Sendable {
    /// The domain that passkeys belong to.
    public let domain: String
    /// The application's name.
    public let applicationName: String
    /// What the authenticator keeps of the user, at most 64 bytes.
    public let userHandle: Data
    /// What the authenticator shows of the user.
    public let userName: String
    /// The user's own name.
    public let displayName: String
    /// What the passkey signs. It is good once.
    public let challenge: Data
    /// Algorithms of COSE, the best first.
    public let algorithms: [Int64]
    /// Credentials that the user has already.
    public let excluded: [Data]
    /// Whether more than a touch is needed.
    public let userVerification: PasskeyUserVerification
}

/// What a passkey is asked for by, read from the server's options. No credentials are named: the authenticator knows its own.
public struct PasskeyRequest: Hashable, Sendable {
    /// The domain that passkeys belong to.
    public let domain: String
    /// What the passkey signs. It is good once.
    public let challenge: Data
    /// Whether more than a touch is needed.
    public let userVerification: PasskeyUserVerification
    /// How somebody is asked.
    public let presentation: PasskeyPresentation
    /// How long the challenge is good.
    let lifetime: Duration
}

/// What an authenticator made.
public struct CreatedPasskey: Hashable, Sendable {
    /// The credential's id.
    public let id: Data
    /// What was signed, as JSON.
    public let clientDataJSON: Data
    /// The new key, as CBOR.
    public let attestationObject: Data
    /// By which ways the authenticator is reached: `internal`, `hybrid` and others.
    public let transports: [String]

    /// Takes what an authenticator made.
    public init(id: Data, clientDataJSON: Data, attestationObject: Data, transports: [String]) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
    }
}

/// What an authenticator showed.
public struct PasskeyAssertion: Hashable, Sendable {
    /// The credential's id.
    public let id: Data
    /// What was signed, as JSON.
    public let clientDataJSON: Data
    /// What the authenticator says of itself.
    public let authenticatorData: Data
    /// The signature of both.
    public let signature: Data
    /// What the authenticator keeps of the user.
    public let userHandle: Data

    /// Takes what an authenticator showed.
    public init(id: Data, clientDataJSON: Data, authenticatorData: Data, signature: Data, userHandle: Data) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}

/// What shows once that a passkey is there, within five minutes. Printed, it hides itself.
public struct PasskeyProof: Sendable {
    let assertion: PasskeyAssertion
    let domain: String
    let authenticator: any PasskeyAuthenticator
}

extension PasskeyProof: Hashable {
    /// Whether it is the same signature of the same passkey.
    public static func == (left: PasskeyProof, right: PasskeyProof) -> Bool {
        left.assertion == right.assertion && left.domain == right.domain
    }

    /// Hashes the signature and what it signs.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(assertion)
        hasher.combine(domain)
    }
}

extension PasskeyProof: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The domain alone.
    public var description: String { "passkey of \(domain)" }
    /// The domain alone.
    public var debugDescription: String { description }
    /// The domain alone.
    public var customMirror: Mirror { Mirror(self, children: ["domain": domain]) }
}
