import Domain
import HTTPSupport
import OkaeriWire

struct HealthBody: Encodable {
    let version: String
    let at: WireTime
    let storageMilliseconds: Int64
    let applications: Int
    let users: Int
    let cachedSessions: Int
    let passwordsWaiting: Int
    let mail: Mail
    /// The keys of access tokens, the one that signs first.
    let signingKeys: [Key]

    struct Mail: Encodable {
        let isAvailable: Bool
        let waiting: Int
        let givenUp: Int
        let oldestAt: WireTime?
    }

    struct Key: Encodable {
        let id: String
        let createdAt: WireTime
    }

    init(_ findings: ReadHealth.Findings, cachedSessions: Int) {
        version = ProgramVersion.current
        at = findings.at.wire
        storageMilliseconds = findings.storage.wholeMilliseconds
        applications = findings.applications
        users = findings.users
        self.cachedSessions = cachedSessions
        passwordsWaiting = findings.passwordsWaiting
        mail = Mail(
            isAvailable: findings.sendsMail, waiting: findings.mailWaiting, givenUp: findings.mailGivenUp,
            oldestAt: findings.oldestMailAt?.wire)
        signingKeys = findings.signingKeys.map { Key(id: $0.id, createdAt: $0.createdAt.wire) }
    }
}

struct NewSigningKeyBody: Encodable {
    let id: String
}

struct RedirectsBody: Codable, Sendable {
    var redirects: [String]

    private enum CodingKeys: String, CodingKey, CaseIterable { case redirects }

    init(redirects: [String]) { self.redirects = redirects }

    init(from decoder: any Decoder) throws {
        redirects = try decoder.closedContainer(keyedBy: CodingKeys.self).decode([String].self, forKey: .redirects)
    }
}

struct ThemeBody: Encodable {
    /// The theme; absent for the standard one.
    let theme: JSONValue?
    /// Where it is hard to read (WCAG 2.2 AA).
    let contrastFaults: [Fault]

    struct Fault: Encodable {
        let appearance: String
        let front: String
        let back: String
        let ratio: Double
        let minimum: Double
    }

    init(_ stored: JSONValue?) {
        theme = stored
        contrastFaults = (stored.flatMap { Theme(stored: $0) } ?? Theme()).contrastFaults().map {
            Fault(
                appearance: $0.appearance.rawValue, front: $0.pair.front.rawValue, back: $0.pair.back.rawValue,
                ratio: ($0.ratio * 100).rounded() / 100, minimum: $0.pair.minimum)
        }
    }
}
