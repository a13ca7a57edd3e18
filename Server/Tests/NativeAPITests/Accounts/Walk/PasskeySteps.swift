import Domain
import OkaeriWire
import TestWorld
import Testing

extension AccountChangeStep {
    /// By a session of the native API, with an authenticator.
    static let passkeys: [AccountChangeStep] = [
        AccountChangeStep(.passkeyAdded, .native, "POST /v1/user/passkeys") { world in
            let passkeys = try await PasskeyWorld(on: world.server)
            return Asked(
                body: try await passkeys.registration(SoftwareAuthenticator(), by: world.owner), status: 201)
        },
        AccountChangeStep(.passkeyRenamed, .native, "PATCH /v1/user/passkeys/{id}") { world in
            let authenticator = SoftwareAuthenticator()
            _ = try await PasskeyWorld(on: world.server).add(authenticator, to: world.owner)
            return Asked(path: APIPath.passkey(authenticator.id), body: #"{"name": "Phone"}"#)
        },
        AccountChangeStep(.passkeyRemoved, .native, "DELETE /v1/user/passkeys/{id}") { world in
            let authenticator = SoftwareAuthenticator()
            _ = try await PasskeyWorld(on: world.server).add(authenticator, to: world.owner)
            return Asked(path: APIPath.passkey(authenticator.id), status: 204)
        },
        AccountChangeStep(.mergeOffered, .native, "POST /v1/user/merge/passkey") { world in
            let (passkeys, authenticator) = (try await PasskeyWorld(on: world.server), SoftwareAuthenticator())
            let handle = try await passkeys.add(authenticator, to: world.owner)
            let right = try await passkeys.authentication(authenticator, handle)
            var wrong = right
            wrong.response.signature = try await passkeys.authentication(authenticator, handle).response.signature
            // Any user who shows the passkey too is both.
            return Asked(
                body: try passkeys.text(PasskeyMergeBody(credential: right)),
                wrong: try passkeys.text(PasskeyMergeBody(credential: wrong)),
                person: try await world.server.person(), isForAnyUser: true, endsSoon: true, status: 409)
        },
    ]
}
