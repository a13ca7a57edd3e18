import Crypto
import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// Who makes a signed request: an app, and perhaps a member in it.
struct NCMBCaller: Sendable {
    let application: Domain.Application
    let options: ForeignOptions
    private let text: SignedText
    private let key: SymmetricKey

    fileprivate init(_ application: Domain.Application, _ text: SignedText, _ key: SymmetricKey) {
        self.application = application
        options = application.settings.foreignOptions(of: .ncmb)
        self.text = text
        self.key = key
    }

    /// The signature of an answer: over the request's own text, and the body when there is one.
    func signature(over body: ByteBuffer) -> String {
        body.withUnsafeReadableBytes { text.signature(key: key, body: $0) }
    }

    /// What everybody may with members that have no access list.
    var standard: AccessList.Rights { options.isReadableByAll ? [.read] : [] }
}

extension NCMBAPI {
    /// The app that makes a request, by its key and signature.
    func caller(of request: Request, _ context: ServerContext) async throws -> NCMBCaller {
        guard let key = request.headers.value(of: .ncmbApplicationKey) else { throw NCMBFault.unauthenticated }
        let found: EnabledProtocol
        if let known = useCases.findProtocol.atOnce(.ncmb, publicKey: key) {
            found = known
        } else {
            found = try await useCases.findProtocol(.ncmb, publicKey: key)
        }
        let (text, secret) = try verify(request, context, for: found, key: key)
        return NCMBCaller(found.application, text, secret)
    }

    /// The member whose session the request names; `nil` when it names none.
    ///
    /// - Throws: `sessionInvalid` for a token that is dead.
    func member(
        of request: Request, _ context: ServerContext, in application: Domain.Application
    ) async throws(DomainError) -> Authenticated? {
        guard let token = request.headers.value(of: .ncmbSessionToken), !token.isEmpty else { return nil }
        let asked = Authenticate.Request(
            application: application, token: token[...], proof: nil, protocolName: .ncmb)
        let client = { proxies.client(of: request, context) }
        if let found = try useCases.authenticate.atOnce(asked, from: client) { return found }
        return try await useCases.authenticate(asked, from: client)
    }

    /// The member of a log-in or sign-up, where a dead token counts as none: Swift apps would never get rid of it.
    func memberIfAny(
        of request: Request, _ context: ServerContext, in application: Domain.Application
    ) async throws(DomainError) -> Authenticated? {
        do {
            return try await member(of: request, context, in: application)
        } catch .sessionInvalid, .userDisabled {
            return nil
        }
    }

    /// What the SDK tells of the device.
    func device(of request: Request) -> DeviceDescription {
        func text(_ name: HTTPField.Name) -> String? {
            request.headers.value(of: name).map { value in String(value.filter { !$0.isNewline }.prefix(200)) }
        }
        return DeviceDescription(model: text(.ncmbSDKVersion), system: text(.ncmbSystemVersion))
    }

    func client(of request: Request, _ context: ServerContext) -> ClientAddress {
        proxies.client(of: request, context)
    }
}
