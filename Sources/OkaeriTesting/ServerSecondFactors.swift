import Foundation
import Okaeri
import OkaeriWire

/// Who has a second factor; see ``InMemoryServer/secondFactorMode``.
public enum TestSecondFactorMode: Hashable, Sendable {
    /// Nobody is asked for one, and nobody can add one.
    case off
    /// Who has added one is asked for it.
    case optional
    /// The same, and registered users who have none add one with their next log-in by hand.
    case required
}

/// What an in-memory server knows of second factors.
struct ServerSecondFactors: Sendable {
    struct Factor: Sendable {
        var body: SecondFactorBody
        let user: String
        let totp: TestTOTP
        /// Each code counts once.
        var lastStep: Int64
    }

    /// A log-in of which the second factor is missing.
    struct LogInTicket: Sendable {
        let user: String
        let method: String
        let thumbprint: String?
        let isEnrolment: Bool
        let expiresAt: WireTime
        /// The request that finished it, and its response.
        var finished: (body: Data, response: TransportResponse)?
    }

    /// A key that no code has confirmed yet.
    struct Enrolment: Sendable {
        let user: String
        let totp: TestTOTP
        let expiresAt: WireTime
        /// What the first confirmation was answered.
        var added: NewSecondFactorResponse?
    }

    var mode = TestSecondFactorMode.off
    var deviceKeysCount = true
    /// Oldest first.
    var factors: [Factor] = []
    /// Letters of the codes that are left, by user.
    var recoveryCodes: [String: [String]] = [:]
    var tickets: [String: LogInTicket] = [:]
    var enrolments: [String: Enrolment] = [:]
    /// Wrong codes in a row, by user, with the time of the last.
    var failures: [String: (count: Int, at: WireTime)] = [:]

    func has(_ user: String) -> Bool { factors.contains { $0.user == user } }

    /// Whether a log-in shows one, or adds one.
    func areNeeded(by user: UserBody) -> Bool {
        mode != .off && !user.isAnonymous && (has(user.id) || mode == .required)
    }
}

/// Second factors, by the same rules and in the same words as the real server's.
extension InMemoryServer {
    private static let maximumPerUser = 5
    private static let freeFailures = 5

    func respondToSecondFactors(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        switch (request.method, request.url.path) {
        case ("POST", APIPath.logInWithSecondFactor): return try logInWithSecondFactor(request, &contents)
        case ("POST", APIPath.requestEnrolment):
            let body = try read(SecondFactorTicketBody.self, from: request.body ?? Data())
            let ticket = try ticket(body.ticket, contents)
            guard ticket.isEnrolment, !contents.secondFactors.has(ticket.user) else {
                throw Refusal(401, .secondFactorTicketInvalid)
            }
            return .json(200, try offer(to: ticket.user, &contents))
        case ("POST", APIPath.requestTOTP):
            let session = try authenticate(request, &contents).session
            try checkFresh(session, contents)
            try checkSecondFactor(session, contents)
            return .json(200, try offer(to: session.user, &contents))
        case ("POST", APIPath.totp):
            let (token, session) = try authenticate(request, &contents)
            let body = try read(NewTOTPBody.self, from: request.body ?? Data())
            try checkFresh(session, contents)
            try checkSecondFactor(session, contents)
            let added = try confirm(body.ticket, body.code, body.name, of: session.user, &contents)
            let now = time(contents)
            contents.sessions[token]?.secondFactorAt = now
            return .json(201, added)
        case ("POST", APIPath.recoveryCodes):
            let session = try authenticate(request, &contents).session
            try checkFresh(session, contents)
            try checkSecondFactor(session, contents)
            guard contents.secondFactors.has(session.user) else { throw Refusal(404, .secondFactorUnknown) }
            return .json(201, RecoveryCodesResponse(recoveryCodes: newRecoveryCodes(for: session.user, &contents)))
        case ("GET", APIPath.secondFactors):
            let user = try authenticate(request, &contents).session.user
            let own = contents.secondFactors.factors.filter { $0.user == user }
            return .json(
                200,
                SecondFactorListResponse(
                    factors: own.map(\.body), recoveryCodesLeft: contents.secondFactors.recoveryCodes[user]?.count ?? 0)
            )
        case ("DELETE", let path): return try removeSecondFactor(path, request, &contents)
        default: throw Refusal(405, .methodNotAllowed)
        }
    }

    private func removeSecondFactor(
        _ path: String, _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        try checkFresh(session, contents)
        try checkSecondFactor(session, contents)
        let found = contents.secondFactors.factors.firstIndex {
            $0.user == session.user && APIPath.secondFactor($0.body.id) == path
        }
        guard let found else { throw Refusal(404, .secondFactorUnknown) }
        contents.secondFactors.factors.remove(at: found)
        if !contents.secondFactors.has(session.user) { contents.secondFactors.recoveryCodes[session.user] = nil }
        return TransportResponse(status: 204)
    }

    // MARK: What is asked for

    /// Refuses a log-in that lacks the second factor, with a ticket that finishes it.
    func demandSecondFactor(
        of user: UserBody, _ thumbprint: String?, joins: Bool? = nil, _ device: DeviceBody?, by method: String,
        contents: inout ServerContents
    ) throws(Refusal) {
        let hasFactor = contents.secondFactors.has(user.id)
        // A passkey that has recognised its user is two factors; the pages ask for the second one themselves.
        guard contents.secondFactors.areNeeded(by: user), !["passkey", "pages"].contains(method) else { return }
        if hasFactor {
            guard method != "transfer-code" else { return }
            let isKnown = thumbprint.map { contents.usersByKey[$0] == user.id } ?? false
            guard !isKnown || !contents.secondFactors.deviceKeysCount else { return }
        } else if method == "automatic" || method == "adoption" || method == "transfer-code" {
            return
        }
        let name = newName("", 24)
        let end = later(300_000, contents)
        contents.secondFactors.tickets[name] = .init(
            user: user.id, method: method, thumbprint: thumbprint, isEnrolment: !hasFactor, expiresAt: end)
        var refusal = Refusal(403, hasFactor ? .secondFactorRequired : .secondFactorEnrolmentRequired)
        let hasCodes = contents.secondFactors.recoveryCodes[user.id]?.isEmpty == false
        let keyUser = thumbprint.flatMap { contents.usersByKey[$0] } ?? user.id
        refusal.problem.secondFactor = SecondFactorChallengeBody(
            ticket: name, factors: hasFactor ? ["totp"] + (hasCodes ? ["recovery-code"] : []) : [], expiresAt: end,
            hasPasskey: contents.passkeys.contains { $0.user == user.id },
            joinsDevice: joins != false && keyUser != user.id ? false : nil)
        throw refusal
    }

    /// What changes second factors or an address, or makes what counts as two, needs the second factor within ten minutes.
    func checkSecondFactor(
        _ session: ServerContents.StoredSession, _ contents: ServerContents
    ) throws(Refusal) {
        guard contents.secondFactors.has(session.user) else { return }
        guard let last = session.secondFactorAt,
            time(contents).millisecondsSince1970 < last.millisecondsSince1970 + 600_000
        else { throw Refusal(403, .secondFactorNotRecent) }
    }

    /// Compares what somebody shows. It counts once; wrong ones make the next wait.
    func check(
        _ code: String?, _ recoveryCode: String?, of user: String, _ contents: inout ServerContents
    ) throws(Refusal) {
        let now = time(contents)
        let failures = contents.secondFactors.failures[user]
        if let failures, failures.count >= Self.freeFailures {
            let wait = min(Int64(1000) << min(failures.count - Self.freeFailures, 10), 900_000)
            let left = failures.at.millisecondsSince1970 + wait - now.millisecondsSince1970
            guard left <= 0 else {
                var refusal = Refusal(429, .rateLimited)
                refusal.retryAfter = Int(clamping: (left + 999) / 1000)
                throw refusal
            }
        }
        guard takes(code, recoveryCode, of: user, at: now, &contents) else {
            contents.secondFactors.failures[user] = ((failures?.count ?? 0) + 1, now)
            throw Refusal(401, .secondFactorInvalid)
        }
        contents.secondFactors.failures[user] = nil
    }

    private func takes(
        _ code: String?, _ recoveryCode: String?, of user: String, at now: WireTime, _ contents: inout ServerContents
    ) -> Bool {
        if let recoveryCode {
            let letters = Self.letters(of: recoveryCode)
            guard let index = contents.secondFactors.recoveryCodes[user]?.firstIndex(of: letters) else { return false }
            contents.secondFactors.recoveryCodes[user]?.remove(at: index)
            return true
        }
        for index in contents.secondFactors.factors.indices where contents.secondFactors.factors[index].user == user {
            let factor = contents.secondFactors.factors[index]
            guard let step = Self.step(of: code ?? "", factor.totp, at: now, after: factor.lastStep) else { continue }
            contents.secondFactors.factors[index].lastStep = step
            contents.secondFactors.factors[index].body.lastUsedAt = now
            return true
        }
        return false
    }

    /// The step whose code was typed: the present one, the one before or the one after.
    private static func step(of code: String, _ totp: TestTOTP, at now: WireTime, after last: Int64) -> Int64? {
        let present = TestTOTP.step(at: Date(now))
        let digits = code.filter { !$0.isWhitespace }
        return (present - 1...present + 1).last { $0 > last && totp.code(step: $0) == digits }
    }

    // MARK: Adding one

    private func offer(to user: String, _ contents: inout ServerContents) throws(Refusal) -> TOTPOfferResponse {
        guard contents.secondFactors.mode != .off, contents.users[user]?.body.isAnonymous == false else {
            throw Refusal(404, .secondFactorsNotEnabled)
        }
        let totp = TestTOTP(key: Array(randomness.bytes(20)))
        let (name, end) = (newName("", 24), later(600_000, contents))
        contents.secondFactors.enrolments[name] = .init(user: user, totp: totp, expiresAt: end)
        return TOTPOfferResponse(
            ticket: name, secret: totp.secret,
            link: "otpauth://totp/\(application):\(user)?secret=\(totp.secret)&issuer=\(application)", expiresAt: end)
    }

    private func confirm(
        _ ticket: String, _ code: String, _ name: String?, of user: String, _ contents: inout ServerContents
    ) throws(Refusal) -> NewSecondFactorResponse {
        let now = time(contents)
        guard contents.secondFactors.mode != .off else { throw Refusal(404, .secondFactorsNotEnabled) }
        guard let enrolment = contents.secondFactors.enrolments[ticket], enrolment.user == user,
            now.millisecondsSince1970 < enrolment.expiresAt.millisecondsSince1970
        else { throw Refusal(401, .secondFactorTicketInvalid) }
        guard let step = Self.step(of: code, enrolment.totp, at: now, after: 0) else {
            throw Refusal(401, .secondFactorInvalid)
        }
        if let known = enrolment.added { return known }
        let present = contents.secondFactors.factors.count { $0.user == user }
        guard present < Self.maximumPerUser else {
            let problem = FieldProblem(
                field: "ticket", code: "too_many_fields", detail: "At most \(Self.maximumPerUser).")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
        let body = SecondFactorBody(id: newName("t", 9), name: name ?? "Authenticator", createdAt: now, lastUsedAt: nil)
        contents.secondFactors.factors.append(.init(body: body, user: user, totp: enrolment.totp, lastStep: step))
        let codes = present == 0 ? newRecoveryCodes(for: user, &contents) : nil
        let added = NewSecondFactorResponse(factor: body, recoveryCodes: codes)
        contents.secondFactors.enrolments[ticket]?.added = added
        endWhatWasOrdered(by: user, &contents)
        return added
    }

    /// What needs the second factor from now on, and was ordered without it.
    private func endWhatWasOrdered(by user: String, _ contents: inout ServerContents) {
        contents.transferCodes = contents.transferCodes.filter { $0.value.user != user }
        contents.mergeTickets = contents.mergeTickets.filter { $0.value.user != user && $0.value.other != user }
        let present = contents.users[user]?.body.email
        for index in contents.mails.indices where contents.mails[index].user == user {
            let mail = contents.mails[index].mail
            if mail.kind == .emailVerification, mail.email != present { contents.mails[index].isVoid = true }
        }
    }

    private func newRecoveryCodes(for user: String, _ contents: inout ServerContents) -> [String] {
        let codes = (0..<10).map { _ in
            let text = TestTOTP(key: Array(randomness.bytes(7))).secret.prefix(10).lowercased()
            return "\(text.prefix(5))-\(text.suffix(5))"
        }
        contents.secondFactors.recoveryCodes[user] = codes.map(Self.letters(of:))
        return codes
    }

    private static func letters(of typed: String) -> String {
        typed.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    // MARK: The end of a log-in

    private func logInWithSecondFactor(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(SecondFactorLogInBody.self, from: request.body ?? Data())
        guard contents.secondFactors.mode != .off else { throw Refusal(404, .secondFactorsNotEnabled) }
        let ticket = try ticket(body.ticket, contents)
        let thumbprint = try optionalProof(of: request, &contents)
        guard thumbprint == ticket.thumbprint else {
            throw Refusal(401, thumbprint == nil ? .proofRequired : .proofInvalid, detail: "another key")
        }
        if let finished = ticket.finished {
            guard finished.body == request.body ?? Data() else { throw Refusal(409, .idempotencyKeyReused) }
            return finished.response
        }
        guard let user = contents.users[ticket.user] else { throw Refusal(401, .secondFactorTicketInvalid) }
        guard !user.isDisabled else { throw Refusal(403, .userDisabled) }
        try restore(ticket.user, isWished: request.restores, &contents)
        var codes: [String]?
        if ticket.isEnrolment {
            guard !contents.secondFactors.has(ticket.user), let key = body.enrolment else {
                throw Refusal(401, .secondFactorTicketInvalid)
            }
            codes = try confirm(key, body.code ?? "", body.name, of: ticket.user, &contents).recoveryCodes
        } else {
            try check(body.code, body.recoveryCode, of: ticket.user, &contents)
        }
        var response = try logIn(
            proven: user, request, thumbprint, joins: body.joinsDevice, device: body.device, by: ticket.method,
            &contents)
        if var logIn = try? JSONDecoder().decode(LogInResponse.self, from: response.body) {
            let now = time(contents)
            contents.sessions[logIn.session.token]?.secondFactorAt = now
            logIn.recoveryCodes = codes
            response = .json(response.status, logIn)
        }
        contents.secondFactors.tickets[body.ticket]?.finished = (request.body ?? Data(), response)
        return response
    }

    private func ticket(
        _ name: String, _ contents: ServerContents
    ) throws(Refusal) -> ServerSecondFactors.LogInTicket {
        guard let ticket = contents.secondFactors.tickets[name],
            time(contents).millisecondsSince1970 < ticket.expiresAt.millisecondsSince1970
        else { throw Refusal(401, .secondFactorTicketInvalid) }
        return ticket
    }

    private func later(_ milliseconds: Int64, _ contents: ServerContents) -> WireTime {
        WireTime(millisecondsSince1970: time(contents).millisecondsSince1970 + milliseconds)
    }
}
