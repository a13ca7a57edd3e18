import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let one = "applications/{application}/users/{user}"

    /// Users, one and many.
    static let users: [AdminRoute] = [
        AdminRoute(.get, "applications/{application}/users", .listUsers, also: [.readPersonalData]) { call in
            let query = try AdminQuery(
                call, "kind", "disabled", "leaving", "weak", "provider", "protocol", "seenSince", "notSeenSince",
                "search", "from", "limit")
            let (reader, application) = (try call.reader(), try call.targetApplication())
            let page = try await call.rules.users.browse(
                in: application.id, for: reader, try BrowseUsers.Filter(query),
                from: query.text("from").map(UserCursor.init(wire:)),
                limit: try query.number("limit", in: 1...BrowseUsers.maximumPageSize) ?? 50)
            return try call.answer(
                AdminUsersBody(
                    users: page.users.map { AdminUserBody(shown: $0, in: application, to: reader) },
                    next: page.next?.wire))
        },
        AdminRoute(.post, "applications/{application}/users", .createUser) { call in
            let body = try await call.body(AdminNewUserBody.self)
            let user = try await call.modules.accounts.createUser(
                NewIdentifiers(
                    username: ValueChange(given: body.username), email: ValueChange(given: body.email),
                    phone: ValueChange(given: body.phone), rules: .native),
                .init(displayName: body.displayName, locale: body.locale, fields: body.fields ?? [:]),
                in: try call.targetApplication(), by: try call.auditActor())
            return try call.answer(user, status: .created)
        },
        AdminRoute(.get, one, .readUser, also: [.readPersonalData, .readAudit]) { call in
            let (reader, application) = (try call.reader(), try call.targetApplication())
            let found = try await call.rules.users.inspect(
                try call.user(), in: application.id, for: reader)
            let seesAudit = try call.caller().may(.readAudit, in: application.id)
            return try call.answer(
                InspectedUserBody(shown: found, in: application, to: reader, withAudit: seesAudit),
                version: found.user.updatedAt)
        },
        AdminRoute(.patch, one, .editUser, also: [.changeIdentifiers]) { call in
            let application = try call.targetApplication()
            let patch = try await call.api.native.readJSON(
                UserPatchBody.self, of: call.request, call.context,
                mediaTypes: ["application/merge-patch+json", "application/json"])
            let edit = UserEdit(patch ?? UserPatchBody())
            let user = try await call.perform(.editing(edit)) { who in
                var edit = edit
                edit.version = try call.version()
                return try await call.modules.accounts.editUser(
                    edit, of: try call.user(), in: application, by: .operator(who)
                )
                .user
            }
            return try call.answer(user)
        },
        AdminRoute(.delete, one, .deleteUser) { call in
            let erasedAt = try await call.modules.deletion.deleteUser(
                try call.user(), in: try call.targetApplication(), by: try call.auditActor())
            return try call.answer(ErasureBody(erasedAt: erasedAt.wire), status: .accepted)
        },
        AdminRoute(.post, "\(one)/restore", .restoreUser) { call in
            let user = try await call.modules.deletion.restoreUser(
                try call.user(), in: try call.targetApplication().id, by: try call.auditActor())
            return try call.answer(user)
        },
        AdminRoute(.post, "\(one)/disable", .disableUser) { call in try await call.setDisabled(true) },
        AdminRoute(.post, "\(one)/enable", .enableUser) { call in try await call.setDisabled(false) },
        AdminRoute(.post, "\(one)/log-out", .endAllSessions) { call in
            let ended = try await call.rules.users.endAllSessions(
                of: try call.user(), in: try call.targetApplication(), by: try call.auditActor())
            return try call.answer(EndedBody(ended: ended.sessions, removedDeviceKeys: ended.deviceKeys))
        },
        AdminRoute(.delete, "\(one)/device-keys/{thumbprint}", .removeDeviceKey) { call in
            try await call.modules.accounts.removeDeviceKeys(
                try call.id("thumbprint"), of: try call.user(), in: try call.targetApplication(),
                by: .operator(try call.auditActor()))
            return AdminCall.done
        },
        AdminRoute(.delete, "\(one)/device-keys", .removeAllDeviceKeys) { call in
            let removed = try await call.modules.accounts.removeDeviceKeys.others(
                of: try call.user(), in: try call.targetApplication(), by: .operator(try call.auditActor()))
            return try call.answer(RemovedDeviceKeysResponse(removed: removed))
        },
        AdminRoute(.delete, "\(one)/passkeys/{passkey}", .removePasskey) { call in
            try await call.modules.passkeys.managePasskeys.remove(
                try call.id("passkey", maximumBytes: Passkey.maximumIdCharacters), of: try call.user(),
                in: try call.targetApplication(), by: .operator(try call.auditActor()))
            return AdminCall.done
        },
        AdminRoute(.delete, "\(one)/sessions/{session}", .endSession) { call in
            try await call.modules.sessions.endSession(
                Identifier(rawValue: try call.id("session")), of: try call.user(), in: try call.targetApplication().id,
                by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "\(one)/password-reset", .orderPasswordReset) { call in
            try await call.rules.users.orderPasswordReset(
                for: try call.user(), in: try call.targetApplication(), from: call.client, by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.delete, "\(one)/second-factors", .resetSecondFactors) { call in
            try await call.modules.secondFactors.manageSecondFactors.removeAll(
                of: try call.user(), in: try call.targetApplication(), by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "\(one)/transfer-code", .issueTransferCode) { call in
            _ = try await call.modules.directory.readUser(try call.user(), in: try call.targetApplication().id)
            let issued = try await call.modules.transfers.issueTransferCode(
                to: try call.user(), in: try call.targetApplication(), by: try call.auditActor())
            return try call.answer(
                AdminTransferCodeBody(
                    code: issued.code.revealed, expiresAt: issued.expiresAt.wire, link: issued.link?.revealed),
                status: .created)
        },
        AdminRoute(.post, "\(one)/merge", .mergeUsers) { call in
            let body = try await call.body(MergeIntoBody.self)
            let merge = try await call.rules.users.merge(
                try call.user(), into: Identifier(rawValue: body.into), in: try call.targetApplication(),
                by: try call.auditActor())
            return try call.answer(MergedBody(merge: merge.rawValue, user: body.into))
        },
    ]
}

extension AdminCall {
    fileprivate func setDisabled(_ isDisabled: Bool) async throws -> Response {
        let user = try await modules.accounts.setUserDisabled(
            try user(), in: try targetApplication(), isDisabled: isDisabled, by: try auditActor())
        return try answer(user)
    }

    /// The user after a change, as the caller sees it.
    fileprivate func answer(_ user: User, status: HTTPResponse.Status = .ok) throws -> Response {
        let reader = try reader()
        return try answer(
            AdminUserBody(shown: reader.shown(user), in: try targetApplication(), to: reader), status: status,
            version: user.updatedAt)
    }
}

extension BrowseUsers.Filter {
    init(_ query: AdminQuery) throws(RequestError) {
        self.init()
        switch query.text("kind") {
        case nil: break
        case "anonymous"?: isAnonymous = true
        case "registered"?: isAnonymous = false
        default: throw AdminQuery.malformed("kind", .form("One of anonymous, registered."))
        }
        isDisabled = try query.truth("disabled")
        isLeaving = try query.truth("leaving")
        hasWeakCredential = try query.truth("weak")
        provider = query.text("provider").map { Identity.Provider(rawValue: $0) }
        protocolName = query.text("protocol").map { Session.ProtocolName(rawValue: $0) }
        seenSince = try query.day("seenSince")
        notSeenSince = try query.day("notSeenSince")
        search = query.text("search")
    }
}

extension UserEdit {
    init(_ patch: UserPatchBody) {
        self.init(
            displayName: ValueChange(patch.displayName), locale: ValueChange(patch.locale),
            fields: ValueChange(patch.fields),
            identifiers: NewIdentifiers(
                username: ValueChange(patch.username), email: ValueChange(patch.email),
                phone: ValueChange(patch.phone), rules: .native))
    }
}
