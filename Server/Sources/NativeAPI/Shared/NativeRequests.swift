import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension HTTPField.Name {
    /// The application's id.
    static let application = HTTPField.Name(known: "Okaeri-Application")
    /// How much there is that this device has not acknowledged.
    static let notices = HTTPField.Name(known: "Okaeri-Notices")
    /// Whether a log-in brings a user back that asked to be deleted.
    static let restore = HTTPField.Name(known: "Okaeri-Restore")
    /// Names one attempt of a creating request.
    static let idempotencyKey = HTTPField.Name(known: "Idempotency-Key")
}

/// Reads what all requests of the native API have in common.
struct NativeRequests: Sendable {
    let gate: RequestAuthenticator
    let readJSON: JSONReader

    init(gate: RequestAuthenticator, readBody: BodyReader) {
        self.gate = gate
        readJSON = JSONReader(readBody)
    }

    /// The application that the request names.
    func application(of request: Request, _ context: ServerContext) async throws(DomainError) -> Domain.Application {
        try await gate.application(of: request, context, header: .application)
    }

    /// Where the request came from, for the audit log.
    func origin(of request: Request, _ context: ServerContext) -> RequestOrigin {
        RequestOrigin(
            address: gate.client(of: request, context).text, userAgent: request.headers.value(of: .userAgent),
            requestId: context.requestId)
    }

    /// The client that asks for a log-in.
    ///
    /// - Parameters:
    ///   - device: What the body says of the device.
    ///   - joinsDevice: Whether the key of the proof leads to the user from now on; absent means yes.
    ///   - request: The request, with its proof.
    ///   - context: Its context.
    /// - Returns: the client.
    func logInClient(
        _ device: DeviceBody?, _ joinsDevice: Bool?, _ request: Request, _ context: ServerContext
    ) -> LogInClient {
        LogInClient(
            .native, on: device.map { DeviceDescription($0) } ?? .init(),
            proof: gate.presentedProof(of: request, context), joinsDevice: joinsDevice ?? true,
            from: gate.client(of: request, context), origin: origin(of: request, context))
    }

    /// Where the request came from, when it wishes to bring a user back that asked to be deleted.
    func restoration(of request: Request, _ context: ServerContext) throws(RequestError) -> RequestOrigin? {
        switch request.headers.value(of: .restore) {
        case nil, "false"?: return nil
        case "true"?: return origin(of: request, context)
        default: throw .headerInvalid(name: HeaderName.restore, rule: "true or false")
        }
    }

    /// Who makes the request.
    func caller(of request: Request, _ context: ServerContext) async throws(DomainError) -> Authenticated {
        let caller = try await gate.session(of: request, context, applicationHeader: .application)
        context.tellNotices(caller.noticeCount)
        return caller
    }

    /// Who asks for a change of the own account.
    func author(_ caller: Authenticated, _ request: Request, _ context: ServerContext) -> AccountAuthor {
        .owner(caller, isProven: isProven(request, context), from: origin(of: request, context))
    }

    /// Whether a request of a caller came with a proof. It was checked when the caller was found out.
    func isProven(_ request: Request, _ context: ServerContext) -> Bool {
        gate.presentedProof(of: request, context) != nil
    }

    /// The request's body, which must be there.
    func requiredJSON<Body: Decodable & Sendable>(
        _ type: Body.Type, of request: Request, _ context: ServerContext
    ) async throws -> Body {
        guard let body = try await readJSON(type, of: request, context) else {
            throw RequestError.bodyMalformed(reason: "A JSON object is expected.")
        }
        return body
    }
}

extension ServerContext {
    /// Adds to the response how much there is that the device has not shown its user.
    func tellNotices(_ count: Int) {
        guard count > 0 else { return }
        responseHeaders.set(HTTPField(name: .notices, value: String(count)))
    }
}
