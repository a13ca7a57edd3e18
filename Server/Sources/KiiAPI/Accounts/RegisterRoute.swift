import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue

/// `POST /apps/{appID}/users`: registration; with the media type that also authorizes, and no name, of a pseudo user.
struct RegisterRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        // A token that is sent must be somebody's; whose does not matter.
        _ = try await api.caller(enabled, request, context)
        let type = request.headers.value(of: .contentType)?.lowercased() ?? ""
        let authorizes = type.contains("registrationandauthorizationrequest")
        let profile = try KiiProfile(try await api.body(of: request, context))
        let options = enabled.options
        // An address that must be verified first cannot stand in for a login name.
        let addresses = AddressKind.allCases.filter { profile.identifiers[$0] != nil }
        if case .unchanged = profile.identifiers.username, !addresses.isEmpty,
            addresses.allSatisfy({ $0.isDemanded(options) })
        {
            throw KiiFault.invalid(addresses.map(\.member))
        }
        let answer: RegisterUser.Answer
        do {
            answer = try await api.modules.accounts.registerUser(
                RegisterUser.Request(
                    application: enabled.application, protocolName: .kii, identifiers: profile.identifiers,
                    password: profile.password,
                    profile: .init(displayName: profile.displayName, locale: profile.locale, fields: profile.fields),
                    opensSession: authorizes, address: api.gate.client(of: request, context),
                    origin: api.origin(of: request, context)))
        } catch {
            guard case .identifiersTaken = error else { throw error }
            let kinds = error.identifierKinds
            throw KiiFault.taken(kinds, in: enabled.publicKey)
        }
        for kind in AddressKind.allCases {
            await api.sendVerification(kind, to: answer.user, by: nil, enabled, request, context)
        }
        var members = KiiUserObject.full(answer.user.shown(to: .owner, in: enabled.application), options)
        if let token = answer.token { members["_accessToken"] = .string(token.revealed) }
        members["_refreshToken"] = api.refreshToken(for: answer.token, until: answer.tokenExpiresAt, in: enabled)
        let target = api.gate.target(of: request, context)
        let location = "\(target.scheme)://\(target.authority)\(target.path)/\(answer.user.id)"
        let name = authorizes ? "RegistrationAndAuthorizationResponse" : "RegistrationResponse"
        return KiiResponse.response(members, .created, KiiResponse.mediaType(name), [.location: location])
    }
}

extension KiiFault {
    /// Somebody else has an identifier.
    static func taken(_ kinds: [LogInIdentifier.Kind], in application: String) -> KiiFault {
        let names = kinds.map { kind in
            switch kind {
            case .username: "loginName"
            case .email: "emailAddress"
            case .phone: "phoneNumber"
            }
        }
        return KiiFault(
            409, "USER_ALREADY_EXISTS", "UserAlreadyExists", "Another user has this identifier",
            [("field", names.first ?? ""), ("appID", application)])
    }
}
