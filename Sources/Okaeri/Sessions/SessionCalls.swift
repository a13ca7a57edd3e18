import Foundation
import OkaeriWire

extension SessionKeeper {
    /// The user's live sessions.
    func sessions() async throws(OkaeriError) -> [DeviceSession] {
        let answered = try await authenticated(APICall(.get, APIPath.sessions))
        return try answered.response.decoded(SessionListAnswer.self).sessions.map(DeviceSession.init(_:))
    }

    /// Ends one session; the own one by logging out.
    func endSession(_ id: String) async throws(OkaeriError) {
        // Without a name the path would be that of all sessions.
        guard !id.isEmpty else { throw .sessionUnknown }
        if try await read().session?.id == id { return await logOut() }
        _ = try await authenticated(APICall(.delete, APIPath.session(id.pathSegment)))
    }

    /// Ends all sessions but the own one.
    func endOtherSessions() async throws(OkaeriError) -> Int {
        let answered = try await authenticated(APICall(.delete, APIPath.sessions))
        return try answered.response.decoded(EndedSessionsAnswer.self).ended
    }

    /// A token for the app's own backends: a kept one while it lives for a minute more, else a new one.
    func accessToken(for audience: String?) async throws(OkaeriError) -> AccessToken {
        // A log-out or a change of user in another process empties the store of tokens.
        guard try await read().loggedInUser != nil else { throw .notLoggedIn }
        let place = audience ?? ""
        if let known = accessTokens[place], known.expiresAt > clock.now.addingTimeInterval(60) { return known }
        let asked = clock.now
        let answered = try await authenticated(APICall(.post, APIPath.token, body: TokenBody(audience: audience)))
        let answer = try answered.response.decoded(TokenAnswer.self)
        let token = AccessToken(
            value: answer.accessToken, expiresAt: asked.addingTimeInterval(TimeInterval(answer.expiresIn)))
        accessTokens[place] = token
        return token
    }
}
