import Crypto
import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// Who makes a signed request: an app, and perhaps a member in it.
struct NCMBCaller: Sendable {
    let enabled: EnabledProtocol
    let options: ForeignOptions
    private let text: SignedText
    private let key: SymmetricKey

    var application: Domain.Application { enabled.application }

    fileprivate init(_ enabled: EnabledProtocol, _ text: SignedText, _ key: SymmetricKey) {
        self.enabled = enabled
        options = enabled.options
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
        let found = try await gate.enabled(.ncmb, publicKey: key)
        let (text, secret) = try verify(request, context, for: found, key: key)
        return NCMBCaller(found, text, secret)
    }

    /// The member whose session the request names; `nil` when it names none.
    ///
    /// - Throws: `sessionInvalid` for a token that is dead.
    func member(
        of request: Request, _ context: ServerContext, for caller: NCMBCaller
    ) async throws(DomainError) -> Authenticated? {
        guard let token = request.headers.value(of: .ncmbSessionToken), !token.isEmpty else { return nil }
        return try await gate.session(of: caller.enabled, token: token[...], request, context)
    }

    /// What the SDK tells of the device.
    func device(of request: Request) -> DeviceDescription {
        func text(_ name: HTTPField.Name) -> String? {
            request.headers.value(of: name).map { value in String(value.filter { !$0.isNewline }.prefix(200)) }
        }
        return DeviceDescription(model: text(.ncmbSDKVersion), system: text(.ncmbSystemVersion))
    }

    func client(of request: Request, _ context: ServerContext) -> ClientAddress {
        gate.client(of: request, context)
    }
}
