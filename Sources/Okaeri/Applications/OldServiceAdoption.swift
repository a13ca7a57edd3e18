import Foundation
@_spi(Base64URL) import OkaeriWire

extension SessionKeeper {
    /// Hands over what an old SDK left; `nil` when it left nothing. Callers at the same time get the same response. Cancelling a
    /// caller does not stop it.
    func adopt(from service: OldService, in old: OldSessions) async throws(OkaeriError) -> LogInResponse? {
        if let underWay = oldServices[service.name] { return try await underWay.value.get() }
        // Awaited at once: it only keeps a cancelled caller from losing what the service gave.
        let task = Task { () async -> Result<LogInResponse?, OkaeriError> in
            do throws(OkaeriError) {
                return .success(try await self.adoptAlone(from: service, in: old))
            } catch {
                return .failure(error)
            }
        }
        oldServices[service.name] = task
        let result = await task.value
        oldServices[service.name] = nil
        return try result.get()
    }

    private func adoptAlone(
        from service: OldService, in old: OldSessions
    ) async throws(OkaeriError) -> LogInResponse? {
        guard let found = try old.credential(in: service.location) else { return nil }
        let kept = try old.renewed(service, of: found)
        let present = [kept?.token, found.token].compactMap(\.self).first { isAlive($0) }
        let response: LogInResponse
        if let present {
            do throws(OkaeriError) {
                response = try await hand(present, of: service)
            } catch {
                // A clock that is wrong makes a token look alive; one that was renewed already is not renewed for that.
                guard error == .providerRefused(.providerTokenInvalid), present != kept?.token else { throw error }
                response = try await hand(try await renew(found, kept, service, old), of: service)
            }
        } else {
            response = try await hand(try await renew(found, kept, service, old), of: service)
        }
        old.forget(service)
        return response
    }

    private func hand(_ token: String, of service: OldService) async throws(OkaeriError) -> LogInResponse {
        try await logIn(.adoption(AdoptionBody(protocolName: service.name, token: token)), .automatic)
    }

    /// Whether a token will still be alive when the server has it.
    private func isAlive(_ token: String) -> Bool {
        guard let end = OldToken(token)?.end else { return false }
        return clock.now.addingTimeInterval(clockOffset + 60) < end
    }

    /// Asks the service for a new token, and keeps what it gives until the server has taken it.
    private func renew(
        _ found: OldCredential, _ kept: RenewedToken?, _ service: OldService, _ old: OldSessions
    ) async throws(OkaeriError) -> String {
        let refreshToken = kept?.refreshToken ?? found.refreshToken
        let request = service.renewal(
            of: found, refreshToken: refreshToken, bundleIdentifier: old.bundleIdentifier)
        guard let request else { throw .credentialRefused }
        let response: TransportResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw error == .cancelled ? .cancelled : .offline
        }
        switch response.status {
        case 200:
            guard let given = service.renewed(by: response) else { throw .unexpectedResponse(status: 200) }
            old.keep(
                RenewedToken(
                    of: found.refreshToken, token: given.token, refreshToken: given.refreshToken ?? refreshToken),
                for: service)
            return given.token
        case 429: throw .rateLimited(retryAfter: nil)
        // The service has ended the session, or the user.
        case 400, 401, 403, 404: throw .credentialRefused
        default: throw .serverUnavailable(retryAfter: nil)
        }
    }
}

/// What an old service gave for a refresh token, until the server has taken it.
struct RenewedToken: Codable, Hashable, Sendable {
    /// The refresh token that the old SDK left.
    let of: String
    let token: String
    /// The one that the service takes next.
    let refreshToken: String
}

/// What a token says of itself, which proves nothing: the server verifies it.
struct OldToken {
    /// When it ends.
    let end: Date

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.bytes(of: parts[1].utf8),
            let claims = OldForms.object(Data(bytes))
        else { return nil }
        switch claims["exp"] {
        case .integer(let seconds)?: end = Date(timeIntervalSince1970: Double(seconds))
        case .number(let seconds)?: end = Date(timeIntervalSince1970: seconds)
        default: return nil
        }
    }
}

extension OldSessions {
    /// Where this SDK keeps what a service gave.
    static let renewalService = "okaeri.adoption"

    /// What the service gave for the credential at an earlier try.
    func renewed(_ service: OldService, of found: OldCredential) throws(OkaeriError) -> RenewedToken? {
        do throws(VaultError) {
            guard let data = try item(Self.renewalService, service.name) else { return nil }
            // What cannot be read is as good as nothing.
            let kept = try? UntrustedJSON.decode(RenewedToken.self, from: data)
            return kept?.of == found.refreshToken ? kept : nil
        } catch {
            throw OkaeriError(error)
        }
    }

    func keep(_ token: RenewedToken, for service: OldService) {
        // Without it the next try asks the service again.
        guard let data = try? JSONEncoder().encode(token) else { return }
        try? items(Self.renewalService)?.replace(service.name, data)
    }

    /// Removes what was handed over.
    func forget(_ service: OldService) {
        // What cannot be removed now leads to the same user, whom the device has.
        for (name, account) in items(in: service.location) { try? items(name)?.remove(account) }
        try? items(Self.renewalService)?.remove(service.name)
    }
}
