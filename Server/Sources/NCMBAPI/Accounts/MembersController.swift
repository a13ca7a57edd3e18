import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Members: signed up, read, changed and deleted.
final class MembersController: Sendable {
    private let requests: NCMBRequests
    private let logIns: LogIns
    private let directory: UserDirectory
    private let accounts: Accounts
    private let verifyCredential: VerifyCredential
    private let eraseAccessibleUser: EraseAccessibleUser
    private let mails: MailsController

    init(_ requests: NCMBRequests, _ modules: Modules, mails: MailsController) {
        self.requests = requests
        logIns = modules.logIns
        directory = modules.directory
        accounts = modules.accounts
        verifyCredential = modules.providers.verifyCredential
        eraseAccessibleUser = modules.deletion.eraseAccessibleUser
        self.mails = mails
    }

    /// `POST /users`: signs a member up; with `authData` it also logs a known one in.
    ///
    /// A session that comes with it is left alone: the Objective-C SDK makes a new member in the session of an anonymous
    /// one, and deletes that afterwards; and others send tokens that have long been dead.
    func create(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await requests.body(of: request, context)
        let authData = try AuthDataRequest(body.members["authData"])
        let profile = try body.profile(in: caller.application)
        let logIn =
            authData.isEmpty
            ? try await signUp(body, profile, caller, request, context)
            : try await logIn(authData, body, profile, caller, request, context)
        if logIn.isNew, logIn.user.email != nil, logIn.user.emailVerifiedAt == nil {
            await mails.sendConfirmation(to: logIn.user, by: logIn.session, for: caller, request, context)
        }
        let member = MemberObject(logIn.user, for: caller)
        let token = logIn.token.revealed
        let answer =
            authData.isEmpty
            ? member.signedUp(sessionToken: token)
            : member.own(
                sessionToken: token,
                authData: AuthDataObject.value(of: logIn.user.identities, sent: authData.sent))
        return try NCMBResponse.signed(answer, status: logIn.isNew ? .created : .ok, for: caller)
    }

    private func signUp(
        _ body: NCMBBody, _ profile: UserRegistration.Profile, _ caller: NCMBCaller, _ request: Request,
        _ context: ServerContext
    ) async throws -> LogIn {
        let missing = NCMBFault.empty("userName or password")
        let userName = try body.text("userName", missing: missing)
        let password = try body.text("password", missing: missing)
        return try await logIns.signUp(
            SignUp.Request(
                application: caller.application,
                identifiers: NewIdentifiers(
                    username: .set(userName), email: try body.mailAddress, rules: .ncmb(in: caller.application)),
                password: Secret(password), newUser: profile,
                client: LogInClient(
                    .ncmb, on: requests.device(of: request), from: requests.client(of: request, context),
                    origin: requests.origin(of: request, context))))
    }

    private func logIn(
        _ authData: AuthDataRequest, _ body: NCMBBody, _ profile: UserRegistration.Profile, _ caller: NCMBCaller,
        _ request: Request, _ context: ServerContext
    ) async throws -> LogIn {
        let client = requests.client(of: request, context)
        var identifiers = NewIdentifiers(email: try body.mailAddress, rules: .ncmb(in: caller.application))
        if case .string(let name)? = body.members["userName"], !name.isEmpty { identifiers.username = .set(name) }
        return try await logIns.logInWithIdentities(
            LogInWithIdentities.Request(
                application: caller.application,
                people: try await authData.verified(by: verifyCredential, for: caller, from: client),
                anonymousId: authData.anonymousId, newUser: profile, identifiers: identifiers, caller: nil,
                client: LogInClient(
                    .ncmb, on: requests.device(of: request), from: client, origin: requests.origin(of: request, context)
                )))
    }

    /// `GET /users/{objectId}`. To read oneself is the hot path: the session's cache has the member already, and after the
    /// first time the answer's bytes too, but for the session token, which nothing keeps.
    func read(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        let member = try await requests.member(of: request, context, for: caller)
        let id = try context.memberId
        if let member, member.user.id == id {
            // Swift's SDK erases its own session token before it takes this answer over, so the answer has it again.
            let isWritten = member.encodedUser?.protocolName == .ncmb
            let anonymousId = isWritten ? nil : try await directory.readAnonymousId(of: member.user)
            let written = try member.written(
                for: .ncmb, MemberObject(member.user, for: caller, anonymousId: anonymousId).own())
            return NCMBResponse.signed(
                written.bytes(with: request.headers.value(of: .ncmbSessionToken) ?? ""), for: caller)
        }
        let user = try await directory.readUser(id, in: caller.application.id)
        guard user.isVisible(to: caller.reader(member?.user.id)) else {
            throw user.deletionRequestedAt == nil ? DomainError.accessRefused : .userUnknown
        }
        return try NCMBResponse.signed(MemberObject(user, for: caller).forOthers, for: caller)
    }

    /// `PUT /users/{objectId}`: changes fields, links and unlinks providers. JavaScript sends the whole object each time.
    func update(
        _ caller: NCMBCaller, _ member: Authenticated?, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let id = try context.memberId
        let body = try await requests.body(of: request, context)
        if let password = body.members["password"], password != .null {
            try await refuseOther(password, of: member, id, caller, from: requests.client(of: request, context))
        }
        let actor = AccountActor.user(member?.user.id, standard: caller.standard)
        var linked: [LinkedIdentity] = []
        if let sent = body.members["authData"], sent != .null {
            linked = try await directory.readLinkedIdentities(
                of: id, in: caller.application.id, for: actor, session: member)
        }
        let authData = try AuthDataRequest(body.members["authData"], linked: linked)
        var edit = try body.edit(
            in: caller.application, isOwn: member?.user.id == id,
            generatedName: try await generatedName(of: id, for: member?.user, caller, in: body))
        edit.people = try await authData.verified(
            by: verifyCredential, for: caller, from: requests.client(of: request, context))
        edit.anonymousId = authData.anonymousId
        edit.unlinked = authData.unlinked
        let changed = try await accounts.editUser(
            edit, of: id, in: caller.application,
            by: AccountAuthor(actor, of: id, session: member, from: requests.origin(of: request, context)))
        if changed.hasNewEmail {
            await mails.sendConfirmation(to: changed.user, by: member?.session, for: caller, request, context)
        }
        let time = MemberObject(changed.user, for: caller).updateDate
        return try NCMBResponse.signed(NCMBObject([("updateDate", .string(time.text))]), for: caller)
    }

    /// The original changed passwords by mail only; to drop another one silently would lock its owner out. The present one is
    /// no change: Kotlin sends it with everything else. The session stands for a second factor, whose lack shows with the
    /// right password alone.
    ///
    /// - Throws: `E403005` for another password; `rateLimited` as at a log-in.
    private func refuseOther(
        _ password: JSONValue, of member: Authenticated?, _ id: Identifier<User>, _ caller: NCMBCaller,
        from address: ClientAddress
    ) async throws {
        let refusal = NCMBFault.notToBeEntered("password")
        guard case .string(let text) = password, let member, member.user.id == id, member.user.hasPassword,
            !member.user.typedIdentifiers.isEmpty
        else { throw refusal }
        do throws(DomainError) {
            _ = try await logIns.verifyPassword(
                VerifyPassword.Request(
                    application: caller.application, password: Secret(text), address: address,
                    candidates: member.user.typedIdentifiers))
        } catch {
            guard error.code != .secondFactorRequired else { return }
            throw error.code == .credentialRefused ? refusal : error
        }
    }

    /// The name that a member without one is shown with, when the body has a name at all. To whom the member is not shown it is a name
    /// like any other: that it is taken for no change would say that the member has chosen none (decision 0292).
    private func generatedName(
        of id: Identifier<User>, for reader: User?, _ caller: NCMBCaller, in body: NCMBBody
    ) async throws(DomainError) -> String? {
        guard body.members["userName"] != nil else { return nil }
        let user: User
        if let reader, reader.id == id {
            user = reader
        } else {
            user = try await directory.readUser(id, in: caller.application.id)
        }
        guard user.username == nil, user.rights(of: reader?.id, standard: caller.standard).contains(.read) else {
            return nil
        }
        return MemberObject(user, for: caller).userName
    }

    /// `DELETE /users/{objectId}`: at once and for good, because apps sign up by the same name right after it.
    func delete(
        _ caller: NCMBCaller, _ member: Authenticated?, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let id = try context.memberId
        let actor = AccountActor.user(member?.user.id, standard: caller.standard)
        try await eraseAccessibleUser(
            id, in: caller.application,
            by: AccountAuthor(actor, of: id, session: member, from: requests.origin(of: request, context)),
            seesLeaving: false)
        return try NCMBResponse.signed(nil, for: caller)
    }
}

extension ServerContext {
    /// The member that the path names.
    fileprivate var memberId: Identifier<User> {
        get throws(DomainError) {
            guard let id = parameters.get("objectId"), id.utf8.count <= 128 else { throw .userUnknown }
            return Identifier(rawValue: id)
        }
    }
}
