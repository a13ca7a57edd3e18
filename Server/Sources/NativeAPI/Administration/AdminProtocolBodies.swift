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
    /// administrator is returned once, when it is made.
    let keys: [String: String]
    let rules: ProtocolRulesBody

    init(_ issued: IssuedKeys, of application: Domain.Application, isWhole: Bool) {
        `protocol` = issued.protocolName.rawValue
        keys = Dictionary(
            issued.keys.filter { isWhole || issued.profile[$0.key]?.keeping == .open }
                .map { ($0.key.rawValue, $0.value.revealed) }, uniquingKeysWith: { $1 })
        rules = ProtocolRulesBody(issued.profile, of: application.settings)
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

    /// - Throws: `RequestError.membersInvalid` for a key that the protocol has not.
    func given(for profile: ProtocolProfile) throws(RequestError) -> [ProtocolKey: Secret] {
        var given: [ProtocolKey: Secret] = [:]
        for (word, text) in keys ?? [:] {
            let key = ProtocolKey(rawValue: word)
            guard profile[key] != nil else {
                let names = profile.keys.map(\.name.rawValue).joined(separator: ", ")
                throw .membersInvalid([
                    MemberFault(path: "keys.\(MemberFault.printable(word))", rule: .form("The protocol has \(names)."))
                ])
            }
            given[key] = Secret(text)
        }
        return given
    }
}

/// What holds for a foreign protocol, by the names of `ProtocolRule.all`.
struct ProtocolRulesBody: Encodable {
    private let values: [String: ProtocolRule.Value]

    init(_ profile: ProtocolProfile, of settings: ApplicationSettings) {
        values = Dictionary(
            ProtocolRule.all.map { ($0.name, $0.value(for: profile, in: settings)) }, uniquingKeysWith: { $1 })
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: RuleName.self)
        for rule in ProtocolRule.all {
            let key = RuleName(rule)
            switch values[rule.name] {
            case .truth(let truth)?: try members.encode(truth, forKey: key)
            case .number(let number)?: try members.encodeIfPresent(number, forKey: key)
            case .texts(let texts)?: try members.encode(texts, forKey: key)
            case nil: continue
            }
        }
    }
}

/// A change of such rules: what is absent stays, and 0 stands for none.
struct ProtocolRulesPatch: Decodable, Sendable {
    let changes: [String: ProtocolRule.Value]

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: RuleName.self)
        var changes: [String: ProtocolRule.Value] = [:]
        for rule in ProtocolRule.all {
            let key = RuleName(rule)
            switch rule.kind {
            case .truth: changes[rule.name] = try members.decodeIfSent(Bool.self, forKey: key).map { .truth($0) }
            case .seconds, .count:
                changes[rule.name] = try members.decodeIfSent(Int64.self, forKey: key).map { .number($0) }
            case .hosts, .networks, .server:
                changes[rule.name] = try members.decodeIfSent([String].self, forKey: key).map { .texts($0) }
            }
        }
        self.changes = changes
    }
}

/// The name of a rule as a member of a body.
private struct RuleName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ rule: ProtocolRule) { stringValue = rule.name }
    init?(intValue: Int) { nil }

    init?(stringValue: String) {
        guard ProtocolRule[stringValue] != nil else { return nil }
        self.stringValue = stringValue
    }
}
