import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let one = "applications/{application}/users/{user}"

    /// Users, one and many.
    static let users: [AdminRoute] = [
        AdminRoute(.get, "applications/{application}/users", .readUsers) { call in
            let query = try AdminQuery(
                call, "kind", "disabled", "leaving", "weak", "provider", "protocol", "seenSince", "notSeenSince",
                "search", "from", "limit")
            let (access, application) = (try call.caller(), try call.place())
            let page = try await call.rules.browseUsers(
                in: application.id, try BrowseUsers.Filter(query), from: query.text("from").map(UserPlace.init(wire:)),
                limit: try query.number("limit", in: 1...BrowseUsers.maximumPageSize) ?? 50,
                searchesParts: access.may(.readPersonalData))
            try await call.useCases.recordReading(of: nil, in: application.id, by: try call.auditActor())
            return try call.answer(
                AdminUsersBody(
                    users: page.users.map { AdminUserBody($0, in: application, for: access) }, next: page.next?.wire))
        },
        AdminRoute(.get, one, .readUsers) { call in
            let (access, application) = (try call.caller(), try call.place())
            let found = try await call.rules.inspectUser(try call.user(), in: application.id)
            try await call.useCases.recordReading(of: found.user.id, in: application.id, by: try call.auditActor())
            return try call.answer(
                InspectedUserBody(found, in: application, for: access), version: found.user.updatedAt)
        },
        AdminRoute(.patch, one, .changeUsers) { call in
            let application = try call.place()
            let patch = try await call.api.native.readJSON(
                UserPatchBody.self, of: call.request, call.context,
                mediaTypes: ["application/merge-patch+json", "application/json"])
            var edit = UserEdit(patch ?? UserPatchBody())
            // By another address somebody else could get a new password.
            if !edit.identifiers.isEmpty { try call.rules.requireRecentLogIn(try call.caller()) }
            edit.version = try call.version()
            let user = try await call.useCases.editUser(
                edit, of: try call.user(), in: application, by: .operator(try call.auditActor())
            ).user
            return try call.answer(
                AdminUserBody(user, in: application, for: try call.caller()), version: user.updatedAt)
        },
        AdminRoute(.delete, one, .changeUsers, needsPresence: true) { call in
            let erasedAt = try await call.useCases.deleteUser(
                try call.user(), in: try call.place(), by: try call.auditActor())
            return try call.answer(ErasureBody(erasedAt: erasedAt.wire), status: .accepted)
        },
        AdminRoute(.post, "\(one)/restore", .changeUsers) { call in
            let application = try call.place()
            let user = try await call.useCases.restoreUser(
                try call.user(), in: application.id, by: try call.auditActor())
            return try call.answer(
                AdminUserBody(user, in: application, for: try call.caller()), version: user.updatedAt)
        },
        AdminRoute(.post, "\(one)/disable", .changeUsers) { call in try await call.setDisabled(true) },
        AdminRoute(.post, "\(one)/enable", .changeUsers) { call in try await call.setDisabled(false) },
        AdminRoute(.post, "\(one)/log-out", .changeUsers) { call in
            let ended = try await call.rules.endAllSessions(
                of: try call.user(), in: try call.place(), by: try call.auditActor())
            return try call.answer(EndedBody(ended: ended.sessions, removedDeviceKeys: ended.deviceKeys))
        },
        AdminRoute(.delete, "\(one)/device-keys/{thumbprint}", .changeUsers) { call in
            try await call.useCases.removeDeviceKeys(
                try call.id("thumbprint"), of: try call.user(), in: try call.place(), by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.delete, "\(one)/device-keys", .changeUsers) { call in
            let removed = try await call.useCases.removeDeviceKeys.others(
                of: try call.user(), in: try call.place(), keeping: .nothing, by: try call.auditActor())
            return try call.answer(RemovedDeviceKeysAnswer(removed: removed))
        },
        AdminRoute(.delete, "\(one)/sessions/{session}", .changeUsers) { call in
            try await call.rules.endSession(
                Identifier(rawValue: try call.id("session")), of: try call.user(), in: try call.place().id,
                by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "\(one)/password-reset", .changeUsers) { call in
            try await call.rules.orderPasswordReset(
                for: try call.user(), in: try call.place(), from: call.client, by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "\(one)/transfer-code", .changeUsers, needsPresence: true) { call in
            _ = try await call.useCases.readUser(try call.user(), in: try call.place().id)
            let issued = try await call.useCases.issueTransferCode(
                to: try call.user(), in: try call.place(), by: try call.auditActor())
            return try call.answer(
                AdminTransferCodeBody(
                    code: issued.code.revealed, expiresAt: issued.expiresAt.wire, link: issued.link?.revealed),
                status: .created)
        },
        AdminRoute(.post, "\(one)/merge", .changeUsers, needsPresence: true) { call in
            let body = try await call.body(MergeIntoBody.self)
            let merge = try await call.rules.mergeUsers(
                try call.user(), into: Identifier(rawValue: body.into), in: try call.place(), by: try call.auditActor())
            return try call.answer(MergedBody(merge: merge.rawValue, user: body.into))
        },
    ]
}

extension AdminCall {
    fileprivate func setDisabled(_ isDisabled: Bool) async throws -> Response {
        let application = try place()
        let user = try await useCases.setUserDisabled(
            try user(), in: application, isDisabled: isDisabled, by: try auditActor())
        return try answer(AdminUserBody(user, in: application, for: try caller()), version: user.updatedAt)
    }
}

extension BrowseUsers.Filter {
    init(_ query: AdminQuery) throws(RequestError) {
        self.init()
        switch query.text("kind") {
        case nil: break
        case "anonymous"?: isAnonymous = true
        case "registered"?: isAnonymous = false
        default: throw AdminQuery.malformed("kind")
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

extension UserPlace {
    /// `ID` or `ID.KEY`.
    init(wire text: String) {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        self.init(id: Identifier(rawValue: parts.first ?? ""), key: parts.count > 1 ? parts[1] : "")
    }

    var wire: String { key.isEmpty ? id.rawValue : "\(id.rawValue).\(key)" }
}

extension UserEdit {
    init(_ patch: UserPatchBody) {
        self.init(
            displayName: ValueChange(patch.displayName), locale: ValueChange(patch.locale),
            fields: ValueChange(patch.fields),
            identifiers: NewIdentifiers(
                username: ValueChange(patch.username), email: ValueChange(patch.email),
                phone: ValueChange(patch.phone)))
    }
}
