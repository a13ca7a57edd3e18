import Foundation
import Okaeri
@_spi(Base64URL) import OkaeriWire

extension InMemoryServer {
    /// The instant by the server's clock.
    func time(_ contents: ServerContents) -> WireTime {
        WireTime(clock.now.addingTimeInterval(contents.clockOffset))
    }

    /// The response to a request, and its effects.
    func respond(to request: TransportRequest, _ contents: inout ServerContents) -> TransportResponse {
        do throws(Refusal) {
            guard request.headers[HeaderName.application] == application else {
                throw Refusal(401, .applicationUnknown)
            }
            let response = try route(request, &contents)
            return tellNotices(response, to: request, contents)
        } catch {
            return error.problem.response(retryAfter: error.retryAfter)
        }
    }

    private func route(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let path = request.url.path
        switch (request.method, path) {
        case ("GET", APIPath.applicationProfile):
            return .json(200, contents.profile ?? standardProfile(contents))
        case ("POST", APIPath.logInAutomatically): return try logInAutomatically(request, &contents)
        case ("POST", "/a/\(application)/token"): return redeemWebCode(request, &contents)
        case ("POST", APIPath.logOut):
            let token = try authenticate(request, &contents).token
            contents.sessions[token] = nil
            return TransportResponse(status: 204)
        case ("GET", APIPath.user):
            let session = try authenticate(request, &contents).session
            return .json(200, contents.users[session.user]?.body)
        case ("PATCH", APIPath.user): return try update(request, &contents)
        case ("GET", APIPath.sessions): return try listSessions(request, &contents)
        case ("DELETE", APIPath.sessions):
            let (token, session) = try authenticate(request, &contents)
            try checkPresence(request, session, contents)
            return .json(200, evict(from: session.user, keeping: token, "other_sessions_ended", &contents))
        case (_, _) where path.hasPrefix(APIPath.passkeys) || path.hasPrefix(APIPath.logInWithPasskey),
            (_, APIPath.mergeByPasskey):
            return try respondToPasskeys(request, &contents)
        case (_, _) where path.hasPrefix(APIPath.secondFactors) || path.hasPrefix(APIPath.logInWithSecondFactor):
            return try respondToSecondFactors(request, &contents)
        case (_, _) where path.hasPrefix(APIPath.deviceKeys): return try respondToDeviceKeys(request, &contents)
        case ("DELETE", _) where path.hasPrefix("\(APIPath.sessions)/"):
            let session = try authenticate(request, &contents).session
            let ended = contents.sessions.first {
                $0.value.user == session.user && path == APIPath.session($0.value.body.id)
            }
            guard let ended else { throw Refusal(404, .sessionUnknown) }
            contents.sessions[ended.key] = nil
            return TransportResponse(status: 204)
        case ("DELETE", APIPath.user): return try requestDeletion(request, &contents)
        case ("GET", APIPath.export): return try export(request, &contents)
        case ("POST", APIPath.token): return try mint(request, &contents)
        case ("POST", APIPath.logInWithTransferCode): return try redeemTransferCode(request, &contents)
        case ("POST", APIPath.mergePreview): return try previewMerge(request, &contents)
        case ("POST", APIPath.merge): return try resolveMerge(request, &contents)
        case ("POST", APIPath.undoMerge): return try undoMerge(request, &contents)
        case ("POST", APIPath.transferCode): return try issueTransferCode(request, &contents)
        case ("DELETE", APIPath.transferCode):
            let session = try authenticate(request, &contents).session
            contents.transferCodes = contents.transferCodes.filter { $0.value.user != session.user }
            return TransportResponse(status: 204)
        case ("POST", APIPath.undoTransfer): return try undoTransfer(request, &contents)
        case ("GET", APIPath.notices):
            let session = try authenticate(request, &contents).session
            return .json(200, NoticeListResponse(notices: contents.news(for: session).map(\.notice)))
        case ("DELETE", _) where path.hasPrefix("\(APIPath.notices)/"):
            return try acknowledge(path.dropFirst(APIPath.notices.count + 1), request, &contents)
        case ("POST", APIPath.signUp): return try signUp(request, &contents)
        case ("POST", APIPath.logInWithPassword): return try logInWithPassword(request, &contents)
        case ("POST", APIPath.requestLogInCode): return try requestLogInCode(request, &contents)
        case ("POST", APIPath.logInWithCode): return try logInWithCode(request, &contents)
        case ("POST", APIPath.requestPasswordReset): return try requestPasswordReset(request, &contents)
        case ("POST", APIPath.resetPassword): return try resetPassword(request, &contents)
        case ("POST", APIPath.requestEmailVerification): return try requestEmailVerification(request, &contents)
        case ("POST", APIPath.verifyEmail): return try verifyEmail(request, &contents)
        case ("POST", APIPath.upgrade): return try upgrade(request, &contents)
        case ("PUT", APIPath.password): return try changePassword(request, &contents)
        case ("POST", APIPath.reauthenticate): return try reauthenticate(request, &contents)
        case ("POST", APIPath.adopt): return try adopt(request, &contents)
        case ("POST", _) where path.hasPrefix("/v1/log-in/"): return try logInWithProvider(request, &contents)
        case ("POST", _) where path.hasPrefix("/v1/user/identities/"): return try link(request, &contents)
        case ("DELETE", _) where path.hasPrefix("/v1/user/identities/"): return try unlink(request, &contents)
        default: throw Refusal(404, .pathUnknown)
        }
    }

    private func logInAutomatically(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let thumbprint = try checkProof(of: request, token: nil, &contents)
        let body = try request.body.map { data throws(Refusal) in try read(AutomaticLogInBody.self, from: data) }
        if let name = request.headers[HeaderName.idempotencyKey] {
            if let known = contents.responses[name] {
                guard known.thumbprint == thumbprint, known.body == asked(body, request) else {
                    throw Refusal(409, .idempotencyKeyReused)
                }
                return known.response
            }
            let response = try logIn(thumbprint, body, restores: request.restores, &contents)
            contents.responses[name] = (thumbprint, asked(body, request), response)
            return response
        }
        return try logIn(thumbprint, body, restores: request.restores, &contents)
    }

    private func logIn(
        _ thumbprint: String, _ body: AutomaticLogInBody?, restores: Bool, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        try restore(key: thumbprint, isWished: restores, &contents)
        if contents.removedKeys[thumbprint] == nil { try checkFirstLaunch(thumbprint, body, &contents) }
        let response = try logInResponse(thumbprint, body, createdWith: "automatic", &contents)
        return .json(response.isNew ? 201 : 200, response)
    }

    /// Logs in the user that a key leads to, or a new one.
    func logInResponse(
        _ thumbprint: String, _ body: AutomaticLogInBody?, createdWith method: String,
        _ contents: inout ServerContents
    ) throws(Refusal) -> LogInResponse {
        let now = time(contents)
        let known = contents.usersByKey[thumbprint].flatMap { contents.users[$0] }
        guard known?.isDisabled != true else { throw Refusal(403, .userDisabled) }
        if let known {
            try demandSecondFactor(of: known.body, thumbprint, body?.device, by: method, contents: &contents)
        }
        if known == nil, method == "automatic", let removed = contents.removedKeys[thumbprint] {
            throw Refusal(removed)
        }
        contents.removedKeys[thumbprint] = nil
        let number = contents.newNumber()
        var user =
            known
            ?? ServerContents.StoredUser(
                number: number,
                body: UserBody(
                    id: newName("u", 9), isAnonymous: true, displayName: body?.user?.displayName,
                    locale: body?.user?.locale,
                    fields: body?.user?.fields ?? [:],
                    identities: [IdentityBody(provider: "device", subject: thumbprint, linkedAt: now)], createdAt: now,
                    updatedAt: now))
        let previous = user.body.lastLogInAt
        user.body.previousLogInAt = previous
        user.body.lastLogInAt = now
        contents.users[user.body.id] = user
        contents.usersByKey[thumbprint] = user.body.id
        let session = openSession(of: user.body, number, thumbprint, body?.device, by: method, &contents)
        return LogInResponse(isNew: known == nil, user: user.body, previousLogInAt: previous, session: session)
    }

    private func update(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let patch = try read(UserPatchBody.self, from: request.body ?? Data())
        guard var user = contents.users[session.user] else { throw Refusal(401, .sessionInvalid) }
        try check(patch)
        user.body.apply(patch)
        user.body.updatedAt = max(time(contents), user.body.updatedAt)
        contents.users[session.user] = user
        return .json(200, user.body)
    }

    private func check(_ patch: UserPatchBody) throws(Refusal) {
        if case .set(let name) = patch.displayName, name.count > 200 {
            let problem = FieldProblem(field: "displayName", code: "too_long", detail: "At most 200 characters.")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
        if case .set(let locale) = patch.locale, locale.count > 35 {
            let problem = FieldProblem(field: "locale", code: "too_long", detail: "At most 35 characters.")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
    }

    private func listSessions(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let (token, own) = try authenticate(request, &contents)
        let sessions = contents.sessions.filter { $0.value.user == own.user }
            .sorted { $0.value.number > $1.value.number }
            .map { entry in
                var body = entry.value.body
                body.isCurrent = entry.key == token
                return body
            }
        return .json(200, SessionListResponse(sessions: sessions))
    }

    private func mint(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let (_, own) = try authenticate(request, &contents)
        let body = try request.body.map { data throws(Refusal) in try read(TokenBody.self, from: data) }
        let audience = body?.audience ?? application
        guard audience == application || contents.audiences.contains(audience) else {
            throw Refusal(400, .audienceNotAllowed)
        }
        let isBound = body?.isBound ?? false
        // A session of a web page has no key.
        guard !isBound || own.thumbprint != nil else {
            let problem = FieldProblem(
                field: "isBound", code: "not_offered", detail: "The session has no device key.")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
        let header = Base64URL.text(of: Data(#"{"alg":"none","typ":"at+jwt"}"#.utf8))
        let user = contents.users[own.user]?.body
        var members = user?.claims ?? [:]
        members["aud"] = .string(audience)
        members["jti"] = .string(newName("", 12))
        if isBound { members["cnf"] = own.thumbprint.map { ["jkt": .string($0)] } }
        if let version = user?.claimsVersion { members["claims_version"] = .string(version) }
        // What was read from JSON can be written as JSON.
        let claims = Base64URL.text(of: (try? JSONEncoder().encode(members)) ?? Data())
        return .json(
            200,
            TokenResponse(
                accessToken: "\(header).\(claims).", tokenType: isBound ? "DPoP" : "Bearer", expiresIn: 600))
    }

    func newName(_ prefix: String, _ byteCount: Int) -> String {
        prefix + Base64URL.text(of: randomness.bytes(byteCount))
    }

    func read<Body: Decodable>(_ type: Body.Type, from data: Data) throws(Refusal) -> Body {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as UnknownMember {
            throw Refusal(400, .unknownMember, detail: error.path)
        } catch {
            throw Refusal(400, .malformedBody)
        }
    }
}

/// A request that is refused.
struct Refusal: Error {
    var problem: Problem
    /// Seconds to wait.
    var retryAfter: Int?

    init(
        _ status: Int, _ code: ErrorCode, detail: String? = nil, errors: [FieldProblem]? = nil,
        serverTime: WireTime? = nil, erasedAt: WireTime? = nil, merge: MergeOfferBody? = nil
    ) {
        var problem = Problem(
            title: code.rawValue, status: status, detail: detail, code: code, errors: errors, serverTime: serverTime)
        problem.erasedAt = erasedAt
        problem.merge = merge
        self.problem = problem
    }
}

extension Problem {
    /// The problem as a response.
    func response(retryAfter: Int?) -> TransportResponse {
        var response = TransportResponse.json(status, self)
        // Title-cased, as some systems hand headers over.
        response.headers["Content-type"] = Problem.mediaType
        if let retryAfter { response.headers["Retry-after"] = String(retryAfter) }
        return response
    }
}

extension TransportResponse {
    /// A value as a response.
    static func json(_ status: Int, _ body: some Encodable) -> TransportResponse {
        do {
            return TransportResponse(
                status: status, headers: ["Content-Type": "application/json"], body: try JSONEncoder().encode(body))
        } catch {
            preconditionFailure("the server's own values can be written: \(error)")
        }
    }
}
