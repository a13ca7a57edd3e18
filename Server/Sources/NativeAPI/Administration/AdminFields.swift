import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let all = "applications/{application}/fields"
    private static let one = "applications/{application}/fields/{field}"

    /// What holds for an application's custom fields.
    static let fields: [AdminRoute] = [
        AdminRoute(.get, all, .readSettings) { call in
            try call.answer(try call.targetApplication().settings.fieldRules)
        },
        AdminRoute(.put, all, .changeFieldRules, also: [.loosenFieldRules, .showUsersToEverybody]) { call in
            let body = try await call.body(FieldPolicyBody.self)
            let isClosed = try body.isClosed()
            let application = try await call.modules.applications.changeFieldRules(
                of: try call.targetApplication().id, mayLoosen: call.allows(.loosenFieldRules),
                isCurrent: try call.areRulesCurrent(), by: try call.auditActor()
            ) { rules in
                rules.isClosed = isClosed
                body.limits?.apply(to: &rules.limits)
            }
            return try call.answer(application.settings.fieldRules)
        },
        AdminRoute(.get, one, .readSettings) { call in
            let application = try call.targetApplication()
            guard let rule = application.settings.fieldRules[try call.field()] else {
                throw DomainError.administration(.notFound)
            }
            return try await call.answer(rule, of: application.settings.fieldRules)
        },
        AdminRoute(.put, one, .changeFieldRules, also: [.loosenFieldRules, .showUsersToEverybody]) { call in
            let rule = try (try await call.body(NewFieldRuleBody.self)).rule(named: try call.field())
            let application = try await call.modules.applications.changeFieldRules(
                of: try call.targetApplication().id, mayLoosen: call.allows(.loosenFieldRules),
                isCurrent: try call.areRulesCurrent(), by: try call.auditActor()
            ) {
                $0[rule.name] = rule
            }
            return try await call.answer(rule, of: application.settings.fieldRules)
        },
        AdminRoute(.delete, one, .changeFieldRules, also: [.loosenFieldRules, .showUsersToEverybody]) { call in
            let (application, name) = (try call.targetApplication(), try call.field())
            guard application.settings.fieldRules[name] != nil else { throw DomainError.administration(.notFound) }
            try await call.modules.applications.changeFieldRules(
                of: application.id, mayLoosen: call.allows(.loosenFieldRules),
                isCurrent: try call.areRulesCurrent(), by: try call.auditActor()
            ) {
                $0[name] = nil
            }
            return AdminCall.done
        },
    ]
}

extension AdminCall {
    /// The field that the path names.
    fileprivate func field() throws(DomainError) -> String {
        guard let name = context.parameters.get("field").flatMap(PercentEncoding.text(ofSegment:)),
            name.utf8.count <= 1024
        else {
            throw .administration(.notFound)
        }
        return name
    }

    /// Whether all rules are still those whose version the caller has seen, if it names one; for a transaction.
    fileprivate func areRulesCurrent() throws(DomainError) -> @Sendable (Domain.Application) -> Bool {
        guard let version = try versionIfSent() else { return { _ in true } }
        return try targetApplication().settings.fieldRules.isStill(version)
    }

    /// All rules, with the version that they have together.
    fileprivate func answer(_ rules: FieldRules) throws -> Response {
        try answer(FieldRulesBody(rules), eTag: rules.version)
    }

    /// A rule, and how many users break it.
    fileprivate func answer(_ rule: FieldRule, of rules: FieldRules) async throws -> Response {
        let count = try await modules.applications.countRuleBreakers(of: rule, in: try targetApplication().id)
        return try answer(FieldRuleBody(rule, count), eTag: rules.version)
    }
}

/// All rules of an application.
struct FieldRulesBody: Encodable {
    /// `open` or `closed`.
    let policy: String
    let fields: [FieldRuleBody]
    let limits: FieldLimitsBody

    init(_ rules: FieldRules) {
        limits = FieldLimitsBody(rules.limits)
        policy = rules.isClosed ? "closed" : "open"
        fields = rules.sorted.map { FieldRuleBody($0) }
    }
}

/// A rule as it shall be; what is absent is as standard.
struct NewFieldRuleBody: Decodable, Sendable {
    var type: String?
    var read: String?
    var write: String?
    var required: Bool?
    var `default`: JSONValue?
    var label: [String: String]?

    private enum CodingKeys: String, CodingKey, CaseIterable { case type, read, write, required, `default`, label }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        type = try members.decodeIfPresent(String.self, forKey: .type)
        read = try members.decodeIfPresent(String.self, forKey: .read)
        write = try members.decodeIfPresent(String.self, forKey: .write)
        required = try members.decodeIfPresent(Bool.self, forKey: .required)
        `default` = try members.decodeIfPresent(JSONValue.self, forKey: .default)
        label = try members.decodeIfPresent([String: String].self, forKey: .label)
    }

    func rule(named name: String) throws(RequestError) -> FieldRule {
        FieldRule(
            name: name, kind: try Self.word(type, "type") ?? .any, reader: try Self.word(read, "read") ?? .everybody,
            writer: try Self.word(write, "write") ?? .owner, isRequired: required ?? false, standard: `default`,
            labels: label ?? [:])
    }

    private static func word<Word: CaseIterable & RawRepresentable>(
        _ text: String?, _ member: String
    ) throws(RequestError) -> Word? where Word.RawValue == String {
        guard let text else { return nil }
        guard let word = Word(rawValue: text) else {
            throw .membersInvalid([MemberFault(path: member, rule: .oneOf(Word.self))])
        }
        return word
    }
}

/// How much a user may hold; in a change, what is absent stays.
struct FieldLimitsBody: Codable, Sendable {
    private var fields: Int?
    private var fieldsBytes: Int?
    private var userNameCharacters: Int?

    private enum CodingKeys: String, CodingKey, CaseIterable { case fields, fieldsBytes, userNameCharacters }

    init(_ limits: ProfileLimits) {
        fields = limits.fields
        fieldsBytes = limits.fieldsBytes
        userNameCharacters = limits.userNameCharacters
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        fields = try members.decodeIfPresent(Int.self, forKey: .fields)
        fieldsBytes = try members.decodeIfPresent(Int.self, forKey: .fieldsBytes)
        userNameCharacters = try members.decodeIfPresent(Int.self, forKey: .userNameCharacters)
    }

    func apply(to limits: inout ProfileLimits) {
        limits.fields = fields ?? limits.fields
        limits.fieldsBytes = fieldsBytes ?? limits.fieldsBytes
        limits.userNameCharacters = userNameCharacters ?? limits.userNameCharacters
    }
}

/// What holds for fields without a rule, and how much a user may hold.
struct FieldPolicyBody: Decodable, Sendable {
    private var policy: String
    private(set) var limits: FieldLimitsBody?

    private enum CodingKeys: String, CodingKey, CaseIterable { case policy, limits }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        policy = try members.decode(String.self, forKey: .policy)
        limits = try members.decodeIfPresent(FieldLimitsBody.self, forKey: .limits)
    }

    func isClosed() throws(RequestError) -> Bool {
        switch policy {
        case "open": false
        case "closed": true
        default: throw .membersInvalid([MemberFault(path: "policy", rule: .form("open or closed."))])
        }
    }
}
