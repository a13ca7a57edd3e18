import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// Who makes a signed request: an app, and perhaps a member in it.
struct NCMBCaller: Sendable {
    let enabled: EnabledProtocol
    let options: ForeignOptions
    private let signature: SignedText.Signature

    var application: Domain.Application { enabled.application }

    fileprivate init(_ enabled: EnabledProtocol, _ signature: SignedText.Signature) {
        self.enabled = enabled
        options = enabled.options
        self.signature = signature
    }

    /// The signature of an answer: over the request's own text, and the body when there is one.
    func signature(over body: ByteBuffer) -> String {
        body.withUnsafeReadableBytes { signature.text(over: $0) }
    }

    /// What everybody may with members that have no access list.
    var standard: ACL.Rights { options.isReadableByAll ? [.read] : [] }

    /// Which members a member sees, or nobody in particular: disabled ones too, as the old service showed them.
    func reader(_ member: Identifier<User>?) -> UserSearch.Reader {
        .user(member, seesUnlisted: options.isReadableByAll, seesDisabled: true)
    }
}

/// What every controller reads of a request.
final class NCMBRequests: Sendable {
    private let gate: ProtocolAuthenticator
    private let readJSON: JSONReader
    private let verify: SignatureVerifier

    init(gate: ProtocolAuthenticator, readBody: BodyReader, verify: SignatureVerifier) {
        self.gate = gate
        readJSON = JSONReader(readBody)
        self.verify = verify
    }

    /// The app that makes a request, by its key and signature.
    ///
    /// - Throws: `E401001` for what is not signed rightly; `E401000` when a member's session comes with it: for
    ///   `E401001` the SDKs forget the member, an anonymous one for good, and the fault may be a proxy's or a clock's
    ///   (decision 0223).
    func caller(of request: Request, _ context: ServerContext) async throws -> NCMBCaller {
        let isMember = request.headers.value(of: .ncmbSessionToken)?.isEmpty == false
        guard let key = request.headers.value(of: .ncmbApplicationKey) else {
            throw isMember ? NCMBFault.unauthorized : NCMBFault.unauthenticated
        }
        let found = try await gate.enabled(.ncmb, publicKey: key, context)
        do throws(NCMBFault) {
            return NCMBCaller(found, try verify(request, context, for: found, key: key))
        } catch {
            throw isMember ? NCMBFault.unauthorized : error
        }
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

    /// The request's body; an empty one counts as an object without members.
    func body(of request: Request, _ context: ServerContext) async throws -> NCMBBody {
        NCMBBody(members: try await readJSON.members(of: request, context, mediaTypes: ["application/json"]) ?? [:])
    }

    /// What the SDK tells of the device.
    func device(of request: Request) -> DeviceDescription {
        DeviceDescription(
            model: DeviceDescription.cut(request.headers.value(of: .ncmbSDKVersion)),
            system: DeviceDescription.cut(request.headers.value(of: .ncmbSystemVersion)))
    }

    func client(of request: Request, _ context: ServerContext) -> ClientAddress {
        gate.client(of: request, context)
    }

    func origin(of request: Request, _ context: ServerContext) -> RequestOrigin {
        gate.origin(of: request, context)
    }
}
