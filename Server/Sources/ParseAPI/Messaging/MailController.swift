import Domain
import HTTPSupport
import OkaeriWire

/// Mails that an app asks for.
final class MailController: Sendable {
    private let messaging: Messaging
    private let searchUsers: SearchUsers

    init(_ modules: Modules) {
        messaging = modules.messaging
        searchUsers = modules.directory.searchUsers
    }

    /// `POST /requestPasswordReset`: the answer is the same whether or not anybody has the address.
    func sendPasswordReset(_ call: ParseCall) async throws -> ParseResponse {
        let email = try Self.email(call)
        do {
            _ = try await messaging.requestPasswordReset(
                email: email, in: call.application, languages: AcceptLanguage.tags(of: call.request),
                from: call.client, mayBeName: true)
        } catch {
            guard case .fieldsRefused = error else { throw error }
            // No mail address: nobody's, like any other that is unknown.
        }
        return ParseResponse([:])
    }

    /// `POST /verificationEmailRequest`. Who has an address, and whether it is verified, only its owner and administrators
    /// learn.
    func sendVerification(_ call: ParseCall) async throws -> ParseResponse {
        let email = try Self.email(call)
        if call.caller.session?.user.email == email, call.caller.session?.user.emailVerifiedAt != nil {
            throw Self.verified(email)
        }
        if call.caller.isMaster {
            let found = try await searchUsers(
                UserSearch(condition: .equals(.email, .text(email)), limit: 1, reader: .everything),
                in: call.application, for: SearchRequest(by: .backend))
            guard let user = found.users.first else { throw ParseFault(205, "No user found with email \(email)") }
            guard user.emailVerifiedAt == nil else { throw Self.verified(email) }
        }
        do {
            try await messaging.requestEmailVerification(
                ofUnverified: email, in: call.application, languages: AcceptLanguage.tags(of: call.request),
                from: call.client)
        } catch {
            guard case .fieldsRefused = error else { throw error }
            // No mail address: nobody's, like any other that is unknown.
        }
        return ParseResponse([:])
    }

    private static func verified(_ email: String) -> ParseFault {
        ParseFault(-1, "Email \(email) is already verified.")
    }

    private static func email(_ call: ParseCall) throws(ParseFault) -> String {
        switch call.value("email") {
        case nil, .null?, ""?: throw ParseFault(204, "you must provide an email")
        case .string(let email)?: return email
        default: throw ParseFault(125, "you must provide a valid email string")
        }
    }
}
