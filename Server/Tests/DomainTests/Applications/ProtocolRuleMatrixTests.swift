import TestWorld
import Testing

@testable import Domain

/// Every rule of old protocols, from the list of them.
@Suite("A rule of an old protocol")
struct ProtocolRuleMatrixTests {
    private static let many = (1...21).map { "10.0.0.\($0)" }

    /// Values of every type, and what is wrong with them for a kind of rule.
    private static func cases(_ rule: ProtocolRule) -> [(ProtocolRule.Value, [ValidationError.Rule])] {
        let other: [ValidationError.Rule] = [.otherType]
        switch rule.kind {
        case .truth:
            return [
                (.truth(true), []), (.truth(false), []), (.number(1), other), (.number(nil), other),
                (.texts([]), other),
            ]
        case .seconds(let range, let isOptional):
            #expect(range == 1...2_147_483_647)
            let wrong: [ValidationError.Rule] = [.outOfRange((isOptional ? 0 : 1)...2_147_483_647)]
            return [
                (.number(1), []), (.number(2_147_483_647), []), (.number(0), isOptional ? [] : wrong),
                (.number(nil), isOptional ? [] : wrong), (.number(-1), wrong), (.number(2_147_483_648), wrong),
                (.number(.max), wrong), (.number(.min), wrong), (.truth(true), other), (.texts(["1"]), other),
            ]
        case .count(let range):
            return [
                (.number(range.lowerBound), []), (.number(range.upperBound), []), (.number(0), []), (.number(nil), []),
                (.number(-1), [.outOfRange(0...range.upperBound)]),
                (.number(range.upperBound + 1), [.outOfRange(0...range.upperBound)]), (.truth(false), other),
            ]
        case .hosts:
            return [
                (.texts([]), []), (.texts(["old.example.com", "a"]), []), (.texts([""]), [.empty]),
                (.texts([String(repeating: "x", count: 253)]), []),
                (
                    .texts([String(repeating: "x", count: 254), "a\n"]),
                    [.tooLong(maximumCharacters: 253), .controlCharacter]
                ),
                (.texts(Array(many.prefix(20))), []), (.texts(many), [.tooManyFields(maximum: 20)]),
                (.truth(true), other),
            ]
        case .networks:
            return [
                (.texts([]), []), (.texts(["10.0.0.0/8", "::1"]), []), (.texts(["10.0.0.0/33"]), [.notANetwork]),
                (.texts(["::1", "host"]), [.notANetwork]), (.texts([""]), [.notANetwork]),
                (.texts(Array(many.prefix(20))), []), (.texts(many), [.tooManyFields(maximum: 20)]),
                (.texts(many + ["x"]), [.tooManyFields(maximum: 20)]), (.number(1), other),
            ]
        case .server:
            let good = [
                "https://parse.example/1", "http://127.0.0.1:1337/parse", "https://p",
                "https://" + String(repeating: "x", count: 492),
            ]
            let bad = [
                "", "https://", "http:///x", "ftp://parse.example", "parse.example", "https://parse.example/",
                "https://p?x",
                "https://p#x", "https://u@p", "https://p\\x", "https://p\"", "https://p<", "https://p>", "https://p x",
                "https://p\n",
                "https://p\u{7f}", "https://花", "https://" + String(repeating: "x", count: 493),
            ]
            var cases: [(ProtocolRule.Value, [ValidationError.Rule])] = [
                (.texts([]), []), (.texts(["https://a", "https://b"]), [.tooManyFields(maximum: 1)]),
                (.number(1), other),
            ]
            for text in good { cases.append((.texts([text]), [])) }
            for text in bad { cases.append((.texts([text]), [.notAnAddress])) }
            return cases
        }
    }

    @Test("says what is wrong with a value, of its own type and of any other", arguments: ProtocolRule.Name.allCases)
    func faults(name: ProtocolRule.Name) throws {
        let rule = try #require(ProtocolRule[name.rawValue])
        for (value, wanted) in Self.cases(rule) {
            let faults = rule.faults(of: value)
            #expect(faults.map(\.rule) == wanted, "\(value)")
            #expect(faults.allSatisfy { $0.field == rule.name })
        }
    }

    @Test(
        "that is applied says what was applied; 0 is none where there may be none",
        arguments: ProtocolRule.Name.allCases)
    func applied(name: ProtocolRule.Name) throws {
        let rule = try #require(ProtocolRule[name.rawValue])
        let profile = try ProtocolRegistry.samples.foreign(.yearly)
        for (value, faults) in Self.cases(rule) where faults.isEmpty {
            var settings = ApplicationSettings()
            var (rules, options) = (settings.sessionRules(of: profile), settings.foreignOptions(of: profile.name))
            rule.apply(value, to: &rules, &options)
            settings.foreignSessions[profile.name] = rules
            settings.foreignOptions[profile.name] = options
            let isNone = value == .number(0) || value == .number(nil)
            #expect(rule.value(for: profile, in: settings) == (isNone ? .number(nil) : value), "\(value)")
            // Nothing but this rule has changed.
            for other in ProtocolRule.all where other.id != rule.id {
                let before = other.value(for: profile, in: ApplicationSettings())
                #expect(other.value(for: profile, in: settings) == before, "\(other.name)")
            }
        }
    }

    @Test("asks for fresh proof when it lets more through, and only then", arguments: ProtocolRule.Name.allCases)
    func loosens(name: ProtocolRule.Name) throws {
        let rule = try #require(ProtocolRule[name.rawValue])
        /// From a stricter value to a looser one.
        let steps: [(ProtocolRule.Value, ProtocolRule.Value)]
        switch rule.loosening {
        case .whenOn: steps = [(.truth(false), .truth(true))]
        case .whenOff: steps = [(.truth(true), .truth(false))]
        case .whenMore:
            steps = [(.number(1), .number(2)), (.number(1), .number(nil)), (.number(2_147_483_647), .number(nil))]
        case .whenAdded where rule.kind == .networks:
            steps = [
                (.texts([]), .texts(["::1"])), (.texts(["10.0.0.0/8"]), .texts(["10.0.0.0/7"])),
                (.texts(["10.0.0.0/8", "::1"]), .texts(["10.0.0.0/8", "::1", "192.0.2.1"])),
                (.texts(["10.1.0.0/16"]), .texts(["10.0.0.0/8"])),
            ]
        case .whenAdded:
            steps = [
                (.texts([]), .texts(["a"])), (.texts(["a"]), .texts(["a", "b"])),
                (.texts(["a", "b"]), .texts(["a", "b", "c"])),
            ]
        case .always:
            // Neither end is the stricter one.
            #expect(rule.loosens(from: .number(1), to: .number(2)) && rule.loosens(from: .number(2), to: .number(1)))
            #expect(!rule.loosens(from: .number(1), to: .number(1)))
            return
        }
        for (strict, loose) in steps {
            #expect(rule.loosens(from: strict, to: loose), "\(strict) to \(loose)")
            #expect(!rule.loosens(from: loose, to: strict), "\(loose) to \(strict)")
            #expect(!rule.loosens(from: loose, to: loose) && !rule.loosens(from: strict, to: strict))
        }
        if rule.kind == .networks {
            // Part of what was there already, and the same in another form.
            #expect(!rule.loosens(from: .texts(["10.0.0.0/8"]), to: .texts(["10.1.2.3", "10.2.0.0/16"])))
            #expect(rule.loosens(from: .texts(["10.0.0.0/8"]), to: .texts(["none"])))
        } else if rule.loosening == .whenAdded {
            #expect(rule.loosens(from: .texts(["a", "b"]), to: .texts(["c"])))
            #expect(!rule.loosens(from: .texts(["a", "b"]), to: .texts(["b", "a"])))
        }
    }

    @Test("has a name of its own, and is found by its name")
    func names() {
        #expect(Set(ProtocolRule.all.map(\.id)) == Set(ProtocolRule.Name.allCases))
        #expect(ProtocolRule.all.count == ProtocolRule.Name.allCases.count)
        for rule in ProtocolRule.all { #expect(ProtocolRule[rule.name]?.id == rule.id) }
        #expect(ProtocolRule["none"] == nil)
        for profile in ProtocolRegistry.samples.foreign {
            #expect(
                Set(ProtocolRule.heeded(by: profile).map(\.id))
                    == Set(profile.rules).union([.idleSeconds, .sessionsPerUser, .retiresWeakPasswords]))
        }
    }
}
