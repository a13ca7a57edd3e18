import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue

/// A request as Parse means it: with the method that the body says, without the members that are no data, and with who
/// makes it.
struct ParseCall: Sendable {
    let requests: ParseRequests
    let request: Request
    let context: ServerContext
    let prefix: String
    var method: HTTPRequest.Method
    /// Behind the prefix.
    var segments: [Substring]
    var body: [String: JSONValue]
    /// The items of the address; of a `GET` also the members of its body.
    var query: [String: JSONValue]
    var caller: ParseCaller
    /// As sent: who the app is.
    let credentials: ParseCredentials
    /// Whether that stands in the body.
    let isEnvelope: Bool
    /// The body as it was sent.
    let sent: [UInt8]
    /// Whether the body is not read: it goes to the app's own Parse Server as it comes.
    var hasUnreadBody = false
    /// What stands for `{objectId}` in the path.
    var objectId = ""
    /// Whether it is an item of a batch.
    var isInBatch = false

    var path: String { prefix + "/" + segments.joined(separator: "/") }

    var application: Domain.Application { caller.enabled.application }

    /// A value of the body or of the address.
    func value(_ name: String) -> JSONValue? { body[name] ?? query[name] }

    /// Whether a member of the body is a text of some length.
    func hasText(_ name: String) -> Bool {
        if case .string(let text)? = body[name] { !text.isEmpty } else { false }
    }

    /// The name of the client's attempt, which it keeps when it repeats a request.
    var requestId: String? { request.headers.value(of: .parseRequestId) }

    /// The attempt to sign somebody up, so that its repetition gets the user whom the first try made; `nil` without a name
    /// that can be one.
    func signUpAttempt() throws -> Attempt? {
        guard let requestId, (1...Self.maximumRequestIdBytes).contains(requestId.utf8.count) else { return nil }
        var asked = body
        asked["password"] = nil
        // No name of another protocol's attempts has a space.
        return try Attempt(name: "parse \(requestId)", body: JSONValue.object(asked))
    }

    /// SDKs send a UUID.
    private static let maximumRequestIdBytes = 255

    /// The user or session that the path names.
    ///
    /// - Throws: `userUnknown` for what cannot be an id.
    func id<Subject>() throws(DomainError) -> Identifier<Subject> {
        guard (1...128).contains(objectId.utf8.count), !objectId.utf8.contains(0) else { throw .userUnknown }
        return Identifier(rawValue: objectId)
    }
}

extension ParseCall {
    var client: ClientAddress { requests.gate.client(of: request, context) }

    /// Whether that address is one that a listed proxy wrote.
    var hasForwardedClient: Bool { requests.gate.hasForwardedClient(request, context) }

    /// Where the request came from, for the audit log.
    var origin: RequestOrigin { requests.gate.origin(of: request, context) }

    /// The address of an object, absolute.
    func location(_ path: String) -> HTTPFields { [.location: requests.base(request, context, prefix) + path] }
}

extension HTTPField.Name {
    static let parseApplicationId = HTTPField.Name(known: "X-Parse-Application-Id")
    static let parseRestKey = HTTPField.Name(known: "X-Parse-REST-API-Key")
    static let parseClientKey = HTTPField.Name(known: "X-Parse-Client-Key")
    static let parseJavascriptKey = HTTPField.Name(known: "X-Parse-Javascript-Key")
    static let parseWindowsKey = HTTPField.Name(known: "X-Parse-Windows-Key")
    static let parseMasterKey = HTTPField.Name(known: "X-Parse-Master-Key")
    static let parseSessionToken = HTTPField.Name(known: "X-Parse-Session-Token")
    static let parseInstallationId = HTTPField.Name(known: "X-Parse-Installation-Id")
    static let parseClientVersion = HTTPField.Name(known: "X-Parse-Client-Version")
    static let parseSystemVersion = HTTPField.Name(known: "X-Parse-OS-Version")
    static let parseAppVersion = HTTPField.Name(known: "X-Parse-App-Display-Version")
    static let parseCloudContext = HTTPField.Name(known: "X-Parse-Cloud-Context")
    static let parseRequestId = HTTPField.Name(known: "X-Parse-Request-Id")
    static let requestedWith = HTTPField.Name(known: "X-Requested-With")
}
