import Domain
import HTTPSupport
import OkaeriWire

struct AdminProtocolsBody: Encodable {
    /// Those that are on.
    let protocols: [AdminProtocolBody]
}

struct AdminProtocolBody: Encodable {
    let `protocol`: String
    /// Keys that name the application, and for who may change settings those that ship inside the app. One that makes an
    /// administrator is told once, when it is made.
    let keys: [String: String]
    let rules: ProtocolRulesBody

    init(_ issued: IssuedKeys, of application: Domain.Application, isWhole: Bool) {
        `protocol` = issued.protocolName.rawValue
        keys = Dictionary(
            uniqueKeysWithValues: issued.keys.filter { isWhole || $0.key.keeping == .open }
                .map { ($0.key.rawValue, $0.value.revealed) })
        rules = ProtocolRulesBody(issued.protocolName, of: application.settings)
    }
}

struct ProtocolKeysBody: Decodable, Sendable {
    /// Keys that apps in the stores carry, by name. The others are made.
    private let keys: [String: String]?

    private enum CodingKeys: String, CodingKey, CaseIterable { case keys }

    init(from decoder: any Decoder) throws {
        keys = try decoder.closedContainer(keyedBy: CodingKeys.self)
            .decodeIfPresent([String: String].self, forKey: .keys)
    }

    /// - Throws: `HTTPFault.membersInvalid` for a key that the protocol has not.
    func given(for name: Session.ProtocolName) throws(HTTPFault) -> [ProtocolKey: Secret] {
        var given: [ProtocolKey: Secret] = [:]
        for (word, text) in keys ?? [:] {
            guard let key = ProtocolKey(rawValue: word), name.keys.contains(key) else {
                throw .membersInvalid([MemberFault(path: "keys.\(MemberFault.printable(word))", rule: .malformed)])
            }
            given[key] = Secret(text)
        }
        return given
    }
}

/// What holds for a foreign protocol; see `okaeri application rules`.
struct ProtocolRulesBody: Encodable {
    let idleSeconds: Int64
    let sessionsPerUser: Int?
    let allowsAnonymous: Bool
    let isReadableByAll: Bool
    let takesPasswordsInAddresses: Bool
    let timestampWindowSeconds: Int64?
    let hosts: [String]
    let retiresWeakPasswords: Bool
    let allowsSignUpByMail: Bool
    let demandsVerifiedEmail: Bool
    let refreshedTokenSeconds: Int64?
    let needsVerifiedEmail: Bool
    let hasPasswordPolicy: Bool
    let ignoresCase: Bool
    let administratorNetworks: [String]

    init(_ name: Session.ProtocolName, of settings: ApplicationSettings) {
        let (rules, options) = (settings.sessionRules(of: name), settings.foreignOptions(of: name))
        idleSeconds = rules.idleLifetime.components.seconds
        sessionsPerUser = rules.maximumPerUser
        allowsAnonymous = options.allowsAnonymous
        isReadableByAll = options.isReadableByAll
        takesPasswordsInAddresses = options.takesPasswordsInAddresses
        timestampWindowSeconds = options.timestampWindow?.components.seconds
        hosts = options.hosts
        retiresWeakPasswords = options.retiresWeakPasswords
        allowsSignUpByMail = options.allowsSignUpByMail
        demandsVerifiedEmail = options.demandsVerifiedEmail
        refreshedTokenSeconds = options.refreshedTokenLifetime?.components.seconds
        needsVerifiedEmail = options.needsVerifiedEmail
        hasPasswordPolicy = options.hasPasswordPolicy
        ignoresCase = options.ignoresCase
        administratorNetworks = options.administratorNetworks
    }
}

/// A change of such rules: what is absent stays.
struct ProtocolRulesPatch: Decodable, Sendable {
    private let idleSeconds: Int64?
    private let sessionsPerUser: Int?
    private let truths: [CodingKeys: Bool]
    /// 0 for any distance.
    private let timestampWindowSeconds: Int64?
    /// 0 for tokens without refreshing.
    private let refreshedTokenSeconds: Int64?
    private let hosts: [String]?
    private let administratorNetworks: [String]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case idleSeconds, sessionsPerUser, allowsAnonymous, isReadableByAll, takesPasswordsInAddresses
        case timestampWindowSeconds, hosts, retiresWeakPasswords, allowsSignUpByMail, demandsVerifiedEmail
        case refreshedTokenSeconds, needsVerifiedEmail, hasPasswordPolicy, ignoresCase, administratorNetworks
    }

    private static var options: [(CodingKeys, WritableKeyPath<ForeignOptions, Bool>)] {
        [
            (.allowsAnonymous, \.allowsAnonymous), (.isReadableByAll, \.isReadableByAll),
            (.takesPasswordsInAddresses, \.takesPasswordsInAddresses),
            (.retiresWeakPasswords, \.retiresWeakPasswords), (.allowsSignUpByMail, \.allowsSignUpByMail),
            (.demandsVerifiedEmail, \.demandsVerifiedEmail), (.needsVerifiedEmail, \.needsVerifiedEmail),
            (.hasPasswordPolicy, \.hasPasswordPolicy), (.ignoresCase, \.ignoresCase),
        ]
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        func seconds(_ key: CodingKeys, from least: Int64) throws -> Int64? {
            let number = try members.decodeIfPresent(Int64.self, forKey: key)
            guard number.map({ (least...SessionRules.endless.components.seconds).contains($0) }) ?? true else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: members, debugDescription: "No span of that length.")
            }
            return number
        }
        idleSeconds = try seconds(.idleSeconds, from: 1)
        sessionsPerUser = try members.decodeIfPresent(Int.self, forKey: .sessionsPerUser)
        timestampWindowSeconds = try seconds(.timestampWindowSeconds, from: 0)
        refreshedTokenSeconds = try seconds(.refreshedTokenSeconds, from: 0)
        hosts = try members.decodeIfPresent([String].self, forKey: .hosts)
        let networks = try members.decodeIfPresent([String].self, forKey: .administratorNetworks)
        guard networks?.allSatisfy({ IPNetwork($0) != nil }) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .administratorNetworks, in: members, debugDescription: "Networks such as 10.0.0.0/8.")
        }
        administratorNetworks = networks
        var truths: [CodingKeys: Bool] = [:]
        for (key, _) in Self.options { truths[key] = try members.decodeIfPresent(Bool.self, forKey: key) }
        self.truths = truths
    }

    func apply(to rules: inout SessionRules, _ options: inout ForeignOptions) {
        if let idleSeconds { rules.idleLifetime = .seconds(idleSeconds) }
        if let sessionsPerUser { rules.maximumPerUser = sessionsPerUser }
        for (key, path) in Self.options {
            if let truth = truths[key] { options[keyPath: path] = truth }
        }
        if let timestampWindowSeconds {
            options.timestampWindow = timestampWindowSeconds == 0 ? nil : .seconds(timestampWindowSeconds)
        }
        if let refreshedTokenSeconds {
            options.refreshedTokenLifetime = refreshedTokenSeconds == 0 ? nil : .seconds(refreshedTokenSeconds)
        }
        if let hosts { options.hosts = hosts }
        if let administratorNetworks { options.administratorNetworks = administratorNetworks }
    }
}
