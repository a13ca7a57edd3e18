import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// By admins, by commands, and by the server at its time.
extension AccountChangeStep {
    private static let user = "/v1/admin/applications/{application}/users/{user}"

    /// By an admin with a key or a session.
    static let admin: [AccountChangeStep] = [
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
            let out = try await world.thief().device
            return Asked(path: "\(world.userPath)/device-keys/\(out.thumbprint)", status: 204, out: out)
        },
        AccountChangeStep(.otherDeviceKeysRemoved, .admin, "DELETE \(user)/device-keys") { world in
            Asked(path: "\(world.userPath)/device-keys")
        },
        AccountChangeStep(.passkeyRemoved, .admin, "DELETE \(user)/passkeys/{passkey}") { world in
            let authenticator = SoftwareAuthenticator()
            _ = try await PasskeyWorld(on: world.server).add(authenticator, to: world.owner)
            return Asked(path: "\(world.userPath)/passkeys/\(authenticator.id)", status: 204)
        },
        AccountChangeStep(.rolesChanged, .admin, "PATCH \(user)/roles") { world in
            let role = try await world.role()
            return Asked(path: "\(world.userPath)/roles", body: #"{"add": ["\#(role.id)"]}"#)
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

    private static let page = "POST /dashboard/app/{application}/users/{user}"

    /// By forms of the page of a user.
    static let dashboard: [AccountChangeStep] = [
        AccountChangeStep(.profileChanged, .dashboard, "\(page)/save") { try await $0.saved(["displayName": "Hana"]) },
        AccountChangeStep(.identifiersChanged, .dashboard, "\(page)/save") {
            try await $0.saved(["username": "mikan"])
        },
        AccountChangeStep(.addressChanged, .dashboard, "\(page)/save") {
            try await $0.saved(["email": "new@example.com"])
        },
        form(.disabled, "disable"),
        AccountChangeStep(.enabled, .dashboard, "\(page)/enable") { world in
            _ = try await world.admin.send("owner", .post, "\(world.userPath)/disable")
            return Asked(path: "\(world.userPage)/enable", status: 303)
        },
        form(.allSessionsEnded, "log-out"),
        AccountChangeStep(.deviceKeyRemoved, .dashboard, "\(page)/device-keys/{thumbprint}/remove") { world in
            let out = try await world.thief().device
            return Asked(path: "\(world.userPage)/device-keys/\(out.thumbprint)/remove", status: 303, out: out)
        },
        AccountChangeStep(.passkeyRemoved, .dashboard, "\(page)/passkeys/{passkey}/remove") { world in
            let authenticator = SoftwareAuthenticator()
            _ = try await PasskeyWorld(on: world.server).add(authenticator, to: world.owner)
            return Asked(path: "\(world.userPage)/passkeys/\(authenticator.id)/remove", status: 303)
        },
        AccountChangeStep(.rolesChanged, .dashboard, "\(page)/roles/give") { world in
            let role = try await world.role()
            return Asked(path: "\(world.userPage)/roles/give", fields: ["grant": role.id.rawValue], status: 303)
        },
        AccountChangeStep(.rolesChanged, .dashboard, "\(page)/roles/take") { world in
            let role = try await world.role()
            try await world.give(role)
            return Asked(path: "\(world.userPage)/roles/take", fields: ["grant": role.id.rawValue], status: 303)
        },
        form(.transferCodeIssued, "transfer-code", status: 200),
        AccountChangeStep(.deletionRequested, .dashboard, "\(page)/delete") { world in
            Asked(path: "\(world.userPage)/delete", fields: ["confirm": world.owner.logIn.user.id], status: 303)
        },
        AccountChangeStep(.restored, .dashboard, "\(page)/restore") { world in
            _ = try await world.admin.send("owner", .delete, world.userPath)
            return Asked(path: "\(world.userPage)/restore", status: 303)
        },
        AccountChangeStep(.mergedByOperator, .dashboard, "\(page)/merge") { world in
            let guest = try await world.server.person()
            return Asked(
                path: world.admin.page("users/\(guest.logIn.user.id)/merge"),
                fields: ["into": world.owner.logIn.user.id], status: 303)
        },
        AccountChangeStep(.mergeUndone, .dashboard, "\(page)/merges/{merge}/undo") { world in
            Asked(path: "\(world.userPage)/merges/\(try await world.merge())/undo", status: 303)
        },
    ]

    private static func form(_ row: AccountChange, _ name: String, status: Int = 303) -> AccountChangeStep {
        AccountChangeStep(row, .dashboard, "\(page)/\(name)") { world in
            Asked(path: "\(world.userPage)/\(name)", status: status)
        }
    }

    /// By a form of the list of users.
    static let bulk: [AccountChangeStep] = [
        picked(.disabled, "disable"), picked(.enabled, "enable"), picked(.allSessionsEnded, "log-out"),
        picked(.deletionRequested, "delete"),
    ]

    private static func picked(_ row: AccountChange, _ name: String) -> AccountChangeStep {
        AccountChangeStep(row, .dashboard, "POST /dashboard/app/{application}/bulk/\(name)") { world in
            if row == .enabled { _ = try await world.admin.send("owner", .post, "\(world.userPath)/disable") }
            return Asked(
                path: world.admin.page("bulk/\(name)"),
                fields: ["pick.\(world.owner.logIn.user.id)": "yes", "confirm": "1"], status: 303)
        }
    }

    /// By commands, on the server's machine: there, everything is allowed.
    static let commands: [AccountChangeStep] = [
        command(.disabled, "user disable", .disableUser) { modules, id, application, who throws(DomainError) in
            _ = try await modules.accounts.setUserDisabled(id, in: application, isDisabled: true, by: who)
        },
        command(
            .enabled, "user enable", .enableUser,
            after: { world in _ = try await world.admin.send("owner", .post, "\(world.userPath)/disable") }
        ) { modules, id, application, who throws(DomainError) in
            _ = try await modules.accounts.setUserDisabled(id, in: application, isDisabled: false, by: who)
        },
        command(.allSessionsEnded, "user log-out", .endAllSessions) {
            modules, id, application, who throws(DomainError) in
            _ = try await modules.administration.users.endAllSessions(of: id, in: application, by: who)
        },
        command(.otherDeviceKeysRemoved, "user remove-device-key --all", .removeAllDeviceKeys) {
            modules, id, application, who throws(DomainError) in
            _ = try await modules.accounts.removeDeviceKeys.others(of: id, in: application, by: .operator(who))
        },
        command(.deletionRequested, "user delete", .deleteUser) { modules, id, application, who throws(DomainError) in
            _ = try await modules.deletion.deleteUser(id, in: application, by: who)
        },
        command(.erased, "user delete --now", .eraseUser) { modules, id, application, who throws(DomainError) in
            try await modules.deletion.eraseUser(id, in: application.id, by: who)
        },
        command(
            .restored, "user restore", .restoreUser,
            after: { world in _ = try await world.admin.send("owner", .delete, world.userPath) }
        ) { modules, id, application, who throws(DomainError) in
            _ = try await modules.deletion.restoreUser(id, in: application.id, by: who)
        },
        AccountChangeStep(.rolesChanged, .command, "role give") { world in
            let role = try await world.role().id
            return world.commanded(.assignRoles, out: nil) { modules, id, application, who throws(DomainError) in
                _ = try await modules.accounts.changeUserRoles(.init(adding: [role]), of: id, in: application, by: who)
            }
        },
        AccountChangeStep(.passkeyRemoved, .command, "user remove-passkey") { world in
            let authenticator = SoftwareAuthenticator()
            _ = try await PasskeyWorld(on: world.server).add(authenticator, to: world.owner)
            let passkey = authenticator.id
            return world.commanded(.removePasskey, out: nil) { modules, id, application, who throws(DomainError) in
                try await modules.passkeys.managePasskeys.remove(passkey, of: id, in: application, by: .operator(who))
            }
        },
        AccountChangeStep(.deviceKeyRemoved, .command, "user remove-device-key") { world in
            let out = try await world.thief().device
            let thumbprint = out.thumbprint
            return world.commanded(.removeDeviceKey, out: out) { modules, id, application, who throws(DomainError) in
                try await modules.accounts.removeDeviceKeys(thumbprint, of: id, in: application, by: .operator(who))
            }
        },
    ]

    typealias Work =
        @Sendable (Modules, Identifier<User>, Domain.Application, Operator) async throws(DomainError) -> Void

    private static func command(
        _ row: AccountChange, _ name: String, _ action: AdminAction,
        after prepare: @escaping @Sendable (EvictionWorld) async throws -> Void = { _ in }, _ work: @escaping Work
    ) -> AccountChangeStep {
        AccountChangeStep(row, .command, name) { world in
            try await prepare(world)
            return world.commanded(action, out: nil, work)
        }
    }

    /// By nobody, when its time has come.
    static let timed: [AccountChangeStep] = [
        AccountChangeStep(.erased, .time, "the end of the grace") { world in
            try #require(try await world.owner.send(.delete, APIPath.user).status == 202)
            world.server.clock.advance(by: .days(7))
            return Asked(isOpen: true, actor: .server) { _ in
                let count = try await world.server.modules.deletion.eraseDeletedUsers()
                return Answer(status: count == 1 ? 200 : 404, headers: [:], body: [])
            }
        }
    ]
}

extension EvictionWorld {
    /// The form of the page of the owner, with something else in it.
    fileprivate func saved(_ changes: [String: String]) async throws -> AccountChangeStep.Asked {
        let version = try await admin.browser().get(userPage).value(of: "version")
        let fields = ["version": try #require(version), "known": "", "fields": ""]
        return AccountChangeStep.Asked(
            path: "\(userPage)/save", fields: fields.merging(changes) { $1 }, status: 303)
    }

    /// Does what a command does, under the policy of its action.
    fileprivate func commanded(
        _ action: AdminAction, out: ProofMaker?, _ work: @escaping AccountChangeStep.Work
    ) -> AccountChangeStep.Asked {
        let (modules, application) = (server.modules, server.application.id)
        let id = Identifier<User>(rawValue: owner.logIn.user.id)
        return AccountChangeStep.Asked(isOpen: true, actor: .operator, out: out) { _ in
            try await modules.administration.perform(
                action, by: .commandLine, in: application, on: id, refusal: { $0 }
            ) { who throws(DomainError) in
                try await work(modules, id, try await modules.applications.findApplication(application), who)
            }
            return Answer(status: 200, headers: [:], body: [])
        }
    }
}

extension EvictionWorld {
    /// A role that nobody has.
    func role() async throws -> Grant {
        try await server.modules.applications.changeAccessRules.create(
            "editor", .role(permissions: ["posts:write"]), in: server.application.id, by: .local)
    }

    /// Gives the owner a role.
    fileprivate func give(_ role: Grant) async throws {
        let application = try await server.modules.applications.findApplication(server.application.id)
        _ = try await server.modules.accounts.changeUserRoles(
            .init(adding: [role.id]), of: Identifier(rawValue: owner.logIn.user.id), in: application, by: .local)
    }
}
