import Foundation
import OkaeriWire

extension SessionKeeper {
    /// The user's live sessions.
    func sessions() async throws(OkaeriError) -> [DeviceSession] {
        let received = try await authenticated(APICall(.get, APIPath.sessions))
        return try received.response.decoded(SessionListResponse.self).sessions.map(DeviceSession.init(_:))
    }

    /// Ends one session; the own one by logging out.
    func endSession(_ id: String) async throws(OkaeriError) {
        // Without a name the path would be that of all sessions.
        guard !id.isEmpty else { throw .sessionUnknown }
        if try await read().session?.id == id { return await logOut() }
        _ = try await authenticated(APICall(.delete, APIPath.session(id.pathSegment)))
    }

    /// Ends every way into the account but the own session and the own key.
    func endOtherSessions() async throws(OkaeriError) -> Int {
        var call = APICall(.delete, APIPath.sessions)
        call.isProven = true
        let received = try await authenticated(call)
        return try received.response.decoded(EndedSessionsResponse.self).ended
    }

    /// The keys by which the user's devices log in automatically.
    func deviceKeys() async throws(OkaeriError) -> [RegisteredDeviceKey] {
        let received = try await authenticated(APICall(.get, APIPath.deviceKeys))
        return try received.response.decoded(DeviceKeyListResponse.self).deviceKeys.map(RegisteredDeviceKey.init(_:))
    }

    /// Removes a device's key.
    func removeDeviceKey(_ thumbprint: String) async throws(OkaeriError) {
        // Without a name the path would be that of all other keys.
        guard !thumbprint.isEmpty else { throw .providerRefused(.identityUnknown) }
        var call = APICall(.delete, APIPath.deviceKey(thumbprint.pathSegment))
        call.isProven = true
        _ = try await authenticated(call)
    }

    /// Removes the keys of all other devices.
    func removeOtherDeviceKeys() async throws(OkaeriError) -> Int {
        var call = APICall(.delete, APIPath.deviceKeys)
        call.isProven = true
        return try await authenticated(call).response.decoded(RemovedDeviceKeysResponse.self).removed
    }

    /// Logs out, and goes on with another key: the next automatic log-in makes a new user.
    func useNewDeviceKey() async {
        await logOut()
        await change(.useNextKey)
    }

    /// A token for the app's own backends: a kept one while it lives for a minute more and says what the server last said
    /// of the user, else a new one, which is forced where a backend has refused that one.
    func accessToken(
        for audience: String?, isBound: Bool, isForced: Bool
    ) async throws(OkaeriError) -> AccessToken {
        // A log-out or a change of user in another process empties the store of tokens.
        let began = try await read()
        guard let user = began.loggedInUser else { throw .notLoggedIn }
        if user.claimsVersion != accessTokensVersion {
            accessTokens = [:]
            accessTokensVersion = user.claimsVersion
        }
        let tokenName = (isBound ? "bound " : "") + (audience ?? "")
        let asked = clock.now
        // With a clock that was put back nobody knows how long a token of before still lives.
        if !isForced, let known = accessTokens[tokenName], known.askedAt <= asked,
            known.token.expiresAt > asked.addingTimeInterval(60)
        {
            return known.token
        }
        let body = TokenBody(audience: audience, isBound: isBound ? true : nil)
        let received = try await authenticated(APICall(.post, APIPath.token, body: body))
        let response = try received.response.decoded(TokenResponse.self)
        let token = AccessToken(
            value: response.accessToken, expiresAt: asked.addingTimeInterval(TimeInterval(response.expiresIn)))
        // One that was asked for before the session had another token, or the user other claims, says less than the next.
        if record?.session?.token == began.session?.token, user.claimsVersion == accessTokensVersion {
            accessTokens[tokenName] = (token, asked)
        }
        return token
    }

    /// A proof of the device's key for a request to one of the app's own backends.
    func proof(
        _ method: String, _ url: URL, with token: AccessToken
    ) async throws(OkaeriError) -> String {
        guard try await read().loggedInUser != nil else { throw .notLoggedIn }
        let key = try await deviceKey()
        let proof = DeviceProof(
            method: method.uppercased(), url: url, issuedAt: clock.now.addingTimeInterval(clockOffset),
            identifier: randomness.unguessableName(), token: Secret(token.value))
        do throws(VaultError) {
            return try proof.signed(by: key)
        } catch {
            throw OkaeriError(error)
        }
    }
}
