import Foundation
import Okaeri
import OkaeriWire

/// A mail that the server in the test would have sent.
public struct TestMail: Hashable, Sendable {
    /// What a mail is for.
    public enum Kind: Hashable, Sendable {
        /// A code to log in with.
        case logInCode
        /// A code that verifies an address.
        case emailVerification
        /// A token that allows a new password.
        case passwordReset
    }

    /// What it is for.
    public let kind: Kind
    /// To whom it goes.
    public let email: String
    /// The code or the token in it.
    public let code: String
}

extension InMemoryServer {
    /// The mails so far, oldest first.
    public var mails: [TestMail] { contents.withValue { $0.mails.map(\.mail) } }

    /// Shows that an address is its user's, as a verification would.
    ///
    /// - Parameter email: The address.
    public func verify(email: String) {
        contents.withValue { contents in
            guard let id = contents.usersByIdentifier[email.lowercased()] else { return }
            contents.users[id]?.body.emailVerified = true
        }
    }

    func requestLogInCode(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(MailOrderBody.self, from: request.body ?? Data())
        let ticket = newName("", 24)
        let user = try owner(of: body.email, contents)
        if let user, user.emailVerified {
            mail(.logInCode, to: user, at: body.email, ticket: ticket, &contents)
        }
        return .json(202, LogInCodeRequestResponse(ticket: ticket, expiresInSeconds: 600))
    }

    func logInWithCode(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(LogInCodeBody.self, from: request.body ?? Data())
        let thumbprint = try optionalProof(of: request, &contents)
        if let known = try repeated(request, thumbprint, contents) { return known }
        let used = try use(body.code, for: .logInCode, ticket: body.ticket, &contents)
        return try logIn(
            used.user, request, thumbprint, joins: body.joinsDevice, device: body.device, by: "code", &contents)
    }

    func requestPasswordReset(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(MailOrderBody.self, from: request.body ?? Data())
        if let user = try owner(of: body.email, contents) {
            mail(.passwordReset, to: user, at: body.email, &contents)
        }
        return .json(202, MailOrderResponse(expiresInSeconds: 3600))
    }

    func resetPassword(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(PasswordResetBody.self, from: request.body ?? Data())
        if let known = try repeated(request, nil, contents) { return known }
        guard body.newPassword.count >= 8 else {
            let problem = FieldProblem(field: "newPassword", code: "too_short", detail: "At least 8 characters.")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
        let used = try use(body.token, for: .passwordReset, &contents)
        contents.users[used.user]?.password = body.newPassword
        contents.users[used.user]?.body.hasPassword = true
        contents.users[used.user]?.body.emailVerified = true
        _ = evict(from: used.user, keeping: nil, "password_reset", &contents)
        let response = TransportResponse(status: 204)
        remember(response, request, nil, &contents)
        return response
    }

    func requestEmailVerification(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let body = try request.body.map { data throws(Refusal) in
            try read(EmailVerificationRequestBody.self, from: data)
        }
        guard let user = contents.users[session.user]?.body else { throw Refusal(401, .sessionInvalid) }
        if let email = body?.email, email != user.email {
            try checkPresence(request, session, contents)
            try checkSecondFactor(session, contents)
            let other = try owner(of: email, contents)
            if other == nil || other?.id == user.id { mail(.emailVerification, to: user, at: email, &contents) }
        } else if let email = user.email {
            mail(.emailVerification, to: user, at: email, &contents)
        } else {
            let problem = FieldProblem(field: "email", code: "required", detail: "This member must be there.")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
        return .json(202, MailOrderResponse(expiresInSeconds: 600))
    }

    func verifyEmail(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(EmailVerificationBody.self, from: request.body ?? Data())
        if let known = try repeated(request, nil, contents) { return known }
        // Its links are no use without a page, so its mails have codes, which are good as tokens too.
        let owner = body.code == nil ? nil : try authenticate(request, &contents).session.user
        let used = try use(body.code ?? body.token ?? "", for: .emailVerification, owner: owner, &contents)
        guard var user = contents.users[used.user] else { throw Refusal(400, .codeRefused) }
        if let before = user.body.email { contents.usersByIdentifier[before.lowercased()] = nil }
        user.body.email = used.mail.email
        user.body.emailVerified = true
        user.body.isAnonymous = false
        contents.users[used.user] = user
        contents.usersByIdentifier[used.mail.email.lowercased()] = used.user
        let response = TransportResponse(status: 204)
        remember(response, request, nil, &contents)
        return response
    }

    private func owner(of email: String, _ contents: ServerContents) throws(Refusal) -> UserBody? {
        guard email.contains("@") else {
            let problem = FieldProblem(
                field: "email", code: "not_a_mail_address", detail: "An address as in RFC 5321: hana@example.com.")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
        return contents.usersByIdentifier[email.lowercased()].flatMap { contents.users[$0]?.body }
    }

    private func mail(
        _ kind: TestMail.Kind, to user: UserBody, at email: String, ticket: String? = nil,
        _ contents: inout ServerContents
    ) {
        contents.mails = contents.mails.map { sent in
            var sent = sent
            if sent.user == user.id, sent.mail.kind == kind { sent.isVoid = true }
            return sent
        }
        let digits = randomness.bytes(8).map { String($0 % 10) }.joined()
        let code = kind == .passwordReset ? newName("T", 18) : digits
        contents.mails.append(
            ServerContents.SentMail(
                mail: TestMail(kind: kind, email: email, code: code), user: user.id, ticket: ticket,
                sentAt: time(contents)))
    }

    /// Uses a code up.
    func use(
        _ code: String, for kind: TestMail.Kind, ticket: String? = nil, owner: String? = nil,
        _ contents: inout ServerContents
    ) throws(Refusal) -> ServerContents.SentMail {
        let typed = code.filter { $0 != " " && $0 != "-" || kind == .passwordReset }
        let life: Int64 = kind == .passwordReset ? 3_600_000 : 600_000
        let now = time(contents).millisecondsSince1970
        let index = contents.mails.firstIndex { sent in
            !sent.isVoid && sent.mail.kind == kind && sent.mail.code == typed && sent.ticket == ticket
                && (owner == nil || sent.user == owner) && now < sent.sentAt.millisecondsSince1970 + life
        }
        guard let index else { throw Refusal(400, .codeRefused) }
        contents.mails[index].isVoid = true
        return contents.mails[index]
    }
}
