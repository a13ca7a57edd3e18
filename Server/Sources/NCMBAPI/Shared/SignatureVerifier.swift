import Crypto
import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import struct OkaeriWire.WireTime

/// Checks the signature of a request, from its raw target.
struct SignatureVerifier: Sendable {
    let proxies: TrustedProxies
    let publicHost: String?
    let clock: any WallClock

    /// Longer headers are nobody's.
    private static let maximumHeaderBytes = 255

    /// - Returns: the request's signature, with which its answer is signed.
    /// - Throws: `NCMBFault.unauthenticated`.
    func callAsFunction(
        _ request: Request, _ context: ServerContext, for application: EnabledProtocol, key: String
    ) throws(NCMBFault) -> SignedText.Signature {
        guard let sent = request.headers.value(of: .ncmbSignature), sent.utf8.count <= Self.maximumHeaderBytes,
            let signature = Data(base64Encoded: sent).flatMap({ SecretDigest(stored: Array($0)) }),
            let timestamp = request.headers.value(of: .ncmbTimestamp),
            timestamp.utf8.count <= Self.maximumHeaderBytes, let target = request.head.path,
            let clientKey = application.authenticator(.clientKey)
        else { throw .unauthenticated }
        if let window = application.options.timestampWindow {
            guard let time = NCMBTimestamp(timestamp), time.isWithin(window, of: clock.now) else {
                throw .unauthenticated
            }
        }
        func expected(from host: Substring) -> SignedText.Signature? {
            let text = SignedText(
                method: request.method.rawValue, host: host, target: target, applicationKey: key, timestamp: timestamp)
            let expected = text.begun(by: clientKey)
            return expected.isEqual(to: signature) ? expected : nil
        }
        let asked = Host.withoutPort(request.authority)
        if let found = expected(from: asked) { return found }
        for host in otherHosts(than: asked, of: request, context, further: application.options.hosts) {
            if let found = expected(from: host) { return found }
        }
        throw .unauthenticated
    }

    /// The names by which the client may know this server, beside what it asked for: what a listed proxy says that it
    /// asked for, the server's own, and those that the application lists.
    private func otherHosts(
        than asked: Substring, of request: Request, _ context: ServerContext, further: [String]
    ) -> [Substring] {
        var hosts: [Substring] = []
        func add(_ host: Substring) {
            if !host.isEmpty, host != asked, !hosts.contains(host) { hosts.append(host) }
        }
        if proxies.isProxy(context), let forwarded = request.headers.lastHop(.forwardedHost) {
            add(Host.withoutPort(forwarded))
        }
        if let publicHost { add(publicHost[...]) }
        for host in further { add(host[...]) }
        return hosts
    }
}

/// Names of hosts.
enum Host {
    /// `auth.example.com` of `auth.example.com:8080`, and `[::1]` of `[::1]:8080`.
    static func withoutPort(_ authority: String) -> Substring {
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")),
            authority[authority.utf8.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return authority[...] }
        return authority[..<colon]
    }

    static func of(url: String) -> String? { URLComponents(string: url)?.host }
}

/// The time of a request, as the SDKs write it: with bare or encoded colons, with or without fraction, in UTC or with an
/// offset, and on Android with the hours of a twelve-hour clock.
struct NCMBTimestamp {
    let time: Timestamp
    /// Whether the hour is one that a twelve-hour clock has too.
    private let isAmbiguous: Bool
    private let isTwelve: Bool

    private static let halfDay: Duration = .seconds(12 * 3600)

    init?(_ header: String) {
        // Any time is shorter, and each of its signs is ASCII.
        guard header.utf8.count <= 100, var text = PercentEncoding.text(ofSegment: header),
            text.utf8.allSatisfy({ $0 < 0x80 })
        else { return nil }
        // An offset without its colon.
        if let sign = text.dropFirst(11).lastIndex(where: { $0 == "+" || $0 == "-" }),
            text.distance(from: sign, to: text.endIndex) == 5
        {
            text.insert(":", at: text.index(sign, offsetBy: 3))
        }
        guard let hour = Int(text.dropFirst(11).prefix(2), radix: 10), let time = WireTime(text) else { return nil }
        self.time = Timestamp(milliseconds: time.millisecondsSince1970)
        isAmbiguous = hour <= 12
        isTwelve = hour == 12
    }

    /// Whether it is near enough, also when it is meant twelve hours later: Android never says in the afternoon that it
    /// is; and noon and midnight are both 12 there.
    func isWithin(_ window: Duration, of now: Timestamp) -> Bool {
        var meant = [time]
        if isAmbiguous { meant.append(time + Self.halfDay) }
        if isTwelve { meant.append(time - Self.halfDay) }
        return meant.contains { $0 >= now - window && $0 <= now + window }
    }
}
