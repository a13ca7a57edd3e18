/// One thing that an application decides for a foreign protocol. `all` is the one list of them: the admin API, the command
/// line and the dashboard show and change what stands in it.
package struct ProtocolRule: Sendable {
    /// What a rule says.
    package enum Value: Hashable, Sendable {
        case truth(Bool)
        /// `nil` for none.
        case number(Int64?)
        case texts([String])
    }

    /// What a rule takes.
    package enum Kind: Hashable, Sendable {
        case truth
        /// Seconds; 0 stands for none where there may be none.
        case seconds(ClosedRange<Int64>, isOptional: Bool)
        /// How many; 0 stands for no limit.
        case count(ClosedRange<Int64>)
        /// Names of hosts.
        case hosts
        /// Addresses, and networks such as `10.0.0.0/8`.
        case networks
        /// The address of a server: one at the most.
        case server
    }

    /// By which changes a rule lets more through than before.
    package enum Loosening: Hashable, Sendable {
        case whenOn
        case whenOff
        /// A larger number, or none.
        case whenMore
        /// A text or network that none of those before holds.
        case whenAdded
        case always
    }

    private typealias Read = @Sendable (SessionRules, ForeignOptions) -> Value
    private typealias Write = @Sendable (Value, inout SessionRules, inout ForeignOptions) -> Void

    /// The names of all rules, which are the members of the admin API's bodies.
    package enum Name: String, CaseIterable, Hashable, Sendable {
        case idleSeconds, sessionsPerUser, allowsAnonymous, isReadableByAll, takesPasswordsInAddresses
        case timestampWindowSeconds, hosts, retiresWeakPasswords, allowsSignUpByMail, demandsVerifiedEmail
        case logInMovesUpdateTime, demandsVerifiedPhone, hasDashedIds, refreshedTokenSeconds, needsVerifiedEmail,
            hasPasswordPolicy,
            ignoresCase
        case administratorNetworks, verifiesEmails, upstream

        /// Whether every foreign protocol heeds it, whatever its profile says.
        package var isCommon: Bool {
            [.idleSeconds, .sessionsPerUser, .retiresWeakPasswords].contains(self)
        }
    }

    package let id: Name
    /// The member of the admin API's bodies.
    package var name: String { id.rawValue }
    package let kind: Kind
    package let loosening: Loosening
    private let read: Read
    private let write: Write

    /// How many hosts or networks there may be.
    package static let maximumTexts = 20
    /// The seconds of what never ends.
    package static let endless = SessionRules.endless.components.seconds

    /// What the rule says of a protocol in an application.
    package func value(for profile: ProtocolProfile, in settings: ApplicationSettings) -> Value {
        read(settings.sessionRules(of: profile), settings.foreignOptions(of: profile.name))
    }

    /// Writes a value; 0 becomes none where there may be none. A value of another type changes nothing; `faults`
    /// names it.
    func apply(_ value: Value, to rules: inout SessionRules, _ options: inout ForeignOptions) {
        write(value == .number(0) && isOptional ? .number(nil) : value, &rules, &options)
    }

    /// Whether a change lets more through, so that it asks for fresh proof (requirement 18).
    package func loosens(from before: Value, to after: Value) -> Bool {
        guard before != after else { return false }
        switch (loosening, before, after) {
        case (.whenOn, _, .truth(let truth)): return truth
        case (.whenOff, _, .truth(let truth)): return !truth
        case (.whenMore, .number(let before), .number(let after)):
            return (after ?? .max) > (before ?? .max)
        case (.whenAdded, .texts(let before), .texts(let after)):
            guard kind == .networks else { return !Set(after).isSubset(of: before) }
            let known = before.compactMap(IPNetwork.init(_:))
            return !after.allSatisfy { text in
                guard let network = IPNetwork(text) else { return false }
                return known.contains { network.isPart(of: $0) }
            }
        default: return true
        }
    }

    /// Whether there may be no number.
    package var isOptional: Bool {
        switch kind {
        case .seconds(_, let isOptional): isOptional
        case .count: true
        case .truth, .hosts, .networks, .server: false
        }
    }

    /// What is wrong with a value.
    package func faults(of value: Value) -> [ValidationError] {
        switch (kind, value) {
        case (.truth, .truth): return []
        case (.seconds(let range, _), .number(let number)), (.count(let range), .number(let number)):
            if isOptional, number ?? 0 == 0 { return [] }
            guard let number, range.contains(number) else {
                let least = isOptional ? 0 : range.lowerBound
                return [ValidationError(field: name, rule: .outOfRange(least...range.upperBound))]
            }
            return []
        case (.hosts, .texts(let texts)):
            return TextRule(maximumCharacters: 253).faults(ofEach: texts, atMost: Self.maximumTexts, field: name)
        case (.networks, .texts(let texts)):
            guard texts.count <= Self.maximumTexts else {
                return [ValidationError(field: name, rule: .tooManyFields(maximum: Self.maximumTexts))]
            }
            return texts.allSatisfy { IPNetwork($0) != nil } ? [] : [ValidationError(field: name, rule: .notANetwork)]
        case (.server, .texts(let texts)):
            guard texts.count <= 1 else {
                return [ValidationError(field: name, rule: .tooManyFields(maximum: 1))]
            }
            return texts.allSatisfy(Self.isServer) ? [] : [ValidationError(field: name, rule: .notAnAddress)]
        default: return [ValidationError(field: name, rule: .otherType)]
        }
    }

    /// An address by http or https, without anything behind its path. Where it may lead, the policy for requests to other
    /// servers decides.
    private static func isServer(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix), text.utf8.count <= 500 else {
            return false
        }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        return rest.first.map { $0 != UInt8(ascii: "/") } ?? false && rest.last != UInt8(ascii: "/")
            && rest.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"?#@\\\"<>".utf8.contains($0) }
    }
}

extension ProtocolRule {
    /// Every rule, in the order in which they are shown.
    package static let all: [ProtocolRule] = [
        ProtocolRule(
            id: .idleSeconds, kind: .seconds(1...endless, isOptional: false), loosening: .whenMore,
            read: { rules, _ in .number(rules.idleLifetime.components.seconds) },
            write: { value, rules, _ in
                if case .number(let seconds?) = value { rules.idleLifetime = .seconds(seconds) }
            }),
        ProtocolRule(
            id: .sessionsPerUser, kind: .count(1...Int64(SessionIssuer.maximumSessionsPerUser)), loosening: .whenMore,
            read: { rules, _ in .number(rules.maximumPerUser.map { Int64(clamping: $0) }) },
            write: { value, rules, _ in
                if case .number(let count) = value { rules.maximumPerUser = count.map { Int(clamping: $0) } }
            }),
        truth(.allowsAnonymous, \.allowsAnonymous, .whenOn),
        truth(.isReadableByAll, \.isReadableByAll, .whenOn),
        truth(.takesPasswordsInAddresses, \.takesPasswordsInAddresses, .whenOn),
        span(.timestampWindowSeconds, \.timestampWindow, .whenMore),
        texts(.hosts, .hosts, \.hosts),
        truth(.retiresWeakPasswords, \.retiresWeakPasswords, .whenOff),
        truth(.logInMovesUpdateTime, \.logInMovesUpdateTime, .whenOn),
        truth(.allowsSignUpByMail, \.allowsSignUpByMail, .whenOn),
        truth(.demandsVerifiedEmail, \.demandsVerifiedEmail, .whenOff),
        truth(.demandsVerifiedPhone, \.demandsVerifiedPhone, .whenOff),
        truth(.hasDashedIds, \.hasDashedIds, .whenOn),
        // With refresh tokens there is one more way in, without them tokens live longer: neither is the stricter.
        span(.refreshedTokenSeconds, \.refreshedTokenLifetime, .always),
        truth(.verifiesEmails, \.verifiesEmails, .whenOff),
        truth(.needsVerifiedEmail, \.needsVerifiedEmail, .whenOff),
        truth(.hasPasswordPolicy, \.hasPasswordPolicy, .whenOff),
        truth(.ignoresCase, \.ignoresCase, .whenOn),
        texts(.administratorNetworks, .networks, \.administratorNetworks),
        texts(.upstream, .server, \.upstream),
    ]

    /// The rules that a protocol heeds.
    package static func heeded(by profile: ProtocolProfile) -> [ProtocolRule] {
        all.filter { $0.id.isCommon || profile.rules.contains($0.id) }
    }

    /// Whether settings let a key that makes an administrator count in more networks, or send it and users' tokens on to
    /// another server.
    static func opensAdministration(
        of profile: ProtocolProfile, from before: ApplicationSettings, to after: ApplicationSettings
    ) -> Bool {
        loosens([.administratorNetworks, .upstream], of: profile, from: before, to: after)
    }

    /// Whether settings let everybody who has an app's keys read users whom their access lists did not show.
    static func showsUsers(
        of profile: ProtocolProfile, from before: ApplicationSettings, to after: ApplicationSettings
    ) -> Bool {
        loosens([.isReadableByAll], of: profile, from: before, to: after)
    }

    private static func loosens(
        _ names: Set<Name>, of profile: ProtocolProfile, from before: ApplicationSettings,
        to after: ApplicationSettings
    ) -> Bool {
        heeded(by: profile).contains {
            names.contains($0.id)
                && $0.loosens(from: $0.value(for: profile, in: before), to: $0.value(for: profile, in: after))
        }
    }

    /// Whether settings let more through for a protocol than others did.
    static func loosens(
        _ profile: ProtocolProfile, from before: ApplicationSettings, to after: ApplicationSettings
    ) -> Bool {
        heeded(by: profile).contains {
            $0.loosens(from: $0.value(for: profile, in: before), to: $0.value(for: profile, in: after))
        }
    }

    package static subscript(name: String) -> ProtocolRule? { all.first { $0.name == name } }

    private typealias Option<Member> = WritableKeyPath<ForeignOptions, Member> & Sendable

    private static func truth(
        _ id: Name, _ path: any Option<Bool>, _ loosening: Loosening
    ) -> ProtocolRule {
        ProtocolRule(
            id: id, kind: .truth, loosening: loosening,
            read: { .truth($1[keyPath: path]) },
            write: { value, _, options in
                if case .truth(let truth) = value { options[keyPath: path] = truth }
            })
    }

    private static func span(
        _ id: Name, _ path: any Option<Duration?>, _ loosening: Loosening
    ) -> ProtocolRule {
        ProtocolRule(
            id: id, kind: .seconds(1...endless, isOptional: true), loosening: loosening,
            read: { .number($1[keyPath: path]?.components.seconds) },
            write: { value, _, options in
                if case .number(let seconds) = value { options[keyPath: path] = seconds.map { .seconds($0) } }
            })
    }

    private static func texts(
        _ id: Name, _ kind: Kind, _ path: any Option<[String]>
    ) -> ProtocolRule {
        ProtocolRule(
            id: id, kind: kind, loosening: .whenAdded,
            read: { .texts($1[keyPath: path]) },
            write: { value, _, options in
                if case .texts(let texts) = value { options[keyPath: path] = texts }
            })
    }
}
