package import Domain
import OkaeriWire

/// Keeps a copy of the audit log where this server cannot change it.
package protocol AuditReceiver: Sendable {
    /// Hands entries over, in order.
    ///
    /// - Returns: what went wrong, for the log; `nil` when all were taken. What was taken before the fault comes again.
    func send(_ lines: [AuditLine]) async -> String?
    /// Ends threads and connections.
    func close() async
}

/// An entry of the audit log on its way: what the API shows of it, whose log it stands in, and its position in the chain. With
/// number and digest the receiver sees gaps, and later proves by `okaeri audit verify --known` what the log held.
package struct AuditLine: Sendable {
    package let at: Timestamp
    package let isRefusal: Bool
    /// One line of JSON, without the end of it.
    package let json: String
    /// The same without details and user agent, for receivers with a limit.
    package let shortJSON: String

    package init(_ chained: ChainedAuditEntry) {
        at = chained.entry.at
        isRefusal = chained.entry.result == .refused
        // Texts and numbers always encode.
        json = WebCall.json(Body(chained)) ?? "{}"
        var short = Body(chained)
        (short.details, short.userAgent, short.isShortened) = ([:], nil, true)
        shortJSON = WebCall.json(short) ?? "{}"
    }

    private struct Body: Encodable {
        /// `nil` for the server's own log.
        let application: String?
        let number: Int64
        let digest: String
        let id: String
        let at: String
        let actor: String
        let action: String
        let target: String?
        let result: String
        let address: String?
        var userAgent: String?
        let requestId: String?
        var details: [String: String]
        var isShortened: Bool?

        init(_ chained: ChainedAuditEntry) {
            let entry = chained.entry
            application = entry.application == AuditEntry.server ? nil : entry.application.rawValue
            number = chained.number
            digest = Base64URL.text(of: chained.digest.bytes)
            id = entry.id.rawValue
            at = WireTime(millisecondsSince1970: entry.at.milliseconds).description
            actor = entry.actor.rawValue
            action = entry.action.rawValue
            target = entry.target?.rawValue
            result = entry.result.rawValue
            address = entry.origin.address
            userAgent = entry.origin.userAgent
            requestId = entry.origin.requestId
            details = entry.details
        }
    }
}

/// Sends the audit log to an address of the operator: a `POST` of JSON lines, signed as `TextMessageWebhook` signs.
package struct AuditWebhook: AuditReceiver {
    private let url: String
    private let secret: Secret
    private let clock: any WallClock
    private let caller: CurlCaller

    /// - Parameters:
    ///   - url: Where to.
    ///   - secret: What both sides know.
    ///   - clock: The time of signatures.
    ///   - caller: Asks the address, and nobody else's; closed with the receiver.
    package init(url: String, secret: Secret, clock: any WallClock, caller: CurlCaller) {
        self.url = url
        self.secret = secret
        self.clock = clock
        self.caller = caller
    }

    package func send(_ lines: [AuditLine]) async -> String? {
        let body = lines.map { $0.json + "\n" }.joined()
        let signature = TextMessageWebhook.signature(of: body, at: clock.now.milliseconds / 1000, secret)
        do throws(WebFault) {
            let answer = try await caller(
                WebCall(
                    .post, url,
                    headers: [
                        (name: "Content-Type", value: "application/x-ndjson"),
                        (name: "Okaeri-Signature", value: signature),
                    ], body: body))
            return (200..<300).contains(answer.status) ? nil : "the receiver answered \(answer.status)"
        } catch {
            switch error {
            case .addressRefused: return "the receiver's address cannot be asked"
            case .unreachable(let reason): return "the receiver cannot be reached: \(reason)"
            case .tooBusy: return SharedLanes.full
            }
        }
    }

    package func close() async { await caller.close() }
}
