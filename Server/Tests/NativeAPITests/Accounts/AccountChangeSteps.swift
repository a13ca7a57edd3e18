import Domain
import HTTPTypes
import OkaeriWire
import Testing

extension AccountChangeStep {
    private static let password = EvictionWorld.password
    private static let another = #""newPassword": "a quite new secret""#

    /// All changes that routes of these surfaces make.
    static let all = native + shown + admin + pages

    /// By a session of the native API.
    private static let native: [AccountChangeStep] = [
        AccountChangeStep(.upgraded, .native, "POST /v1/user/upgrade") { world in
            let guest = try await world.server.person()
            return Asked(
                body: #"{"username": "mika", "email": "mika@example.com", "password": "four quiet words"}"#,
                person: guest,
                user: guest.logIn.user.id)
        },
        AccountChangeStep(.identifiersChanged, .native, "PATCH /v1/user") { _ in
            Asked(body: #"{"username": "mikan"}"#)
        },
        AccountChangeStep(.addressChanged, .native, "PATCH /v1/user") { _ in
            Asked(body: #"{"email": "new@example.com"}"#)
        },
        AccountChangeStep(.passwordChanged, .native, "PUT /v1/user/password") { _ in
            Asked(
                body: #"{"currentPassword": "\#(password)", \#(another)}"#,
                wrong: #"{"currentPassword": "something else", \#(another)}"#)
        },
        AccountChangeStep(.passwordChanged, .native, "PUT /v1/user/password") { _ in Asked(body: "{\(another)}") },
        AccountChangeStep(.identityUnlinked, .native, "DELETE /v1/user/identities/{provider}") { world in
            let (id, application) = (world.owner.logIn.user.id, world.server.application.id)
            let now = world.server.clock.now
            try await world.server.store.write { transaction throws(DomainError) in
                try transaction.insert(
                    Identity(provider: .google, subject: "hana", linkedAt: now), for: Identifier(rawValue: id),
                    in: application)
            }
            return Asked(path: APIPath.identity("google"))
        },
        AccountChangeStep(.deviceKeyRemoved, .native, "DELETE /v1/user/device-keys/{thumbprint}") { world in
            Asked(path: APIPath.deviceKey(try await world.thief().device.thumbprint), status: 204)
        },
        AccountChangeStep(.otherDeviceKeysRemoved, .native, "DELETE /v1/user/device-keys") { _ in Asked() },
        AccountChangeStep(.otherSessionsEnded, .native, "DELETE /v1/user/sessions") { _ in Asked() },
        AccountChangeStep(.transferCodeIssued, .native, "POST /v1/user/transfer-code") { _ in Asked(status: 201) },
        AccountChangeStep(.transferCodeWithdrawn, .native, "DELETE /v1/user/transfer-code") { world in
            _ = try await world.owner.issueCode()
            return Asked(status: 204)
        },
        AccountChangeStep(.transferUndone, .native, "POST /v1/user/transfer-code/undo") { world in
            _ = try await world.server.joined(try await world.owner.issueCode().code, on: ProofMaker())
            let notice = try #require(try await world.owner.notices().first)
            return Asked(body: #"{"transfer": "\#(notice.id)"}"#, status: 204)
        },
        AccountChangeStep(.mergeUndone, .native, "POST /v1/user/merge/undo") { world in
            Asked(body: #"{"merge": "\#(try await world.merge())"}"#, status: 204)
        },
        AccountChangeStep(.deletionRequested, .native, "DELETE /v1/user") { _ in Asked(status: 202) },
    ]

    /// By what the request itself shows.
    private static let shown: [AccountChangeStep] = [
        AccountChangeStep(.emailVerified, .native, "POST /v1/email/verify") { world in
            let guest = try await world.server.person()
            let body = #"{"email": "mika@example.com", "username": "mika", "password": "four quiet words"}"#
            try #require(try await guest.send(.post, APIPath.upgrade, body: body).status == 200)
            let token = try await world.verification(of: "mika@example.com", by: guest)
            return Asked(
                body: #"{"token": "\#(token)"}"#, wrong: #"{"token": "wrong"}"#, user: guest.logIn.user.id,
                isOpen: true, status: 204)
        },
        AccountChangeStep(.emailReplaced, .native, "POST /v1/email/verify") { world in
            let token = try await world.verification(of: "new@example.com", by: world.owner)
            return Asked(
                body: #"{"token": "\#(token)"}"#, wrong: #"{"token": "wrong"}"#, isOpen: true, status: 204)
        },
        AccountChangeStep(.passwordReset, .native, "POST /v1/password-reset") { world in
            Asked(
                body: #"{"token": "\#(try await world.resetToken())", \#(another)}"#,
                wrong: #"{"token": "wrong", \#(another)}"#, isOpen: true, status: 204)
        },
        AccountChangeStep(.transferCodeRedeemed, .native, "POST /v1/log-in/transfer-code") { world in
            Asked(
                body: #"{"code": "\#(try await world.owner.issueCode().code)"}"#,
                wrong: #"{"code": "AAAA-AAAA-AAAA-AAAA"}"#, device: ProofMaker(), isOpen: true)
        },
        AccountChangeStep(.mergeOffered, .native, "POST /v1/user/upgrade") { world in
            Asked(
                body: #"{"username": "hana", "password": "\#(password)"}"#,
                wrong: #"{"username": "hana", "password": "something else"}"#, person: try await world.server.person(),
                status: 409)
        },
        resolution(.mergeKept, "keep"), resolution(.mergeSwitched, "switch"), resolution(.merged, "merge"),
        AccountChangeStep(.restored, .native, "POST /v1/log-in/password") { world in
            try #require(try await world.owner.send(.delete, APIPath.user).status == 202)
            return Asked(
                body: #"{"identifier": "hana", "password": "\#(password)"}"#, headers: [("Okaeri-Restore", "true")],
                wrong: #"{"identifier": "hana", "password": "something else"}"#, isOpen: true)
        },
    ]

    private static func resolution(_ row: AccountChange, _ choice: String) -> AccountChangeStep {
        AccountChangeStep(row, .native, "POST /v1/user/merge") { world in
            let guest = try await world.server.person()
            return Asked(
                body: #"{"ticket": "\#(try await world.mergeTicket(of: guest))", "choice": "\#(choice)"}"#,
                wrong: #"{"ticket": "wrong", "choice": "\#(choice)"}"#, person: guest)
        }
    }

    private static let user = "/v1/admin/applications/{application}/users/{user}"

    /// By an admin with a key or a session.
    private static let admin: [AccountChangeStep] = [
        AccountChangeStep(.profileChanged, .admin, "PATCH \(user)") { world in
            Asked(body: #"{"displayName": "Hana"}"#, headers: try await world.version())
        },
        AccountChangeStep(.identifiersChanged, .admin, "PATCH \(user)") { world in
            Asked(body: #"{"username": "mikan"}"#, headers: try await world.version())
        },
        AccountChangeStep(.addressChanged, .admin, "PATCH \(user)") { world in
            Asked(body: #"{"email": "new@example.com"}"#, headers: try await world.version())
        },
        AccountChangeStep(.disabled, .admin, "POST \(user)/disable") { world in
            Asked(path: "\(world.userPath)/disable")
        },
        AccountChangeStep(.enabled, .admin, "POST \(user)/enable") { world in
            _ = try await world.admin.send("owner", .post, "\(world.userPath)/disable")
            return Asked(path: "\(world.userPath)/enable")
        },
        AccountChangeStep(.allSessionsEnded, .admin, "POST \(user)/log-out") { world in
            Asked(path: "\(world.userPath)/log-out")
        },
        AccountChangeStep(.deviceKeyRemoved, .admin, "DELETE \(user)/device-keys/{thumbprint}") { world in
            Asked(path: "\(world.userPath)/device-keys/\(try await world.thief().device.thumbprint)", status: 204)
        },
        AccountChangeStep(.otherDeviceKeysRemoved, .admin, "DELETE \(user)/device-keys") { world in
            Asked(path: "\(world.userPath)/device-keys")
        },
        AccountChangeStep(.transferCodeIssued, .admin, "POST \(user)/transfer-code") { world in
            Asked(path: "\(world.userPath)/transfer-code", status: 201)
        },
        AccountChangeStep(.mergedByOperator, .admin, "POST \(user)/merge") { world in
            let guest = try await world.server.person()
            return Asked(
                path: "\(world.path(of: guest))/merge",
                body: #"{"into": "\#(world.owner.logIn.user.id)"}"#)
        },
        AccountChangeStep(.mergeUndone, .admin, "POST \(user)/merges/{merge}/undo") { world in
            Asked(path: "\(world.userPath)/merges/\(try await world.merge())/undo", status: 204)
        },
        AccountChangeStep(.deletionRequested, .admin, "DELETE \(user)") { _ in Asked(status: 202) },
        AccountChangeStep(.restored, .admin, "POST \(user)/restore") { world in
            _ = try await world.admin.send("owner", .delete, world.userPath)
            return Asked(path: "\(world.userPath)/restore")
        },
    ]

    /// By a browser on the account page.
    private static let pages: [AccountChangeStep] = [
        AccountChangeStep(.passwordChanged, .pages, "POST /a/{application}/account/password") { _ in
            Asked(
                fields: ["currentPassword": password, "newPassword": "a quite new secret"],
                wrongFields: ["currentPassword": "something else", "newPassword": "a quite new secret"], status: 303)
        },
        AccountChangeStep(.upgraded, .pages, "POST /a/{application}/account/upgrade") { world in
            let guest = try await world.server.person()
            return Asked(
                fields: ["username": "mika", "email": "mika@example.com", "password": "four quiet words"],
                person: guest,
                user: guest.logIn.user.id, status: 303)
        },
        AccountChangeStep(.deviceKeyRemoved, .pages, "POST /a/{application}/account/identity") { world in
            Asked(fields: ["key": try await world.thief().device.thumbprint], status: 303)
        },
        AccountChangeStep(.otherSessionsEnded, .pages, "POST /a/{application}/account/sessions") { _ in
            Asked(status: 303)
        },
        AccountChangeStep(.transferCodeIssued, .pages, "POST /a/{application}/account/transfer") { _ in Asked() },
        AccountChangeStep(.transferCodeWithdrawn, .pages, "POST /a/{application}/account/withdraw") { world in
            _ = try await world.owner.issueCode()
            return Asked(status: 303)
        },
        AccountChangeStep(.deletionRequested, .pages, "POST /a/{application}/account/delete") { _ in
            Asked(fields: ["sure": "on"])
        },
    ]
}
