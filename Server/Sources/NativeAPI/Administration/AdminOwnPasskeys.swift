import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    /// Passkeys of admins: log-in and the proof to be still there by one, and those of who asks.
    static let ownPasskeys: [AdminRoute] = [
        AdminRoute(.post, "log-in/passkey/request", .logIn) { call in
            try call.answer(
                PasskeyRequestResponse(
                    publicKey: OkaeriWire.PasskeyRequestOptions(try call.rules.logIns.passkeys.options())))
        },
        AdminRoute(.post, "log-in/passkey", .logIn) { call in
            let body = try await call.body(AdminPasskeyProofBody.self)
            let done = try await call.rules.logIns.passkeys.logIn(
                try PasskeyAssertion(body.credential), from: call.origin)
            return try call.answer(AdminLogInResponse(done, recoveryCodes: nil))
        },
        AdminRoute(.post, "reauthenticate/passkey", .reauthenticate) { call in
            let body = try await call.body(AdminPasskeyProofBody.self)
            let done = try await call.rules.logIns.passkeys.reauthenticate(
                try PasskeyAssertion(body.credential), token: try call.sessionToken(), by: try call.caller(),
                from: call.origin)
            return try call.answer(AdminProofResponse(done))
        },
        AdminRoute(.get, "me/passkeys", .listOwnPasskeys) { call in
            let passkeys = try await call.rules.admins.ownPasskeys.list(of: try call.caller())
            return try call.answer(PasskeyListResponse(passkeys: passkeys.map { PasskeyBody($0) }))
        },
        AdminRoute(.post, "me/passkeys/request", .addOwnPasskey) { call in
            let options = try await call.rules.admins.ownPasskeys.options(for: try call.caller())
            return try call.answer(PasskeyCreationResponse(publicKey: PasskeyCreationOptions(options)))
        },
        AdminRoute(.post, "me/passkeys", .addOwnPasskey) { call in
            let body = try await call.body(NewPasskeyBody.self)
            let passkey = try await call.rules.admins.ownPasskeys.add(
                try AddPasskey.Registration(body), to: try call.caller(), from: call.origin)
            return try call.answer(PasskeyBody(passkey), status: .created)
        },
        AdminRoute(.patch, "me/passkeys/{passkey}", .renameOwnPasskey) { call in
            let body = try await call.body(PasskeyNameBody.self)
            let passkey = try await call.rules.admins.ownPasskeys.rename(
                try call.passkey(), of: try call.caller(), to: body.name, from: call.origin)
            return try call.answer(PasskeyBody(passkey))
        },
        AdminRoute(.delete, "me/passkeys/{passkey}", .removeOwnPasskey) { call in
            try await call.rules.admins.ownPasskeys.remove(try call.passkey(), of: try call.caller(), from: call.origin)
            return AdminCall.done
        },
        AdminRoute(.delete, "me/password", .removeOwnPassword) { call in
            try await call.rules.admins.ownPasskeys.removePassword(
                of: try call.caller(), keeping: try call.sessionToken(), from: call.origin)
            return AdminCall.done
        },
    ]
}

extension AdminCall {
    fileprivate func passkey() throws(DomainError) -> String {
        try id("passkey", maximumBytes: Passkey.maximumIdCharacters)
    }

    /// - Throws: `administration(adminRequired)` on an open route.
    func sessionToken() throws(DomainError) -> Secret {
        guard let token else { throw .administration(.adminRequired) }
        return token
    }
}

/// A passkey that an admin shows.
struct AdminPasskeyProofBody: Decodable, Sendable {
    var credential: PasskeyAuthentication

    private enum CodingKeys: String, CodingKey, CaseIterable { case credential }

    init(from decoder: any Decoder) throws {
        credential = try decoder.closedContainer(keyedBy: CodingKeys.self)
            .decode(PasskeyAuthentication.self, forKey: .credential)
    }
}
