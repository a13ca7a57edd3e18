import Foundation
public import OkaeriWire

extension OkaeriClient {
    /// What log-in screens must know of the application: its name, rules, fields, providers, theme. Nobody has to be
    /// logged in.
    ///
    /// - Throws: `OkaeriError`: `.applicationUnknown`.
    public func applicationProfile() async throws(OkaeriError) -> ApplicationProfile {
        try await keeper.applicationProfile()
    }
}

extension SessionKeeper {
    func applicationProfile() async throws(OkaeriError) -> ApplicationProfile {
        let call = APICall(.get, APIPath.applicationProfile)
        let response = try await exchange(call, session: nil, tries: configuration.retry.maximumTries)
        return try response.decoded(ApplicationProfile.self)
    }
}

/// The way over from the SDK of a mobile backend that has ended: the same user, from now on with this device's key.
extension OkaeriClient {
    /// Takes over the user of a session that was found on this device; see ``OldSessions``. What was found stays where it is.
    ///
    /// - Parameter session: What ``OldSessions/session(in:)`` found.
    /// - Returns: The same user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.credentialRefused` for a session that has ended.
    @discardableResult
    public func adopt(_ session: OldSession) async throws(OkaeriError) -> Welcome {
        try await adopt(session.token.revealed, of: session.protocol.rawValue)
    }

    /// Takes over the member of an NCMB session. The next launch is automatic, and the old SDK can go.
    ///
    /// - Parameter ncmbSession: The member's session token, as `NCMBUser` has it.
    /// - Returns: The same user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.credentialRefused` for a session that has ended.
    @discardableResult
    public func adopt(ncmbSession: String) async throws(OkaeriError) -> Welcome {
        try await adopt(ncmbSession, of: "ncmb")
    }

    /// Takes over the user of a Parse session. The next launch is automatic, and the old SDK can go.
    ///
    /// - Parameter parseSession: The user's session token, as `PFUser` has it.
    /// - Returns: The same user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.credentialRefused` for a session that has ended.
    @discardableResult
    public func adopt(parseSession: String) async throws(OkaeriError) -> Welcome {
        try await adopt(parseSession, of: "parse")
    }

    /// Takes over the user of a Kii access token. The next launch is automatic, and the old SDK can go.
    ///
    /// - Parameter kiiToken: The user's access token, as `KiiUser` has it.
    /// - Returns: The same user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.credentialRefused` for a token that has ended.
    @discardableResult
    public func adopt(kiiToken: String) async throws(OkaeriError) -> Welcome {
        try await adopt(kiiToken, of: "kii")
    }

    /// Takes over the user of a user name and a password that the old app has kept, such as a device id that was both.
    /// The next launch is automatic; the name and the password need not be kept any more.
    ///
    /// - Parameters:
    ///   - username: What the old app logged in with.
    ///   - password: The password that goes with it.
    /// - Returns: The same user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.credentialRefused`.
    @discardableResult
    public func adopt(username: String, password: String) async throws(OkaeriError) -> Welcome {
        try await logIn(identifier: username, password: password)
    }

    /// Takes over the user of a token of any service that the application's hook knows. A token counts once: a further call with it
    /// succeeds on this device alone.
    ///
    /// - Parameters:
    ///   - token: What the service gave the app.
    ///   - service: What the hook calls the service: 1 to 40 of `a-z`, `0-9`, `-`.
    /// - Returns: The same user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.credentialRefused` for a token that leads to nobody, `.providerRefused` when another device has
    ///   used it.
    @discardableResult
    public func adopt(token: String, ofService service: String) async throws(OkaeriError) -> Welcome {
        try await adopt(token, of: service)
    }

    #if !OKAERI_ESSENTIALS
        /// Takes over the user of the session that Firebase's, Supabase's or Amplify's SDK left on this device: the token is handed to
        /// the server, which verifies it and finds the user whom the import took in. What was found is removed from the device
        /// afterwards.
        ///
        /// A token that has ended is renewed at the service first. What the service gives is kept on the device until the server has
        /// taken it, so that no refresh token is used twice for that.
        ///
        /// - Parameters:
        ///   - service: Which service, and how the app is known there.
        ///   - old: Where to look.
        /// - Returns: The same user, with the time of the log-in before this one; `nil` when nobody was logged in.
        /// - Throws: `OkaeriError`: `.credentialRefused` when the service or the server knows the user no more, or the application
        ///   has ended all that was there before; what was found stays. `.offline`, `.rateLimited` and `.serverUnavailable` to try
        ///   again later.
        @discardableResult
        public func adopt(
            from service: OldService, in old: OldSessions = OldSessions()
        ) async throws(OkaeriError) -> Welcome? {
            guard let response = try await keeper.adopt(from: service, in: old) else { return nil }
            return .known(User(response.user), lastLogIn: response.previousLogInAt.map(Date.init(_:)))
        }
    #endif

    private func adopt(_ token: String, of name: String) async throws(OkaeriError) -> Welcome {
        let response = try await keeper.logIn(.adoption(AdoptionBody(protocolName: name, token: token)), .automatic)
        return .known(User(response.user), lastLogIn: response.previousLogInAt.map(Date.init(_:)))
    }
}
