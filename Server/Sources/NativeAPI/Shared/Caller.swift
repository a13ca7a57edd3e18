import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension HTTPField.Name {
    /// The application's id.
    static let application = HTTPField.Name(known: "Okaeri-Application")
    /// How much there is that this device has not been told.
    static let notices = HTTPField.Name(known: "Okaeri-Notices")
    /// Names one attempt of a creating request.
    static let idempotencyKey = HTTPField.Name(known: "Idempotency-Key")
}

extension NativeAPI {
    /// The application that the request names.
    func application(of request: Request) async throws(DomainError) -> Domain.Application {
        try await gate.application(of: request, header: .application)
    }

    /// Where the request came from, for the audit log.
    func origin(of request: Request, _ context: ServerContext) -> RequestOrigin {
        RequestOrigin(
            address: gate.client(of: request, context).text, userAgent: request.headers.value(of: .userAgent),
            requestId: context.requestId)
    }

    /// Who makes the request.
    func caller(of request: Request, _ context: ServerContext) async throws(DomainError) -> Authenticated {
        let caller = try await gate.session(of: request, context, applicationHeader: .application)
        if caller.noticeCount > 0 {
            context.answerHeaders.set(HTTPField(name: .notices, value: String(caller.noticeCount)))
        }
        return caller
    }
}
