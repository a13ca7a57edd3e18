import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension HTTPField.Name {
    /// The application's id.
    static let application = HTTPField.Name(known: "Okaeri-Application")
    /// Names one attempt of a creating request.
    static let idempotencyKey = HTTPField.Name(known: "Idempotency-Key")
}

extension NativeAPI {
    /// The application that the request names.
    func application(of request: Request) async throws(DomainError) -> Domain.Application {
        try await gate.application(of: request, header: .application)
    }

    /// Who makes the request.
    func caller(of request: Request, _ context: ServerContext) async throws(DomainError) -> Authenticated {
        try await gate.session(of: request, context, applicationHeader: .application)
    }

    /// Who makes the request, when the session's owner is there: the session is fresh, or the user is anonymous and the
    /// request came with a proof. For all that must not happen behind the owner's back (requirement 18).
    ///
    /// - Throws: `reauthenticationRequired`, and what `caller(of:_:)` throws.
    func presentCaller(of request: Request, _ context: ServerContext) async throws(DomainError) -> Authenticated {
        let caller = try await caller(of: request, context)
        try useCases.requirePresence(caller, isProven: isProven(request, context))
        return caller
    }

    /// Whether a request of a caller came with a proof. It was checked when the caller was found out.
    func isProven(_ request: Request, _ context: ServerContext) -> Bool {
        gate.presentedProof(of: request, context) != nil
    }
}
