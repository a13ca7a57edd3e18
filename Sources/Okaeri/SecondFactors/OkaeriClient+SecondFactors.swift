import Foundation

/// Second factors: a code of an authenticator app, or a recovery code, beside the first credential.
extension OkaeriClient {
    // MARK: Logging in

    /// Finishes a log-in that needs a second factor too, as the log-in would have ended: with the same memory of the device.
    ///
    /// - Parameters:
    ///   - proof: What the person typed.
    ///   - challenge: What the log-in failed with: `.secondFactorRequired`.
    /// - Returns: The user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.secondFactorRefused` with ``SecondFactorRefusal/codeInvalid``, after which the person tries
    ///   again, or ``SecondFactorRefusal/ticketInvalid``, after which the log-in begins anew; `.rateLimited` after several
    ///   wrong codes.
    @discardableResult
    public func logIn(
        secondFactor proof: SecondFactorProof, for challenge: SecondFactorChallenge
    ) async throws(OkaeriError) -> Welcome {
        try await keeper.logIn(proof, for: challenge).welcome
    }

    /// A key for the authenticator app of a user who adds one before the log-in ends.
    ///
    /// - Parameter challenge: What the log-in failed with: `.secondFactorEnrolmentRequired`.
    /// - Returns: The key.
    /// - Throws: `OkaeriError`: `.secondFactorRefused` with ``SecondFactorRefusal/ticketInvalid``.
    public func requestTOTP(for challenge: SecondFactorChallenge) async throws(OkaeriError) -> TOTPOffer {
        try await keeper.requestTOTP(for: challenge)
    }

    /// Adds the authenticator app whose key a code confirms, and finishes the log-in.
    ///
    /// - Parameters:
    ///   - offer: The key; see ``requestTOTP(for:)``.
    ///   - code: What the app shows.
    ///   - name: What the user calls the app; the server has a name of its own.
    ///   - challenge: What the log-in failed with.
    /// - Returns: The user and the recovery codes, which are shown this once.
    /// - Throws: `OkaeriError`: `.secondFactorRefused`.
    public func logIn(
        confirming offer: TOTPOffer, code: String, named name: String? = nil, for challenge: SecondFactorChallenge
    ) async throws(OkaeriError) -> SecondFactorLogIn {
        try await keeper.logIn(confirming: offer, code: code, named: name, for: challenge)
    }

    /// Proves that the owner is there by a second factor, which `.secondFactorNotRecent` asks for.
    ///
    /// - Parameter proof: What the person typed.
    /// - Throws: `OkaeriError`: `.secondFactorRefused`, `.rateLimited` after several wrong codes.
    public func reauthenticate(secondFactor proof: SecondFactorProof) async throws(OkaeriError) {
        try await keeper.reauthenticate(by: proof)
    }

    // MARK: The user's own

    /// The user's second factors, and how many recovery codes are left.
    ///
    /// - Throws: `OkaeriError`.
    public func secondFactors() async throws(OkaeriError) -> SecondFactorList {
        try await keeper.secondFactors()
    }

    /// A key for an authenticator app. Nothing changes until a code confirms it.
    ///
    /// - Throws: `OkaeriError`: `.reauthenticationRequired`, `.secondFactorNotRecent` for a user who has one already,
    ///   `.secondFactorRefused` with ``SecondFactorRefusal/notEnabled``.
    public func requestTOTP() async throws(OkaeriError) -> TOTPOffer {
        try await keeper.requestTOTP()
    }

    /// Adds the authenticator app whose key a code confirms, within ten minutes.
    ///
    /// - Parameters:
    ///   - offer: The key; see ``requestTOTP()``.
    ///   - code: What the app shows.
    ///   - name: What the user calls the app; the server has a name of its own.
    /// - Returns: The app, and with the first one the recovery codes, which are shown this once.
    /// - Throws: `OkaeriError`: `.secondFactorRefused`, `.reauthenticationRequired`, `.secondFactorNotRecent`.
    @discardableResult
    public func addTOTP(
        _ offer: TOTPOffer, code: String, named name: String? = nil
    ) async throws(OkaeriError) -> AddedSecondFactor {
        try await keeper.addTOTP(offer, code: code, named: name)
    }

    /// Removes an authenticator app. With the last one the recovery codes go.
    ///
    /// - Parameter id: Which one.
    /// - Throws: `OkaeriError`: `.reauthenticationRequired`, `.secondFactorNotRecent`, `.secondFactorRefused` with
    ///   ``SecondFactorRefusal/unknown``.
    public func removeSecondFactor(_ id: SecondFactor.ID) async throws(OkaeriError) {
        try await keeper.removeSecondFactor(id)
    }

    /// New recovery codes in place of all former ones.
    ///
    /// - Returns: The codes, which are shown this once.
    /// - Throws: `OkaeriError`: `.reauthenticationRequired`, `.secondFactorNotRecent`, `.secondFactorRefused` with
    ///   ``SecondFactorRefusal/unknown`` for a user without an authenticator app.
    public func replaceRecoveryCodes() async throws(OkaeriError) -> RecoveryCodes {
        try await keeper.replaceRecoveryCodes()
    }
}
