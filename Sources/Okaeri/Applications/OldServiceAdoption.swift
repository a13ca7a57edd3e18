#if !OKAERI_ESSENTIALS
    import Foundation
    @_spi(Base64URL) import OkaeriWire

    extension SessionKeeper {
        /// Hands over what an old SDK left; `nil` when it left nothing. Callers at the same time get the same response. Cancelling a
        /// caller does not stop it.
        func adopt(from service: OldService, in old: OldSessions) async throws(OkaeriError) -> LogInResponse? {
            if let underWay = oldServices[service.name] { return try await underWay.value.get() }
            // A log-out while the service is asked counts as well.
            let turn = nextTurn()
            // Awaited at once: it only keeps a cancelled caller from losing what the service gave.
            let task = Task { () async -> Result<LogInResponse?, OkaeriError> in
                do throws(OkaeriError) {
                    return .success(try await self.adoptAlone(from: service, in: old, turn))
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
            from service: OldService, in old: OldSessions, _ turn: LogInTurn
        ) async throws(OkaeriError) -> LogInResponse? {
            guard let found = try old.credential(in: service.location) else { return nil }
            let kept = try old.renewal(at: service, of: found)
            guard kept?.isRefused != true else {
                old.forget(service)
                throw .credentialRefused
            }
            let present = [kept?.token, found.token].compactMap(\.self).first { isAlive($0) }
            let response: LogInResponse
            if let present {
                do throws(OkaeriError) {
                    response = try await hand(present, of: service, turn)
                } catch {
                    // A clock that is wrong makes a token look alive; one that was renewed already is not renewed for that.
                    guard error == .providerRefused(.providerTokenInvalid), present != kept?.token else { throw error }
                    response = try await hand(try await renew(found, kept, service, old), of: service, turn)
                }
            } else {
                response = try await hand(try await renew(found, kept, service, old), of: service, turn)
            }
            old.forget(service)
            return response
        }

        private func hand(
            _ token: String, of service: OldService, _ turn: LogInTurn
        ) async throws(OkaeriError) -> LogInResponse {
            try await logIn(.adoption(AdoptionBody(protocolName: service.name, token: token)), .automatic, in: turn)
        }

        /// Whether a token will still be alive when the server has it.
        private func isAlive(_ token: String) -> Bool {
            guard let end = OldToken(token)?.end else { return false }
            return clock.now.addingTimeInterval(clockOffset + 60) < end
        }

        /// Asks the service for a new token, and keeps what it gives until the server has taken it.
        ///
        /// The refresh token is marked as sent before it leaves the device. What the service has answered is never sent again; what it
        /// has not answered is sent again at growing distances, because an answer that was lost is no lost account.
        private func renew(
            _ found: OldCredential, _ kept: OldTokenRenewal?, _ service: OldService, _ old: OldSessions
        ) async throws(OkaeriError) -> String {
            let renewal = kept ?? OldTokenRenewal(of: found.refreshToken)
            if let wait = renewal.wait(at: clock.now) { throw .serverUnavailable(retryAfter: wait) }
            let request = service.renewal(
                of: found, refreshToken: renewal.refreshToken, bundleIdentifier: old.bundleIdentifier)
            guard let request else { throw .credentialRefused }
            // Nothing is sent that is not marked.
            guard try old.mark(renewal.sent(at: clock.now), over: kept, for: service) else {
                throw .serverUnavailable(retryAfter: OldTokenRenewal.firstDistance)
            }
            let response: TransportResponse
            do {
                response = try await transport.send(request)
            } catch {
                // It has certainly not left the device.
                if error == .offline { old.keep(renewal, for: service) }
                throw error == .cancelled ? .cancelled : .offline
            }
            switch service.outcome(of: response) {
            case .renewed(let token, let refreshToken):
                old.keep(renewal.answered(with: token, refreshToken), for: service)
                return token
            case .refused:
                old.keep(renewal.refused(), for: service)
                old.forget(service)
                throw .credentialRefused
            case .unclear: throw Self.error(response)
            }
        }

        /// What went wrong at a service that has said nothing of the refresh token.
        private static func error(_ response: TransportResponse) -> OkaeriError {
            switch response.status {
            case 200: .unexpectedResponse(status: 200)
            case 429: .rateLimited(retryAfter: nil)
            // The service knows the app no more, or the app names it wrongly. A page of the network says neither.
            case 400, 401, 403, 404:
                OldForms.object(response.body) == nil
                    ? .unexpectedResponse(status: response.status) : .credentialRefused
            default: .serverUnavailable(retryAfter: nil)
            }
        }
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
#endif
