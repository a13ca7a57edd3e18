import Domain
import Foundation
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

    /// By a browser on the account page, whose script speaks with an authenticator.
    static let passkeysOnPages: [AccountChangeStep] = [
        AccountChangeStep(.passkeyAdded, .pages, "POST /a/{application}/account/passkey") { world in
            let passkeys = try await PasskeyWorld(on: world.server)
            let body = try await passkeys.registration(SoftwareAuthenticator(), by: world.owner)
            let made = try JSONDecoder().decode(NewPasskeyBody.self, from: Data(body.utf8)).credential
            return Asked(fields: ["credential": try passkeys.text(made)], status: 303)
        },
        AccountChangeStep(.passkeyRenamed, .pages, "POST /a/{application}/account/passkey/name") { world in
            let authenticator = SoftwareAuthenticator()
            _ = try await PasskeyWorld(on: world.server).add(authenticator, to: world.owner)
            return Asked(fields: ["passkey": authenticator.id, "name": "Phone"], status: 303)
        },
        AccountChangeStep(.passkeyRemoved, .pages, "POST /a/{application}/account/passkey/remove") { world in
            let authenticator = SoftwareAuthenticator()
            _ = try await PasskeyWorld(on: world.server).add(authenticator, to: world.owner)
            return Asked(fields: ["passkey": authenticator.id], status: 303)
        },
        AccountChangeStep(.mergeOffered, .pages, "POST /a/{application}/account/passkey/other") { world in
            let (passkeys, authenticator) = (try await PasskeyWorld(on: world.server), SoftwareAuthenticator())
            let handle = try await passkeys.add(authenticator, to: world.owner)
            let right = try await passkeys.authentication(authenticator, handle)
            var wrong = right
            wrong.response.signature = try await passkeys.authentication(authenticator, handle).response.signature
            return Asked(
                fields: ["credential": try passkeys.text(right)], wrongFields: ["credential": try passkeys.text(wrong)],
                person: try await world.server.person(), isForAnyUser: true, endsSoon: true, status: 409)
        },
    ]
}
