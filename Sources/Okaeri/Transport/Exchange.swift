import Foundation
import OkaeriWire

extension SessionKeeper {
    /// Sends a call until it is answered: again after a pause when the server was away, at once with a corrected clock
    /// or with a proof when the server asks for that. Every try has a proof of its own.
    ///
    /// - Parameters:
    ///   - call: What to send. All calls of this library can be repeated without a second effect.
    ///   - session: The session that the call is made in.
    ///   - key: The key for a call that always has a proof; others get one when the application requires it.
    ///   - tries: How many times to send at most when the server is away.
    /// - Returns: A response with a status from 200 to 299; or the refusal of a removal that is a repetition, because what it
    ///   removes is gone: the response to an earlier try got lost.
    /// - Throws: `OkaeriError` for every other response, and for none.
    func exchange(
        _ call: APICall, session: VaultRecord.StoredSession?, key: (any DeviceKey)? = nil, tries: Int
    ) async throws(OkaeriError) -> TransportResponse {
        var (call, key) = (call, key)
        // The server would refuse a proof by a key that it does not know with the session.
        let isKeyless = isTemporaryKeyless && session != nil && session?.id == temporary?.session?.id
        if key == nil, !isKeyless, call.isProven || record?.proofRequired == true { key = try await deviceKey() }
        var failures = 0
        var hasCorrectedClock = false
        var hasRenewedProof = false
        // Whether the server may have done it, and its response got lost.
        var mayBeDone = false
        while true {
            let request = try request(for: call, session: session, key: key)
            let response: TransportResponse
            do throws(TransportError) {
                response = try await transport.send(request)
            } catch {
                failures += 1
                mayBeDone = true
                // Without a network waiting does not help; the background work tries again.
                guard error != .offline, error != .cancelled, failures < tries else { throw OkaeriError(error) }
                noteLost(call, in: session)
                try await pause(afterFailures: failures, atLeast: nil)
                continue
            }
            guard response.body.count <= UntrustedJSON.maximumBytes else {
                throw .unexpectedResponse(status: response.status)
            }
            if (200..<300).contains(response.status) {
                // A page of a network or a proxy tells nothing of the server, also where its response would be empty.
                guard response.mayBeOfAPI else { throw .unexpectedResponse(status: response.status) }
                patience = nil
                return response
            }
            let problem = response.problem
            if mayBeDone, call.method == .delete, problem?.saysThatItIsGone == true { return response }
            let refusal = call.refusal(response) ?? OkaeriError(response, problem: problem)
            if let asked = response.retryAfter { patience = (clock.now.addingTimeInterval(asked.inSeconds), asked) }
            switch problem?.code {
            case .clockSkew? where !hasCorrectedClock:
                guard correctClock(by: problem, response) else { throw refusal }
                hasCorrectedClock = true
            case nil where refusal == .webLogInRefused(.proofRefused) && !hasCorrectedClock:
                // OAuth has no word for a wrong clock. The code was not looked at yet.
                guard correctClock(by: nil, response) else { throw refusal }
                hasCorrectedClock = true
            case .proofRequired? where key == nil:
                key = try await deviceKey()
                await change(.requireProof)
            case .proofReplayed? where !hasRenewedProof:
                // The network delivered a request twice: a new proof makes it good.
                hasRenewedProof = true
            case .attestationRequired?, .proofOfWorkRequired?, .attestationInvalid?:
                guard let problem, let key, let next = try await meet(problem, for: call, key: key) else {
                    throw refusal
                }
                call = next
            default:
                failures += 1
                guard response.isTemporaryRefusal, failures < tries else { throw refusal }
                if let asked = response.retryAfter, asked > configuration.retry.maximumDelay { throw refusal }
                if response.status >= 500 {
                    mayBeDone = true
                    noteLost(call, in: session)
                }
                try await pause(afterFailures: failures, atLeast: response.retryAfter)
            }
        }
    }

    private func request(
        for call: APICall, session: VaultRecord.StoredSession?, key: (any DeviceKey)?
    ) throws(OkaeriError) -> TransportRequest {
        let base = server.absoluteString
        guard let url = URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + call.path) else {
            throw .unexpectedResponse(status: 0)
        }
        var headers: HeaderFields = ["Accept": "application/json", HeaderName.application: application]
        if call.body != nil { headers["Content-Type"] = call.mediaType }
        if let session { headers["Authorization"] = "Bearer \(session.token.revealed)" }
        if !call.languages.isEmpty { headers["Accept-Language"] = call.languages.joined(separator: ", ") }
        if call.restores { headers[HeaderName.restore] = "true" }
        if let name = call.idempotencyKey { headers[HeaderName.idempotencyKey] = name }
        if let key {
            let proof = DeviceProof(
                method: call.method.rawValue, url: url, issuedAt: clock.now.addingTimeInterval(clockOffset),
                identifier: randomness.unguessableName(), token: session?.token)
            do throws(VaultError) {
                headers[HeaderName.proof] = try proof.signed(by: key)
            } catch {
                throw OkaeriError(error)
            }
        }
        return TransportRequest(
            method: call.method.rawValue, url: url, headers: headers, body: call.body,
            timeout: configuration.requestTimeout)
    }

    /// Takes the server's clock over.
    ///
    /// - Returns: Whether the response had it.
    private func correctClock(by problem: Problem?, _ response: TransportResponse) -> Bool {
        let stated = problem?.serverTime.map(Date.init(_:))
        guard let serverTime = stated ?? response.headers.short("Date").flatMap(HTTPDate.read) else { return false }
        clockOffset = serverTime.timeIntervalSince(clock.now)
        return true
    }

    private func pause(afterFailures failures: Int, atLeast: Duration?) async throws(OkaeriError) {
        let delay = configuration.retry.delay(
            afterFailures: failures, limit: configuration.retry.maximumDelay, fraction: randomness.fraction())
        do {
            // On top of the server's wish, so that not all devices come back in the same moment.
            try await clock.sleep(for: atLeast.map { $0 + delay * 0.25 } ?? delay)
        } catch {
            throw .cancelled
        }
    }
}

extension Problem {
    /// Whether what a call removes is not there.
    fileprivate var saysThatItIsGone: Bool {
        switch code {
        case .identityUnknown, .passkeyUnknown, .secondFactorUnknown, .sessionUnknown: true
        default: false
        }
    }
}

/// The date in HTTP header fields (RFC 9110 §5.6.7), in the form that servers write: `Sat, 21 Nov 2026 00:15:42 GMT`.
enum HTTPDate {
    static func read(_ text: String) -> Date? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return WireTime("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z").map(Date.init(_:))
    }
}
