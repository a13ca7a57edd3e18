import Foundation
import OkaeriWire

extension SessionKeeper {
    // MARK: The end of a log-in

    func logIn(
        _ proof: SecondFactorProof, for challenge: SecondFactorChallenge
    ) async throws(OkaeriError) -> SecondFactorLogIn {
        var body = SecondFactorLogInBody(ticket: challenge.ticket.revealed)
        if proof.kind == .recoveryCode {
            body.recoveryCode = proof.code.revealed
        } else {
            body.code = proof.code.revealed
        }
        return try await finish(body, challenge.start)
    }

    func logIn(
        confirming offer: TOTPOffer, code: String, named name: String?, for challenge: SecondFactorChallenge
    ) async throws(OkaeriError) -> SecondFactorLogIn {
        let body = SecondFactorLogInBody(
            ticket: challenge.ticket.revealed, code: code, enrolment: offer.ticket.revealed, name: name)
        return try await finish(body, challenge.start)
    }

    func requestTOTP(for challenge: SecondFactorChallenge) async throws(OkaeriError) -> TOTPOffer {
        let call = try APICall(
            .post, APIPath.requestEnrolment, body: SecondFactorTicketBody(ticket: challenge.ticket.revealed))
        let raw = try await exchange(call, session: nil, tries: configuration.retry.maximumTries)
        return TOTPOffer(try raw.decoded(TOTPOfferResponse.self))
    }

    /// Sends what finishes a log-in, and does what that log-in would have done. The ticket names the request: the same one
    /// again, because the response got lost, has no second effect.
    private func finish(
        _ body: SecondFactorLogInBody, _ start: SecondFactorChallenge.LogInStart
    ) async throws(OkaeriError) -> SecondFactorLogIn {
        var body = body
        body.device = start.device
        body.joinsDevice = start.rememberMe == .automatic
        var call = try APICall(.post, APIPath.logInWithSecondFactor, body: body)
        call.restores = start.restores
        guard start.rememberMe == .automatic else {
            let response = try await logIn(.secondFactor(call, keySlot: start.keySlot), start.rememberMe)
            let welcome = Welcome.known(User(response.user), lastLogIn: response.previousLogInAt.map(Date.init(_:)))
            return SecondFactorLogIn(
                welcome: welcome, recoveryCodes: response.recoveryCodes.map(RecoveryCodes.init(_:)))
        }
        return try await logInAsMember(
            call, tries: configuration.retry.maximumTries, keySlot: start.keySlot, provider: start.provider
        ) { raw throws(OkaeriError) in
            MemberLogIn(response: try raw.decoded(LogInResponse.self))
        }
    }

    // MARK: The user's own

    func secondFactors() async throws(OkaeriError) -> SecondFactorList {
        let received = try await authenticated(APICall(.get, APIPath.secondFactors))
        return SecondFactorList(try received.response.decoded(SecondFactorListResponse.self))
    }

    func requestTOTP() async throws(OkaeriError) -> TOTPOffer {
        let received = try await authenticated(APICall(.post, APIPath.requestTOTP))
        return TOTPOffer(try received.response.decoded(TOTPOfferResponse.self))
    }

    func addTOTP(
        _ offer: TOTPOffer, code: String, named name: String?
    ) async throws(OkaeriError) -> AddedSecondFactor {
        let body = NewTOTPBody(ticket: offer.ticket.revealed, code: code, name: name)
        let received = try await authenticated(APICall(.post, APIPath.totp, body: body))
        return AddedSecondFactor(try received.response.decoded(NewSecondFactorResponse.self))
    }

    func removeSecondFactor(_ id: String) async throws(OkaeriError) {
        // Without a name the path would be that of all.
        guard !id.isEmpty else { throw .secondFactorRefused(.unknown) }
        _ = try await authenticated(APICall(.delete, APIPath.secondFactor(id.pathSegment)))
    }

    func replaceRecoveryCodes() async throws(OkaeriError) -> RecoveryCodes {
        let received = try await authenticated(APICall(.post, APIPath.recoveryCodes))
        return RecoveryCodes(try received.response.decoded(RecoveryCodesResponse.self).recoveryCodes)
    }

    func reauthenticate(by proof: SecondFactorProof) async throws(OkaeriError) {
        var body = ReauthenticationBody()
        if proof.kind == .recoveryCode {
            body.recoveryCode = proof.code.revealed
        } else {
            body.totp = proof.code.revealed
        }
        try await reauthenticate(body)
    }
}
