import ArgumentParser
import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// `okaeri application fields …`
struct FieldsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fields",
        abstract: "Show or change what holds for the users' custom fields.",
        discussion: """
            Without rules, users write any fields, and all who may see a user read them. A rule says for one field who reads \
            it (public, owner, server), who writes it (owner, server), its type, a default for new users, and whether nobody \
            registers without it. The server's operators read and write everything. A running server obeys at its next request.

            Examples:
              okaeri application fields list 00VHj9mrbT8wn7Qk
              okaeri application fields set 00VHj9mrbT8wn7Qk coins --type integer \\
                --write server --default 0
              okaeri application fields set 00VHj9mrbT8wn7Qk birthday --type date \\
                --read owner --required --label ja=誕生日
              okaeri application fields remove 00VHj9mrbT8wn7Qk coins
              okaeri application fields policy 00VHj9mrbT8wn7Qk closed
              okaeri application fields limits 00VHj9mrbT8wn7Qk --fields 200 \\
                --bytes 131072
            """,
        subcommands: [
            ListFieldRulesCommand.self, SetFieldRuleCommand.self, RemoveFieldRuleCommand.self,
            FieldPolicyCommand.self, FieldLimitsCommand.self,
        ])
}

/// `okaeri application fields list`
struct ListFieldRulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the rules for an application's fields.",
        discussion: """
            Example:
              okaeri application fields list 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The application's id.")
    var id: String

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let application = try await storage.perform(.readSettings) { modules, who throws(DomainError) in
            try await modules.applications.findApplication(id)
        }
        let rules = application.settings.fieldRules
        guard !output.isJSON else { return Console.write(json: FieldRulesDescription(rules)) }
        var table = TextTable("FIELD", "TYPE", "READ", "WRITE", "REQUIRED", "DEFAULT")
        for rule in rules.sorted {
            table.add(
                rule.name, rule.kind.rawValue, rule.reader.rawValue, rule.writer.rawValue,
                rule.isRequired ? "yes" : nil, rule.standard.map(FieldRulesDescription.text(of:)))
        }
        if !rules.rules.isEmpty { Console.write(table.text()) }
        Console.write(
            rules.isClosed
                ? "Other fields are written by the server alone, and read by their owner."
                : "Other fields are written by their owner, and read by all who may see the user.")
    }
}

/// `okaeri application fields set`
struct SetFieldRuleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Make or replace the rule for one field.",
        discussion: """
            What users have already stays as it is and readable; the command prints how many of them break the rule.

            Examples:
              okaeri application fields set 00VHj9mrbT8wn7Qk coins --type integer \\
                --write server --default 0
              okaeri application fields set 00VHj9mrbT8wn7Qk note --read server \\
                --write server
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "The field's name.")
    var field: String

    @Option(help: "The type: \(FieldKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var type: String = FieldKind.any.rawValue

    @Option(help: "Who reads it: public, owner, server.")
    var read: String = FieldRule.Reader.everybody.rawValue

    @Option(help: "Who writes it: owner, server.")
    var write: String = FieldRule.Writer.owner.rawValue

    @Flag(help: "Nobody registers without it; anonymous users may be without.")
    var required = false

    @Option(name: .customLong("default"), help: ArgumentHelp("What new users have, as JSON.", valueName: "json"))
    var standard: String?

    @Option(help: ArgumentHelp("What people see beside it: ja=誕生日; may be repeated.", valueName: "language=text"))
    var label: [String] = []

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let rule = try rule()
        let count = try await storage.perform(.loosenFieldRules) { modules, who throws(DomainError) in
            try await modules.applications.changeFieldRules(of: id, mayLoosen: true, by: who) { $0[rule.name] = rule }
            return try await modules.applications.countRuleBreakers(of: rule, in: id)
        }
        guard !output.isJSON else { return Console.write(json: FieldRulesDescription.Rule(rule, count)) }
        Console.write("The rule is set.")
        guard count.breaking > 0 else { return }
        Console.tell(
            "Users who break it: \(count.breaking) of \(count.looked)\(count.isComplete ? "" : " looked at"). What they have "
                + "stays readable, and must keep the rule when it changes.")
    }

    private func rule() throws -> FieldRule {
        func word<Word: RawRepresentable<String> & CaseIterable>(_ text: String, _ option: String) throws -> Word {
            guard let word = Word(rawValue: text) else {
                throw CommandFault.usage(
                    "--\(option) is one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            return word
        }
        var rule = FieldRule(
            name: field, kind: try word(type, "type"), reader: try word(read, "read"),
            writer: try word(write, "write"), isRequired: required)
        if let standard {
            guard let value = try? JSONValue(parsing: Array(standard.utf8)) else {
                throw CommandFault.usage("--default is JSON: 0, true, '\"text\"', '[1, 2]'.")
            }
            rule.standard = value
        }
        for text in label {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw CommandFault.usage("--label is a language and a text: ja=誕生日.") }
            rule.labels[parts[0]] = parts[1]
        }
        return rule
    }
}

/// `okaeri application fields remove`
struct RemoveFieldRuleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take the rule for one field away. No user's fields change.",
        discussion: """
            Example:
              okaeri application fields remove 00VHj9mrbT8wn7Qk coins
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "The field's name.")
    var field: String

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let (id, field) = (Identifier<Application>(rawValue: id), field)
        let existed = try await storage.perform(.loosenFieldRules) { modules, who throws(DomainError) in
            let rules = try await modules.applications.findApplication(id).settings.fieldRules
            try await modules.applications.changeFieldRules(of: id, mayLoosen: true, by: who) { $0[field] = nil }
            return rules[field] != nil
        }
        guard existed else { throw CommandFault.usage("There is no rule for this field.") }
        Console.write("The rule is gone.")
    }
}

/// `okaeri application fields policy`
struct FieldPolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Say what holds for fields without a rule.",
        discussion: """
            open: users write them, and all who may see a user read them. closed: the server alone writes them, and their \
            owner reads them.

            Examples:
              okaeri application fields policy 00VHj9mrbT8wn7Qk closed
            """)

    /// What can be said.
    enum Policy: String, ExpressibleByArgument, CaseIterable {
        case open, closed
    }

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "open or closed.")
    var policy: Policy

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let (id, isClosed) = (Identifier<Application>(rawValue: id), policy == .closed)
        _ = try await storage.perform(.loosenFieldRules) { modules, who throws(DomainError) in
            try await modules.applications.changeFieldRules(of: id, mayLoosen: true, by: who) { $0.isClosed = isClosed }
        }
        Console.write(isClosed ? "Apps write only fields that have a rule." : "Apps write any fields.")
    }
}

/// `okaeri application fields limits`
struct FieldLimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits", abstract: "Say how much a user may hold.",
        discussion: """
            The limits hold in every protocol and for imports. What users hold already stays when a limit becomes smaller.

            Examples:
              okaeri application fields limits 00VHj9mrbT8wn7Qk
              okaeri application fields limits 00VHj9mrbT8wn7Qk --fields 200 \\
                --bytes 131072 --user-name-characters 400
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Option(help: "How many fields a user has at the most, 100 to 400.")
    var fields: Int?

    @Option(help: "How many bytes all fields of a user take as JSON, 32768 to 262144.")
    var bytes: Int?

    @Option(help: "The longest user name that apps of old protocols choose, 255 to 500 characters.")
    var userNameCharacters: Int?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, fields, bytes, characters) = (
            Identifier<Application>(rawValue: id), fields, bytes, userNameCharacters
        )
        let isRead = fields == nil && bytes == nil && characters == nil
        let application = try await storage.perform(isRead ? .readSettings : .loosenFieldRules) {
            modules, who throws(DomainError) in
            guard !isRead else { return try await modules.applications.findApplication(id) }
            return try await modules.applications.changeFieldRules(of: id, mayLoosen: true, by: who) { rules in
                if let fields { rules.limits.fields = fields }
                if let bytes { rules.limits.fieldsBytes = bytes }
                if let characters { rules.limits.userNameCharacters = characters }
            }
        }
        let limits = application.settings.fieldRules.limits
        guard !output.isJSON else { return Console.write(json: FieldLimitsDescription(limits)) }
        Console.write(
            "A user has at most \(limits.fields) fields in \(limits.fieldsBytes) bytes, and a user name of "
                + "\(limits.userNameCharacters) characters.")
    }
}

/// The limits as `--json` shows them.
struct FieldLimitsDescription: Encodable {
    let fields: Int
    let fieldsBytes: Int
    let userNameCharacters: Int

    init(_ limits: ProfileLimits) {
        fields = limits.fields
        fieldsBytes = limits.fieldsBytes
        userNameCharacters = limits.userNameCharacters
    }
}

/// The rules as `--json` shows them.
struct FieldRulesDescription: Encodable {
    /// A rule, and beside its members how many users break it.
    struct Rule: Encodable {
        private let rule: FieldRuleBody
        private let count: CountRuleBreakers.Count?

        private enum CodingKeys: String, CodingKey { case breaking, looked }

        init(_ rule: FieldRule, _ count: CountRuleBreakers.Count? = nil) {
            self.rule = FieldRuleBody(rule)
            self.count = count
        }

        func encode(to encoder: any Encoder) throws {
            try rule.encode(to: encoder)
            var counts = encoder.container(keyedBy: CodingKeys.self)
            try counts.encodeIfPresent(count?.breaking, forKey: .breaking)
            try counts.encodeIfPresent(count?.looked, forKey: .looked)
        }
    }

    let policy: String
    let fields: [Rule]

    init(_ rules: FieldRules) {
        policy = rules.isClosed ? "closed" : "open"
        fields = rules.sorted.map { Rule($0) }
    }

    /// A default in one line.
    static func text(of value: JSONValue) -> String {
        // What was read from JSON can be written as JSON.
        (try? JSONEncoder().encode(value)).map { String(String(decoding: $0, as: UTF8.self).prefix(60)) } ?? "–"
    }
}
