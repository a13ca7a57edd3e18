import Domain

/// Orders the messages that verify addresses. Kii's apps cannot prove their owner's presence, so that the session is
/// enough, but of a user who has a second factor.
struct AddressMessages: Sendable {
    private let messaging: Messaging
    private let lookUpUser: LookUpUser

    init(_ modules: Modules) {
        messaging = modules.messaging
        lookUpUser = modules.directory.lookUpUser
    }

    /// Takes new addresses out that must be verified first: those that the application demands it of, and a number that another user
    /// has without having proved it, which yields to who does.
    func takePending(
        _ identifiers: inout NewIdentifiers, of user: User, _ request: KiiRequest
    ) async throws(DomainError) -> [AddressKind: String] {
        var pending = identifiers.takePendingAddresses(of: user, by: request.caller, in: request.enabled)
        guard request.caller.session != nil, !user.isAnonymous, let number = identifiers[.phone],
            messaging.verificationCodes.isAvailable(.phoneVerification),
            try await lookUpUser.isUnproved(LogInIdentifier(.phone, shown: number), ofAnotherThan: user)
        else { return pending }
        identifiers.phone = .unchanged
        pending[.phone] = number
        return pending
    }

    /// Which addresses of a user may wait to be verified: those of which the application demands it, and a number wherever text
    /// messages are sent.
    func waiting(of user: User, _ options: ForeignOptions) -> [AddressKind] {
        AddressKind.allCases.filter { kind in
            kind.isDemanded(options)
                || kind == .phone && !user.isAnonymous && messaging.verificationCodes.isAvailable(.phoneVerification)
        }
    }

    /// Refuses who may not take the addresses that wait to be verified.
    func require(_ pending: [AddressKind: String], of user: User, _ request: KiiRequest) throws(DomainError) {
        guard !pending.isEmpty else { return }
        try messaging.verificationCodes.requireProof(ofAddressBy: request.author(of: user))
    }

    /// Orders the messages that a change of addresses calls for.
    func send(
        _ pending: [AddressKind: String], after changed: User, from before: User, _ request: KiiRequest
    ) async throws {
        for kind in AddressKind.allCases {
            if let address = pending[kind] {
                try await order(kind, address, of: changed, by: request.caller.session, request)
            } else if kind == .email ? changed.email != before.email : changed.phone != before.phone {
                await sendVerification(kind, to: changed, by: request.caller.session, request)
            }
        }
    }

    /// Orders the message that verifies a user's new address, where the application demands that.
    func sendVerification(
        _ kind: AddressKind, to user: User, by session: Authenticated?, _ request: KiiRequest
    ) async {
        guard kind.isDemanded(request.options), !kind.isVerified(of: user),
            (kind == .email ? user.email : user.phone) != nil
        else { return }
        // The user is stored already; a message that cannot be ordered must not undo that in the client's eyes.
        try? await order(kind, nil, of: user, by: session, request)
    }

    /// Orders the message that verifies an address: another one, or the present one.
    func order(
        _ kind: AddressKind, _ address: String?, of user: User, by session: Authenticated?, _ request: KiiRequest
    ) async throws(DomainError) {
        try await messaging.verificationCodes.send(
            kind.mailKind, to: address, of: user, by: session?.session, in: request.application,
            languages: request.languages, from: request.client)
    }
}
