import Domain
import HTTPSupport
import Hummingbird

extension NewIdentifiers {
    /// An address that is to be set; `nil` for no change.
    subscript(kind: AddressKind) -> String? {
        if case .set(let address) = kind == .email ? email : phone { address } else { nil }
    }

    /// Takes new addresses out that must be verified before they take the place of one that is: that one stays until
    /// then. An administrator's word counts at once.
    mutating func takePendingAddresses(
        of user: User, by caller: KiiCaller, in enabled: EnabledProtocol
    ) -> [AddressKind: String] {
        guard caller.session != nil else { return [:] }
        var pending: [AddressKind: String] = [:]
        for kind in AddressKind.allCases where kind.isDemanded(enabled.options) && kind.isVerified(of: user) {
            guard let address = self[kind], address != (kind == .email ? user.email : user.phone) else { continue }
            switch kind {
            case .email: email = .unchanged
            case .phone: phone = .unchanged
            }
            pending[kind] = address
        }
        return pending
    }
}

extension KiiAPI {
    /// Orders the messages that a change of addresses calls for. Kii's apps cannot prove their owner's presence, so
    /// that the session is enough.
    func verify(
        _ pending: [AddressKind: String], after changed: User, from before: User, by caller: KiiCaller,
        _ enabled: EnabledProtocol, _ request: Request, _ context: ServerContext
    ) async throws {
        for kind in AddressKind.allCases {
            if let address = pending[kind] {
                try await order(kind, address, of: changed, by: caller.session, enabled, request, context)
            } else if kind == .email ? changed.email != before.email : changed.phone != before.phone {
                await sendVerification(kind, to: changed, by: caller.session, enabled, request, context)
            }
        }
    }

    /// Orders the message that verifies a user's new address, where the application demands that.
    func sendVerification(
        _ kind: AddressKind, to user: User, by session: Authenticated?, _ enabled: EnabledProtocol, _ request: Request,
        _ context: ServerContext
    ) async {
        guard kind.isDemanded(enabled.options), !kind.isVerified(of: user),
            (kind == .email ? user.email : user.phone) != nil
        else { return }
        // The user is stored already; a message that cannot be ordered must not undo that in the client's eyes.
        try? await order(kind, nil, of: user, by: session, enabled, request, context)
    }

    /// Orders the message that verifies an address: another one, or the present one.
    func order(
        _ kind: AddressKind, _ address: String?, of user: User, by session: Authenticated?,
        _ enabled: EnabledProtocol, _ request: Request, _ context: ServerContext
    ) async throws(DomainError) {
        let (languages, client) = (AcceptLanguage.tags(of: request), gate.client(of: request, context))
        switch kind {
        case .email:
            try await modules.messaging.requestEmailVerification(
                address, of: user, by: session?.session, in: enabled.application, languages: languages, from: client)
        case .phone:
            try await modules.messaging.requestPhoneVerification(
                phone: address, of: user, by: session?.session, in: enabled.application, languages: languages,
                from: client)
        }
    }
}
