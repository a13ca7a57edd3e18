import Foundation
import Okaeri
import OkaeriWire

/// Accounts with a password. Passwords are kept as they are: nothing here outlives the test.
extension InMemoryServer {
    func openSession(
        of user: UserBody, _ number: Int, _ thumbprint: String?, _ device: DeviceBody?, by method: String,
        _ contents: inout ServerContents
    ) -> NewSessionBody {
        let now = time(contents)
        let token = "oks_" + newName("", 32)
        let end = WireTime(millisecondsSince1970: now.millisecondsSince1970 + 400 * 86_400_000)
        var session = SessionBody(
            id: newName("s", 9), isCurrent: false, protocol: "native", createdWith: method, createdAt: now,
            lastUsedAt: now, expiresAt: end)
        session.device = device
        session.address = "192.0.2.1"
        contents.sessions[token] = ServerContents.StoredSession(
            number: number, user: user.id, thumbprint: thumbprint, body: session,
            authenticatedAt: method == "automatic" && !user.isAnonymous ? nil : now)
        return NewSessionBody(id: session.id, token: token, expiresAt: end, idleSeconds: 60 * 86_400)
    }

    func signUp(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(SignUpBody.self, from: request.body ?? Data())
        let thumbprint = try optionalProof(of: request, &contents)
        if let known = try repeated(request, thumbprint, contents) { return known }
        let identifiers = [("username", body.username), ("email", body.email), ("phone", body.phone)]
        try check(identifiers, body.password, contents)
        let now = time(contents)
        let number = contents.newNumber()
        var user = UserBody(
            id: newName("u", 9), isAnonymous: false, displayName: body.displayName, locale: body.locale,
            fields: body.fields ?? [:], createdAt: now, updatedAt: now)
        user.username = body.username
        user.email = body.email
        user.phone = body.phone
        user.hasPassword = true
        user.lastLogInAt = now
        join(thumbprint, body.joinsDevice, &user, &contents)
        contents.users[user.id] = ServerContents.StoredUser(number: number, body: user, password: body.password)
        register(user, &contents)
        let session = openSession(of: user, number, thumbprint, body.device, by: "sign-up", &contents)
        let response = TransportResponse.json(
            201, LogInResponse(isNew: true, user: user, previousLogInAt: nil, session: session))
        remember(response, request, thumbprint, &contents)
        return response
    }

    func logInWithPassword(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(PasswordLogInBody.self, from: request.body ?? Data())
        let thumbprint = try optionalProof(of: request, &contents)
        if let known = try repeated(request, thumbprint, contents) { return known }
        let identifier = body.identifier.trimmingCharacters(in: .whitespaces).lowercased()
        guard let id = contents.usersByIdentifier[identifier],
            contents.users[id]?.password == body.password
        else { throw Refusal(401, .credentialRefused) }
        return try logIn(
            id, request, thumbprint, joins: body.joinsDevice, device: body.device, by: "password", &contents)
    }

    /// Logs in a user who has been proved.
    func logIn(
        _ id: String, _ request: TransportRequest, _ thumbprint: String?, joins: Bool?, device: DeviceBody?,
        by method: String, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        guard let user = contents.users[id] else { throw Refusal(401, .credentialRefused) }
        guard !user.isDisabled else { throw Refusal(403, .userDisabled) }
        try restore(id, isWished: request.restores, &contents)
        do {
            try demandSecondFactor(of: user.body, thumbprint, joins: joins, device, by: method, contents: &contents)
        } catch {
            // The code of the log-in counted: its repetition is answered the same.
            remember(error.problem.response(retryAfter: nil), request, thumbprint, &contents)
            throw error
        }
        return try logIn(proven: user, request, thumbprint, joins: joins, device: device, by: method, &contents)
    }

    /// Logs in a user who has shown all that is asked for.
    func logIn(
        proven known: ServerContents.StoredUser, _ request: TransportRequest, _ thumbprint: String?, joins: Bool?,
        device: DeviceBody?, by method: String, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        var user = known
        let id = user.body.id
        user.erasedAt = nil
        user.body.previousLogInAt = user.body.lastLogInAt
        user.body.lastLogInAt = time(contents)
        join(thumbprint, joins, &user.body, &contents)
        contents.users[id] = user
        let session = openSession(of: user.body, contents.newNumber(), thumbprint, device, by: method, &contents)
        // A passkey that has recognised its user is two factors.
        if method == "passkey" { contents.sessions[session.token]?.secondFactorAt = user.body.lastLogInAt }
        let response = TransportResponse.json(
            200,
            LogInResponse(
                isNew: false, user: user.body, previousLogInAt: user.body.previousLogInAt, session: session))
        remember(response, request, thumbprint, &contents)
        return response
    }

    func upgrade(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let body = try read(UpgradeBody.self, from: request.body ?? Data())
        let thumbprint: String? = request.headers[HeaderName.proof] == nil ? nil : session.thumbprint
        if let known = try repeated(request, thumbprint, contents) { return known }
        guard var user = contents.users[session.user] else { throw Refusal(401, .sessionInvalid) }
        guard user.body.isAnonymous else { throw Refusal(409, .alreadyRegistered) }
        try checkConfirmed(session, contents)
        if thumbprint == nil { try checkFresh(session, contents) }
        let identifiers = [("username", body.username), ("email", body.email), ("phone", body.phone)]
        do {
            try check(identifiers, body.password, contents)
        } catch {
            throw offering(error, identifiers.compactMap(\.1), body.password, session.user, &contents)
        }
        user.body.apply(UserPatchBody(displayName: body.displayName, locale: body.locale, fields: body.fields))
        user.body.username = body.username
        user.body.email = body.email
        user.body.phone = body.phone
        user.body.isAnonymous = false
        user.body.hasPassword = true
        user.body.updatedAt = max(time(contents), user.body.updatedAt)
        user.password = body.password
        contents.users[session.user] = user
        register(user.body, &contents)
        let response = TransportResponse.json(200, user.body)
        remember(response, request, thumbprint, &contents)
        return response
    }

    func changePassword(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let (token, session) = try authenticate(request, &contents)
        let body = try read(PasswordChangeBody.self, from: request.body ?? Data())
        if let current = body.currentPassword {
            guard contents.users[session.user]?.password == current else { throw Refusal(401, .credentialRefused) }
        } else {
            try checkFresh(session, contents)
        }
        try check([], body.newPassword, contents, field: "newPassword")
        contents.users[session.user]?.password = body.newPassword
        let ended = evict(from: session.user, keeping: token, "password_changed", &contents)
        return .json(200, EndedSessionsResponse(ended: ended.ended))
    }

    func reauthenticate(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        if let known = repeatedPresence(request, contents) { return known }
        var (token, session) = try authenticate(request, &contents)
        let body = try request.body.map { data throws(Refusal) in try read(ReauthenticationBody.self, from: data) }
        let user = contents.users[session.user]
        if let password = body?.password {
            guard user?.password == password else { throw Refusal(401, .credentialRefused) }
        } else if let provider = body?.provider, let credential = body?.credential?.logIn {
            let linked = try named(by: credential, provider)
            try use(credential, &contents)
            guard contents.usersByIdentity["\(linked.provider)/\(linked.subject)"] == session.user else {
                throw Refusal(401, .credentialRefused)
            }
        } else if let passkey = body?.passkey {
            guard try prove(passkey, &contents) == session.user else { throw Refusal(401, .credentialRefused) }
            // It has recognised its user.
            session.secondFactorAt = time(contents)
        } else if body?.totp != nil || body?.recoveryCode != nil {
            guard contents.secondFactors.has(session.user) else { throw Refusal(404, .secondFactorUnknown) }
            try check(body?.totp, body?.recoveryCode, of: session.user, &contents)
            session.secondFactorAt = time(contents)
        } else if let code = body?.code {
            guard try use(code, for: .logInCode, ticket: body?.ticket, &contents).user == session.user else {
                throw Refusal(401, .credentialRefused)
            }
        } else {
            guard request.headers[HeaderName.proof] != nil, user?.body.isAnonymous == true else {
                throw Refusal(401, .credentialRefused)
            }
            try checkConfirmed(session, contents)
        }
        contents.sessions[token] = nil
        let (now, former) = (time(contents), token)
        session.authenticatedAt = now
        token = "oks_" + newName("", 32)
        contents.sessions[token] = session
        let until = WireTime(millisecondsSince1970: now.millisecondsSince1970 + 600_000)
        let response = TransportResponse.json(
            200,
            ReauthenticationResponse(
                session: NewSessionBody(
                    id: session.body.id, token: token, expiresAt: session.body.expiresAt, idleSeconds: 60 * 86_400),
                freshUntil: until))
        if let name = request.headers[HeaderName.idempotencyKey] {
            contents.presences[former] = (name, request.body, token, now, response)
        }
        return response
    }

    /// The response once more to a proof of presence that comes again under its name, with the token that it has ended.
    private func repeatedPresence(_ request: TransportRequest, _ contents: ServerContents) -> TransportResponse? {
        guard let header = request.headers["Authorization"],
            let known = contents.presences[String(header.dropFirst("Bearer ".count))],
            known.name == request.headers[HeaderName.idempotencyKey], known.body == request.body,
            contents.sessions[known.token] != nil,
            time(contents).millisecondsSince1970 < known.at.millisecondsSince1970 + 600_000
        else { return nil }
        return known.response
    }

    func optionalProof(
        of request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> String? {
        guard request.headers[HeaderName.proof] != nil || contents.proofRequired else { return nil }
        return try checkProof(of: request, token: nil, &contents)
    }

    func checkFresh(
        _ session: ServerContents.StoredSession, _ contents: ServerContents
    ) throws(Refusal) {
        try checkConfirmed(session, contents)
        guard let last = session.authenticatedAt,
            time(contents).millisecondsSince1970 < last.millisecondsSince1970 + 600_000
        else { throw Refusal(403, .reauthenticationRequired) }
    }

    /// What the real server refuses, in short.
    private func check(
        _ identifiers: [(String, String?)], _ password: String?, _ contents: ServerContents, field: String = "password"
    ) throws(Refusal) {
        var faults: [FieldProblem] = []
        if !identifiers.isEmpty, identifiers.allSatisfy({ $0.1 == nil }) {
            faults.append(FieldProblem(field: "", code: "none_of", detail: "At least one of username, email, phone."))
        }
        if let rules = contents.profile?.rules {
            faults += Self.faults(of: Dictionary(identifiers, uniquingKeysWith: { $1 }), rules)
        }
        let minimum = contents.profile?.rules.password.minimumCharacters ?? 8
        if (password ?? "").unicodeScalars.count < minimum {
            faults.append(FieldProblem(field: field, code: "too_short", detail: "At least \(minimum) characters."))
        }
        guard faults.isEmpty else { throw Refusal(400, .invalidMember, errors: faults) }
        let taken = identifiers.filter { $0.1.map { contents.usersByIdentifier[$0.lowercased()] != nil } ?? false }
        guard taken.isEmpty else {
            throw Refusal(
                409, .identifierTaken,
                errors: taken.map {
                    FieldProblem(field: $0.0, code: "not_unique", detail: "Another one has this value.")
                })
        }
    }

    /// What of the published rules new identifiers break.
    private static func faults(of identifiers: [String: String?], _ rules: AccountRulesBody) -> [FieldProblem] {
        var faults: [FieldProblem] = []
        if let name = identifiers["username"] ?? nil, let minimum = rules.username.minimumCharacters,
            name.precomposedStringWithCompatibilityMapping.unicodeScalars.count < minimum
        {
            faults.append(
                FieldProblem(field: "username", code: "too_short", detail: "At least \(minimum) characters."))
        }
        if rules.email.isRequired, !identifiers.isEmpty, (identifiers["email"] ?? nil) == nil {
            faults.append(FieldProblem(field: "email", code: "required", detail: "It must be there."))
        }
        return faults
    }

    /// A refusal of taken identifiers, with a ticket when the password is that of the one who has them.
    private func offering(
        _ refusal: Refusal, _ identifiers: [String], _ password: String?, _ user: String,
        _ contents: inout ServerContents
    ) -> Refusal {
        let owners = Set(identifiers.compactMap { contents.usersByIdentifier[$0.lowercased()] })
        guard refusal.problem.code == .identifierTaken, owners.count == 1, let owner = owners.first, let password,
            contents.users[owner]?.password == password
        else { return refusal }
        return conflict(user, owner, .identifierTaken, errors: refusal.problem.errors, &contents)
    }

    private func register(_ user: UserBody, _ contents: inout ServerContents) {
        for identifier in [user.username, user.email, user.phone] {
            if let identifier { contents.usersByIdentifier[identifier.lowercased()] = user.id }
        }
    }

    /// Lets a key that leads to nobody lead to the user.
    private func join(
        _ thumbprint: String?, _ joins: Bool?, _ user: inout UserBody, _ contents: inout ServerContents
    ) {
        guard joins ?? true, let thumbprint, contents.usersByKey[thumbprint] == nil else { return }
        contents.usersByKey[thumbprint] = user.id
        contents.removedKeys[thumbprint] = nil
        user.identities.append(
            IdentityBody(provider: "device", subject: thumbprint, linkedAt: time(contents)))
    }

    func repeated(
        _ request: TransportRequest, _ thumbprint: String?, _ contents: ServerContents
    ) throws(Refusal) -> TransportResponse? {
        guard let name = request.headers[HeaderName.idempotencyKey], let known = contents.responses[name] else {
            return nil
        }
        guard known.thumbprint == thumbprint ?? "", known.body == request.body ?? Data() else {
            throw Refusal(409, .idempotencyKeyReused)
        }
        return known.response
    }

    func remember(
        _ response: TransportResponse, _ request: TransportRequest, _ thumbprint: String?,
        _ contents: inout ServerContents
    ) {
        guard let name = request.headers[HeaderName.idempotencyKey] else { return }
        contents.responses[name] = (thumbprint ?? "", request.body ?? Data(), response)
    }
}
