import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire
import QRCodes

extension AdminAPI {
    /// What admins prove themselves with, and who they are.
    static let accounts: [AdminRoute] = [
        AdminRoute(.post, "set-up/open", .openSetUpLink) { call in
            let body = try await call.body(LinkBody.self)
            let opened = try await call.rules.logIns.openLink(Secret(body.token), from: call.client)
            return try call.answer(OpenedLinkBody(opened))
        },
        AdminRoute(.post, "set-up", .setUpAdmin) { call in
            let body = try await call.body(SetUpBody.self)
            let done = try await call.rules.logIns.setUp(
                .init(
                    token: Secret(body.token), name: body.name, password: body.password.map { Secret($0) },
                    code: body.code),
                from: call.client, origin: call.origin)
            return try call.answer(
                AdminLogInResponse(done.logIn, recoveryCodes: done.recoveryCodes.map(\.revealed)), status: .created)
        },
        AdminRoute(.post, "log-in", .logIn) { call in
            let body = try await call.body(AdminLogInBody.self)
            let done = try await call.rules.logIns.logIn(
                .init(name: body.name, password: Secret(body.password), code: body.code), from: call.client,
                origin: call.origin)
            return try call.answer(AdminLogInResponse(done, recoveryCodes: nil))
        },
        AdminRoute(.post, "reauthenticate", .reauthenticate) { call in
            let body = try await call.body(AdminProofBody.self)
            let done = try await call.rules.logIns.reauthenticate(
                password: Secret(body.password), code: body.code, token: try call.sessionToken(),
                by: try call.caller(), from: call.client, origin: call.origin)
            return try call.answer(AdminProofResponse(done))
        },
        AdminRoute(.post, "log-out", .logOut) { call in
            if let token = call.token {
                try await call.rules.logIns.logOut(token, by: try call.caller(), from: call.origin)
            }
            return AdminCall.done
        },
        AdminRoute(.get, "me", .readOwnAccess) { call in try call.answer(AccessBody(try call.caller())) },
        AdminRoute(.get, "admins", .listAdmins) { call in
            let locks = try await call.rules.admins.listLocks()
            return try call.answer(
                AdminsBody(
                    admins: try await call.rules.admins.list().map { AdminBody($0, lockedUntil: locks[$0.id]) }))
        },
        AdminRoute(.post, "admins", .createAdmin) { call in
            let body = try await call.body(NewAdminBody.self)
            let role = try AdminRole(wire: body.role)
            let admin = try await call.rules.admins.create(
                name: body.name, role: role, applications: body.applications.map(Set.init(wire:)),
                by: try call.auditActor()
            )
            let link = try await call.rules.admins.makeLink(for: admin.id, by: try call.auditActor())
            return try call.answer(
                NewAdminResponse(admin: AdminBody(admin), link: AdminLinkBody(link)), status: .created,
                version: admin.updatedAt)
        },
        AdminRoute(.patch, "admins/{id}", .changeAdmin) { call in
            let body = try await call.body(ChangedAdminBody.self)
            let admin = try await call.rules.admins.change(
                Identifier(rawValue: try call.id("id")),
                .init(
                    role: try body.role.map { name throws(RequestError) in try AdminRole(wire: name) },
                    applications: body.applications, isDisabled: body.isDisabled),
                version: try call.version(), by: try call.auditActor())
            return try call.answer(AdminBody(admin), version: admin.updatedAt)
        },
        AdminRoute(.delete, "admins/{id}", .removeAdmin) { call in
            try await call.rules.admins.remove(Identifier(rawValue: try call.id("id")), by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "admins/{id}/unlock", .unlockAdmin) { call in
            try await call.rules.admins.unlock(Identifier(rawValue: try call.id("id")), by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "admins/{id}/link", .createAdminLink) { call in
            let link = try await call.rules.admins.makeLink(
                for: Identifier(rawValue: try call.id("id")), by: try call.auditActor())
            return try call.answer(AdminLinkBody(link), status: .created)
        },
    ]

    /// Keys for programs.
    static let keys: [AdminRoute] = [
        AdminRoute(.get, "keys", .listAdminKeys) { call in
            try call.answer(AdminKeysBody(keys: try await call.rules.keys.list().map(AdminKeyBody.init(_:))))
        },
        AdminRoute(.post, "keys", .createAdminKey) { call in
            let attempt = try call.attempt()
            let body = try await call.body(NewAdminKeyBody.self)
            let scopes = try body.scopes.map { name throws(RequestError) in
                guard let scope = AdminPermission(rawValue: name) else {
                    let offered = AdminKey.offeredScopes.map(\.rawValue).joined(separator: ", ")
                    throw AdminQuery.malformed("scopes", .form("Each one of \(offered)."))
                }
                return scope
            }
            let (key, secret) = try await call.rules.keys.create(
                .init(
                    name: body.name, scopes: Set(scopes), applications: body.applications.map(Set.init(wire:)),
                    networks: body.networks ?? [], life: try AdminKey.life(days: body.days)),
                of: try call.caller(), attempt: attempt, by: try call.auditActor())
            return try call.answer(
                NewAdminKeyResponse(key: AdminKeyBody(key), secret: secret.revealed), status: .created)
        },
        AdminRoute(.patch, "keys/{id}", .changeAdminKey) { call in
            let body = try await call.body(ChangedAdminKeyBody.self)
            return try call.answer(
                AdminKeyBody(
                    try await call.rules.keys.change(
                        Identifier(rawValue: try call.id("id")), networks: body.networks, by: try call.auditActor())))
        },
        AdminRoute(.delete, "keys/{id}", .removeAdminKey) { call in
            try await call.rules.keys.remove(Identifier(rawValue: try call.id("id")), by: try call.auditActor())
            return AdminCall.done
        },
    ]
}

extension AdminRole {
    fileprivate init(wire name: String) throws(RequestError) {
        guard let role = AdminRole(rawValue: name) else {
            throw AdminQuery.malformed("role", .oneOf(AdminRole.self))
        }
        self = role
    }
}

extension Set<Identifier<Domain.Application>> {
    fileprivate init(wire ids: [String]) {
        self.init(ids.map { Identifier(rawValue: $0) })
    }
}
