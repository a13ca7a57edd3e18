import Foundation

/// An address of an app's backend to which events are sent.
package struct EventEndpoint: Hashable, Sendable {
    package static let maximumPerApplication = 20
    package static let maximumURLCharacters = 1000
    package static let maximumTypes = 100
    /// The longest time for which nothing is sent.
    package static let longestRest: Duration = .seconds(3600)

    package let id: Identifier<EventEndpoint>
    package let application: Identifier<Application>
    package var url: String
    /// Which events it gets; empty for all.
    package var types: [EventType]
    /// Whether the user as it is then goes with each event.
    package var includesUser: Bool
    /// Whether nothing is sent for now. What happens meanwhile waits.
    package var isPaused: Bool
    /// When the receiver said that it wants no more (410), since when it is paused; `nil` once somebody switches it on again.
    package var goneAt: Timestamp?
    package let createdAt: Timestamp
    /// The sealed secret that signs.
    package var sealedSecret: [UInt8]
    /// The one before, which signs too until `formerUntil`, or several that do; see `EventSecrets`.
    package var sealedFormer: [UInt8]?
    package var formerUntil: Timestamp?
    /// Failures since the last success.
    package var failures = 0
    /// Nothing is sent before then, after several failures. What is later than `longestRest` from now was written before the clock
    /// was set back, and holds nothing up.
    package var resumesAt: Timestamp

    package init(
        id: Identifier<EventEndpoint>, application: Identifier<Application>, url: String, types: [EventType] = [],
        includesUser: Bool = false, createdAt: Timestamp, sealedSecret: [UInt8]
    ) {
        self.id = id
        self.application = application
        self.url = url
        self.types = types
        self.includesUser = includesUser
        isPaused = false
        self.createdAt = createdAt
        self.sealedSecret = sealedSecret
        resumesAt = createdAt
    }

    /// Whether an event is for it.
    func takes(_ type: EventType) -> Bool { types.isEmpty || types.contains(type) }

    /// How far an event has come here.
    package enum State: String, Hashable, Sendable {
        case waits, givenUp = "given-up", delivered
    }

    /// - Parameters:
    ///   - event: Which one.
    ///   - deliveries: What waits or was given up, of this event at least.
    /// - Returns: `nil` for an event that is not for the endpoint, or older than the endpoint. What neither waits nor was
    ///   given up was delivered.
    package func state(of event: Event, among deliveries: [EventDelivery]) -> State? {
        guard takes(event.type), createdAt <= event.at else { return nil }
        let own = deliveries.first { $0.endpoint == id && $0.event == event.id }
        guard let own else { return event.position == nil ? .waits : .delivered }
        return own.isGivenUp ? .givenUp : .waits
    }

    /// What breaks a rule.
    func faults(_ carrier: any EventCarrier) -> [ValidationError] {
        var faults = TextRule(maximumCharacters: Self.maximumURLCharacters).faults(of: url, field: "url")
        if faults.isEmpty, !carrier.mayAsk(url) { faults.append(ValidationError(field: "url", rule: .notAnAddress)) }
        guard types.count <= Self.maximumTypes else {
            return faults + [ValidationError(field: "types", rule: .tooManyFields(maximum: Self.maximumTypes))]
        }
        let known = Set(EventType.all)
        if !types.allSatisfy(known.contains) { faults.append(ValidationError(field: "types", rule: .notOffered)) }
        return faults
    }

    /// The endpoint after a call: several failures in a row hold up all that is sent to it, so that a receiver that is down is
    /// asked now and then, and one event that it refuses holds up nothing else.
    func after(success: Bool, at now: Timestamp) -> EventEndpoint {
        var endpoint = self
        endpoint.failures = success ? 0 : min(failures + 1, 1000)
        let extra = endpoint.failures - Self.failuresBeforeBrake
        endpoint.resumesAt = extra < 0 ? now : now + .seconds(min(Int64(1) << min(extra, 20), Self.longestBrakeSeconds))
        return endpoint
    }

    private static let failuresBeforeBrake = 5
    private static let longestBrakeSeconds: Int64 = 300
}

/// How long a secret that was replaced still signs beside its successor: of endpoints and of hooks.
package struct SecretOverlap: Hashable, Sendable {
    package static let hours: ClosedRange<Int64> = 0...168
    /// A day.
    package static let standardHours: Int64 = 24
    package static let standard = SecretOverlap(.seconds(3600) * standardHours)

    let duration: Duration

    private init(_ duration: Duration) { self.duration = duration }

    /// - Parameter hours: `nil` for the standard.
    /// - Throws: `fieldsRefused` for a number that is outside of the range.
    package init(hours: Int64?) throws(DomainError) {
        let hours = hours ?? Self.standardHours
        guard Self.hours.contains(hours) else {
            throw .fieldsRefused([ValidationError(field: "overlapHours", rule: .outOfRange(Self.hours))])
        }
        self.init(.seconds(3600) * hours)
    }
}

/// Makes and opens the secrets of endpoints and hooks, `whsec_` and 32 bytes in Base64 as the specification of Standard
/// Webhooks has them.
struct EventSecrets: Sendable {
    static let prefix = "whsec_"

    let key: SealingKey
    let randomness: any Randomness

    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func make(for endpoint: Identifier<EventEndpoint>, in application: Identifier<Application>)
        throws(DomainError) -> (secret: Secret, sealed: [UInt8])
    {
        try make(purpose: Self.purpose(endpoint, application))
    }

    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func make(purpose: String) throws(DomainError) -> (secret: Secret, sealed: [UInt8]) {
        let bytes = randomness.bytes(32)
        return (Self.text(of: bytes), try key.seal(bytes, purpose: purpose))
    }

    /// Those that sign at a time, the newest first.
    ///
    /// - Throws: `secretUnreadable` when they were sealed under another key.
    func signing(_ endpoint: EventEndpoint, at now: Timestamp) throws(DomainError) -> [Secret] {
        try signing(endpoint.secrets, purpose: Self.purpose(endpoint.id, endpoint.application), at: now)
    }

    /// The same of a hook.
    ///
    /// - Throws: `secretUnreadable` when they were sealed under another key.
    func signing(
        _ hook: Hook, of application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) -> [Secret] {
        try signing(hook.secrets, purpose: Hook.purpose(hook.point, application), at: now)
    }

    /// Another secret in the place of the one that signs. Each one before it signs until its own overlap ends, so that a receiver
    /// keeps the secret that it has when a response is lost and the rotation is sent again; but none for longer than the overlap
    /// that was named last, so that without one nothing signs but the new secret.
    ///
    /// - Returns: the secret, and the sealed ones as they are then.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func replacing(
        _ sealed: SealedSecrets, overlap: SecretOverlap, purpose: String, at now: Timestamp
    ) throws(DomainError) -> Replacement {
        let made = try make(purpose: purpose)
        let until = now + overlap.duration
        let kept = until > now ? replaced(sealed, until: until, purpose: purpose, at: now) : []
        var next = SealedSecrets(secret: made.sealed)
        if !kept.isEmpty {
            let record = try kept.count == 1 ? sealed.secret : key.seal(kept.flatMap(\.entry), purpose: purpose)
            (next.former, next.formerUntil) = (record, until)
        }
        return Replacement(secret: made.secret, sealed: next, isTooMany: kept.count > SealedSecrets.maximumFormer)
    }

    /// What a rotation makes.
    struct Replacement: Sendable {
        let secret: Secret
        let sealed: SealedSecrets
        fileprivate let isTooMany: Bool

        /// - Throws: `fieldsRefused` when so many secrets sign already that one would have to go before its time.
        func require() throws(DomainError) {
            guard !isTooMany else {
                throw .fieldsRefused([
                    ValidationError(field: "secrets", rule: .tooManyFields(maximum: SealedSecrets.maximumFormer))
                ])
            }
        }
    }

    private func signing(
        _ sealed: SealedSecrets, purpose: String, at now: Timestamp
    ) throws(DomainError) -> [Secret] {
        let newest = try key.open(sealed.secret, purpose: purpose)
        let former = try former(sealed, purpose: purpose, at: now)
        return ([newest] + former.map(\.bytes)).map { Self.text(of: $0) }
    }

    /// Those before the newest that still sign, the newest first.
    private func former(
        _ sealed: SealedSecrets, purpose: String, at now: Timestamp
    ) throws(DomainError) -> [FormerSecret] {
        guard let record = sealed.former, let until = sealed.formerUntil, now < until else { return [] }
        return FormerSecret.list(in: try key.open(record, purpose: purpose), until: until).filter { now < $0.until }
    }

    /// Those that sign on when another secret comes. What cannot be opened signs nothing, and keeps nobody from making another one.
    private func replaced(
        _ sealed: SealedSecrets, until: Timestamp, purpose: String, at now: Timestamp
    ) -> [FormerSecret] {
        let newest: FormerSecret
        do throws(DomainError) {
            newest = FormerSecret(bytes: try key.open(sealed.secret, purpose: purpose), until: until)
        } catch {
            return []  // See above.
        }
        do throws(DomainError) {
            let former = try former(sealed, purpose: purpose, at: now)
            return [newest] + former.map { FormerSecret(bytes: $0.bytes, until: min($0.until, until)) }
        } catch {
            return [newest]  // See above.
        }
    }

    private static func text(of bytes: [UInt8]) -> Secret { Secret(prefix + Data(bytes).base64EncodedString()) }

    static func purpose(_ endpoint: Identifier<EventEndpoint>, _ application: Identifier<Application>)
        -> String
    {
        "event endpoint \(application) \(endpoint)"
    }
}

/// The sealed secrets of an endpoint or a hook.
struct SealedSecrets: Hashable, Sendable {
    /// How many sign beside the newest one. Receivers look at a few signatures of a call alone.
    static let maximumFormer = 4

    var secret: [UInt8]
    /// Those before, one or several in one record, so that they are stored and sealed again as one is.
    var former: [UInt8]?
    /// Until when the last of them signs.
    var formerUntil: Timestamp?
}

extension EventEndpoint {
    var secrets: SealedSecrets {
        get { SealedSecrets(secret: sealedSecret, former: sealedFormer, formerUntil: formerUntil) }
        set { (sealedSecret, sealedFormer, formerUntil) = (newValue.secret, newValue.former, newValue.formerUntil) }
    }
}

extension Hook {
    var secrets: SealedSecrets {
        get { SealedSecrets(secret: sealedSecret, former: sealedFormer, formerUntil: formerUntil) }
        set { (sealedSecret, sealedFormer, formerUntil) = (newValue.secret, newValue.former, newValue.formerUntil) }
    }
}

/// A secret that was replaced, and until when it signs.
private struct FormerSecret {
    private static let secretBytes = 32
    private static let entryBytes = secretBytes + 8

    let bytes: [UInt8]
    let until: Timestamp

    /// A record of several has an entry of each: the secret, and its time in milliseconds. A secret alone has the record's time.
    static func list(in record: [UInt8], until: Timestamp) -> [Self] {
        guard record.count > entryBytes, record.count.isMultiple(of: entryBytes) else {
            return [Self(bytes: record, until: until)]
        }
        return stride(from: 0, to: record.count, by: entryBytes).map { start in
            let entry = record.dropFirst(start).prefix(entryBytes)
            let milliseconds = entry.dropFirst(secretBytes).reduce(Int64(0)) { $0 << 8 | Int64(clamping: $1) }
            return Self(bytes: Array(entry.prefix(secretBytes)), until: Timestamp(milliseconds: milliseconds))
        }
    }

    var entry: [UInt8] { bytes + withUnsafeBytes(of: until.milliseconds.bigEndian) { Array($0) } }
}
