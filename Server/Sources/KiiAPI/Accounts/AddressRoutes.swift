import Domain
import HTTPSupport
import Hummingbird
import enum OkaeriWire.JSONValue

/// The two kinds of address that a user can have.
enum AddressKind: CaseIterable, Sendable {
    case email, phone

    var pathName: String { self == .email ? "email-address" : "phone-number" }
    var member: String { self == .email ? "emailAddress" : "phoneNumber" }
    var mediaType: String {
        KiiResponse.mediaType(self == .email ? "EmailAddressRetrievalResponse" : "PhoneNumberRetrievalResponse")
    }

    init?(_ kind: LogInIdentifier.Kind) {
        switch kind {
        case .email: self = .email
        case .phone: self = .phone
        case .username: return nil
        }
    }

    /// What verifies such an address.
    var mailKind: MailKind { self == .email ? .emailVerification : .phoneVerification }

    /// Whether such addresses count only once they were verified.
    func isDemanded(_ options: ForeignOptions) -> Bool {
        self == .email ? options.demandsVerifiedEmail : options.demandsVerifiedPhone
    }

    func isVerified(of user: User) -> Bool {
        (self == .email ? user.emailVerifiedAt : user.phoneVerifiedAt) != nil
    }

    /// Whether the user's address of this kind counts.
    func counts(of user: User, _ options: ForeignOptions) -> Bool { !isDemanded(options) || isVerified(of: user) }

    /// The user's address.
    ///
    /// - Throws: `KiiFault` 404 when there is none.
    func address(of user: User) throws(KiiFault) -> String {
        guard let address = self == .email ? user.email : user.phone else {
            throw KiiFault(404, "USER_ADDRESS_NOT_FOUND", "UserAddressNotFound", "The user has no such address")
        }
        return address
    }
}

/// `GET …/email-address`, `GET …/phone-number`
struct ReadAddressRoute: Sendable {
    let api: KiiAPI
    let kind: AddressKind

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let (enabled, user, _) = try await api.own(request, context)
        let address = try kind.address(of: user)
        return KiiResponse.response(
            [kind.member: .string(address), "verified": .bool(kind.counts(of: user, enabled.options))], .ok,
            kind.mediaType)
    }
}

/// `PUT …/email-address`, `PUT …/phone-number`: another address. It counts at once, unless it must be verified.
struct ChangeAddressRoute: Sendable {
    let api: KiiAPI
    let kind: AddressKind

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let (enabled, user, caller) = try await api.own(request, context)
        let body = try await api.body(of: request, context)
        var asked = try addressAlone(of: body, over: user)
        let pending = asked.identifiers.takePendingAddresses(of: user, by: caller, in: enabled)
        var edit = UserEdit(compatible: .unchanged, identifiers: asked.identifiers)
        edit.password = .first(nil)
        do {
            let changed = try await api.modules.accounts.editUser(
                edit, of: user.id, in: enabled.application, by: api.author(caller, of: user, request, context)
            ).user
            try await api.verify(pending, after: changed, from: user, by: caller, enabled, request, context)
        } catch {
            guard let refusal = error as? DomainError, case .identifiersTaken = refusal else { throw error }
            throw KiiFault.taken(refusal.identifierKinds, in: enabled.publicKey)
        }
        return KiiResponse.nothing
    }

    private func addressAlone(of body: KiiBody, over user: User) throws -> KiiProfile {
        var address: [String: JSONValue] = [kind.member: .string(try body.requiredText(kind.member))]
        address["country"] = body.members["country"]
        return try KiiProfile(KiiBody(members: address), over: user)
    }
}

/// `POST …/email-address/verify`, `POST …/phone-number/verify`
struct VerifyAddressRoute: Sendable {
    let api: KiiAPI
    let kind: AddressKind

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let caller = try await api.knownCaller(enabled, request, context)
        let user = try await api.changeable(
            try UserReference(context, in: enabled.publicKey), by: caller, in: enabled)
        _ = try kind.address(of: user)
        let code = try await api.body(of: request, context).requiredText("verificationCode")
        let pending = try await api.modules.accounts.findPendingAddress(of: user, by: kind.mailKind)
        guard !kind.isVerified(of: user) || pending != nil, let session = caller.session else {
            throw KiiFault(
                400, "INVALID_ACCOUNT_STATUS", "InvalidAccountStatus", "The address needs no verification",
                [("userID", user.id.rawValue), ("appID", enabled.publicKey), ("accountType", kind.member)])
        }
        let client = api.gate.client(of: request, context)
        do {
            switch kind {
            case .email:
                try await api.modules.accounts.verifyEmail(
                    .code(code, by: session), in: enabled.application, from: client,
                    origin: api.origin(of: request, context))
            case .phone:
                try await api.modules.accounts.verifyPhone(
                    code, by: session, from: client, origin: api.origin(of: request, context))
            }
        } catch {
            guard case .codeRefused = error else { throw error }
            throw KiiFault.wrongCode(code, in: enabled.publicKey)
        }
        return KiiResponse.response(["verificationStatus": "VERIFIED"])
    }
}

/// `POST …/email-address/resend-verification`, `POST …/phone-number/resend-verification`: orders a mail or a text
/// message with a code.
struct ResendRoute: Sendable {
    let api: KiiAPI
    let kind: AddressKind

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let caller = try await api.knownCaller(enabled, request, context)
        let user = try await api.changeable(
            try UserReference(context, in: enabled.publicKey), by: caller, in: enabled)
        _ = try kind.address(of: user)
        let pending = try await api.modules.accounts.findPendingAddress(of: user, by: kind.mailKind)
        try await api.order(kind, pending, of: user, by: caller.session, enabled, request, context)
        return KiiResponse.nothing
    }
}

extension KiiAPI {
    /// The user that the path names, for the user itself or an administrator.
    fileprivate func own(
        _ request: Request, _ context: ServerContext
    ) async throws -> (EnabledProtocol, User, KiiCaller) {
        let enabled = try await enabled(request, context)
        let caller = try await knownCaller(enabled, request, context)
        let reference = try UserReference(context, in: enabled.publicKey)
        return (enabled, try await changeable(reference, by: caller, in: enabled), caller)
    }
}
