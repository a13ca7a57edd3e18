import Domain
import HTTPSupport
import Hummingbird

extension NewIdentifiers {
    /// Takes a new mail address out, when it must be verified before it takes the place of one that is: that one stays
    /// until then. An administrator's word counts at once.
    mutating func takePendingAddress(
        of user: User, by caller: KiiCaller, in enabled: EnabledProtocol
    ) -> String? {
        guard enabled.options.demandsVerifiedEmail, user.emailVerifiedAt != nil, caller.session != nil,
            case .set(let address) = email, address != user.email
        else { return nil }
        email = .unchanged
        return address
    }
}

extension KiiAPI {
    /// Orders the mail that a change of the address calls for. Kii's apps cannot prove their owner's presence, so that the
    /// session is enough.
    func verify(
        _ pending: String?, after changed: User, from before: User, by caller: KiiCaller, _ enabled: EnabledProtocol,
        _ request: Request, _ context: ServerContext
    ) async throws {
        if let pending, let session = caller.session {
            _ = try await useCases.requestEmailVerification(
                email: pending, by: session, isProven: true, languages: AcceptLanguage.tags(of: request),
                from: gate.client(of: request, context))
        } else if changed.email != before.email {
            await sendVerification(to: changed, enabled, request, context)
        }
    }

    /// Orders the mail that verifies a user's new address, where the application demands that.
    func sendVerification(
        to user: User, _ enabled: EnabledProtocol, _ request: Request, _ context: ServerContext
    ) async {
        guard enabled.options.demandsVerifiedEmail, user.email != nil, user.emailVerifiedAt == nil else { return }
        // The user is stored already; a mail that cannot be ordered must not undo that in the client's eyes.
        try? await useCases.requestEmailVerification(
            ofPresentAddressOf: user, in: enabled.application, languages: AcceptLanguage.tags(of: request),
            from: gate.client(of: request, context))
    }
}
