public import Foundation
import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A server's public keys (`GET /.well-known/jwks.json`), kept as long as the response says.
///
/// However many requests wait, one request for the keys is under way. An id that is not among the keys makes it ask again
/// before their time, once a minute at the most. While the server cannot be reached, the keys that are known count for
/// `KeySet.longestOutage` more, and nobody waits for it.
public actor KeySet {
    /// How long keys count that could not be read anew.
    public static let longestOutage: Duration = .seconds(3600)
    private static let forcedPause: Int64 = 60
    /// After a failure nobody asks for so many seconds: requests would all wait for a server that does not answer.
    private static let failurePause: Int64 = 5
    /// After a failure the server counts as away for so many seconds: who needs a key that is known waits for none of the
    /// attempts meanwhile.
    private static let failureMemory: Int64 = 60
    private static let maximumKeys = 100
    private static let maximumDirectiveBytes = 1024
    private static let maximumBytes = 256 * 1024

    private struct Known {
        var keys: [String: P256.Signing.PublicKey]
        var readAt: Int64
        var freshUntil: Int64

        /// A clock that was put back does not say how old they are: from now on they are not fresh.
        mutating func settle(at now: Int64) {
            if now < readAt { (readAt, freshUntil) = (now, now) }
        }
    }

    private let url: URL
    private let source: any KeySetSource
    private let clock: any VerifierClock
    private var known: Known?
    private var underWay: Task<Void, Never>?
    private var forcedAt: Int64?
    private var failedAt: Int64?

    /// Makes a key set; it asks for the keys when it first needs one.
    ///
    /// - Parameters:
    ///   - url: Where the keys are: the server's address and `/.well-known/jwks.json`.
    ///   - source: What asks for them.
    ///   - clock: The time.
    public init(
        url: URL, source: any KeySetSource = SystemKeySetSource(), clock: any VerifierClock = SystemVerifierClock()
    ) {
        self.url = url
        self.source = source
        self.clock = clock
    }

    /// - Throws: `keyUnknown`, `unavailable`.
    func key(_ id: String) async throws(VerificationError) -> P256.Signing.PublicKey {
        let now = clock.seconds
        known?.settle(at: now)
        if let known, now < known.freshUntil {
            if let key = known.keys[id] { return key }
            if underWay == nil {
                guard !Self.isWithin(Self.forcedPause, of: forcedAt, at: now) else { throw .keyUnknown }
                forcedAt = now
            }
        } else if underWay == nil, Self.isWithin(Self.failurePause, of: failedAt, at: now) {
            return try kept(id, at: now)
        } else if Self.isWithin(Self.failureMemory, of: failedAt, at: now), let key = known?.keys[id], isKept(at: now) {
            // Nobody awaits it: it stores what it gets, and ends by the source's own time limit.
            _ = refreshing()
            return key
        }
        // All who wait, wait for this one: it does not end with the request that began it.
        await refreshing().value
        return try kept(id, at: now)
    }

    /// Whether so many seconds have not passed since. A clock that was put back says nothing of what was before.
    private static func isWithin(_ seconds: Int64, of moment: Int64?, at now: Int64) -> Bool {
        moment.map { (0..<seconds).contains(now - $0) } ?? false
    }

    /// Whether the keys that are known count, fresh or not.
    private func isKept(at now: Int64) -> Bool {
        known.map { now < $0.freshUntil + Self.longestOutage.components.seconds } ?? false
    }

    /// A key of those that are known, fresh or not.
    private func kept(_ id: String, at now: Int64) throws(VerificationError) -> P256.Signing.PublicKey {
        guard let known, isKept(at: now) else { throw .unavailable }
        guard let key = known.keys[id] else {
            // Whether the server has it by now is not known.
            throw now < known.freshUntil ? .keyUnknown : .unavailable
        }
        return key
    }

    private func refreshing() -> Task<Void, Never> {
        let task = underWay ?? Task { await load() }
        underWay = task
        return task
    }

    private func load() async {
        if let read = await Self.read(url, source, clock) {
            (known, failedAt) = (read, nil)
        } else {
            failedAt = clock.seconds
        }
        underWay = nil
    }

    /// `nil` when there is no answer, or none with a key: what is known stays then.
    private static func read(_ url: URL, _ source: any KeySetSource, _ clock: any VerifierClock) async -> Known? {
        do {
            let answer = try await source.keySet(at: url)
            guard answer.body.count <= maximumBytes,
                case .object(let members) = try JSONValue(parsing: Array(answer.body), maximumDepth: 8),
                case .array(let values)? = members["keys"], values.count <= maximumKeys
            else { return nil }
            var keys: [String: P256.Signing.PublicKey] = [:]
            for case .object(let key) in values {
                // Keys for anything else are none of ours.
                guard key["use"].map({ $0.isText("sig") }) ?? true, key["alg"].map({ $0.isText("ES256") }) ?? true,
                    let id = key["kid"]?.text, let key = P256.Signing.PublicKey.of(key)
                else { continue }
                keys[id] = key
            }
            guard !keys.isEmpty else { return nil }
            let now = clock.seconds
            return Known(keys: keys, readAt: now, freshUntil: now + lifetime(answer.cacheControl))
        } catch {
            // The reason changes nothing for requests; a source of the app's own can write it into a log.
            return nil
        }
    }

    /// How long a response may be kept (RFC 9111 §5.2.2), from a minute to a day; five minutes when it says nothing, or more
    /// than anybody has to say.
    static func lifetime(_ cacheControl: String?) -> Int64 {
        guard let cacheControl, cacheControl.utf8.count <= maximumDirectiveBytes else { return 300 }
        let directives = cacheControl.lowercased().split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        if directives.contains("no-store") || directives.contains("no-cache") { return 60 }
        for directive in directives where directive.hasPrefix("max-age=") {
            let digits = directive.dropFirst("max-age=".count)
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { break }
            // More digits than 64 bits hold are more than a day too.
            return min(max(Int64(digits, radix: 10) ?? .max, 60), 86_400)
        }
        return 300
    }
}

/// What asks a server for its keys.
public protocol KeySetSource: Sendable {
    /// Asks once.
    ///
    /// - Parameter url: Where the keys are.
    /// - Returns: A response of the status 200.
    /// - Throws: When there is none.
    func keySet(at url: URL) async throws -> KeySetAnswer
}

/// A response with keys.
public struct KeySetAnswer: Sendable {
    /// The JWK Set (RFC 7517 §5).
    public var body: Data
    /// The header `Cache-Control`.
    public var cacheControl: String?

    /// Makes a response.
    public init(body: Data, cacheControl: String? = nil) {
        self.body = body
        self.cacheControl = cacheControl
    }
}
