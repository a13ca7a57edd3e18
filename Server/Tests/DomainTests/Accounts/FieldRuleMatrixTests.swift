import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// Who may read and write a field, for every rule that a field can have.
@Suite("A field's rule")
struct FieldRuleMatrixTests {
    private static let now = StandingClock().now
    private static let actors: [FieldActor] = [.others, .owner, .server]

    private static func user(_ fields: [String: JSONValue], isRegistered: Bool = true) -> User {
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), fields: fields, createdAt: now,
            updatedAt: now)
        user.username = isRegistered ? "hana" : nil
        return user
    }

    @Test("says who reads and who writes", arguments: FieldRule.Reader.allCases, FieldRule.Writer.allCases)
    func access(reader: FieldRule.Reader, writer: FieldRule.Writer) {
        for isClosed in [false, true] {
            let rules = FieldRules([FieldRule(name: "f", reader: reader, writer: writer)], isClosed: isClosed)
            let readers: [Bool] =
                switch reader {
                case .everybody: [true, true, true]
                case .owner: [false, true, true]
                case .server: [false, false, true]
                }
            let writers = writer == .owner ? [true, true, true] : [false, false, true]
            #expect(Self.actors.map { rules.mayRead("f", $0) } == readers)
            #expect(Self.actors.map { rules.mayWrite("f", $0) } == writers)
            // A field without a rule is as it ever was, or the server's.
            #expect(
                Self.actors.map { rules.mayRead("g", $0) } == (isClosed ? [false, true, true] : [true, true, true]))
            #expect(
                Self.actors.map { rules.mayWrite("g", $0) } == (isClosed ? [false, false, true] : [true, true, true]))
            let fields: [String: JSONValue] = ["f": 1, "g": 2]
            for actor in Self.actors {
                #expect(rules.shown(fields, to: actor) == fields.filter { rules.mayRead($0.key, actor) })
            }
        }
        #expect(FieldRules().isEmpty && !FieldRules(isClosed: true).isEmpty)
        #expect(!FieldRules([FieldRule(name: "f")]).isEmpty)
    }

    @Test(
        "is refused when nobody could keep it",
        arguments: [
            (FieldRule(name: "f"), []), (FieldRule(name: ""), [("name", .empty)]),
            (FieldRule(name: "a\0"), [("name", .controlCharacter)]),
            (FieldRule(name: String(repeating: "x", count: 129)), [("name", .tooLong(maximumCharacters: 128))]),
            (FieldRule(name: "f", reader: .server, writer: .owner), [("write", .unreadable)]),
            (FieldRule(name: "f", reader: .server, writer: .server), []),
            (FieldRule(name: "f", reader: .owner, writer: .server), []),
            (FieldRule(name: "f", standard: .null), [("default", .required)]),
            (FieldRule(name: "f", kind: .string, standard: 1), [("default", .notOfKind(.string))]),
            (FieldRule(name: "f", kind: .number, standard: 1), []), (FieldRule(name: "f", isRequired: true), []),
            (FieldRule(name: "f", writer: .server, isRequired: true), [("default", .required)]),
            (FieldRule(name: "f", writer: .server, isRequired: true, standard: 1), []),
            (FieldRule(name: "f", standard: "a\0"), [("default", .controlCharacter)]),
            (FieldRule(name: "f", labels: ["ja": "花", "en": "Flower"]), []),
            (FieldRule(name: "f", labels: ["j a": "花"]), [("label", .notALanguageTag)]),
            (FieldRule(name: "f", labels: ["ja": ""]), [("label", .empty)]),
            (FieldRule(name: "f", labels: ["ja": String(repeating: "花", count: 100)]), []),
            (
                FieldRule(name: "f", labels: ["ja": String(repeating: "花", count: 101)]),
                [("label", .tooLong(maximumCharacters: 100))]
            ),
        ] as [(FieldRule, [(String, ValidationError.Rule)])])
    func faults(rule: FieldRule, faults: [(String, ValidationError.Rule)]) {
        // A name with a null breaks two rules about one thing.
        let found = Set(rule.faults)
        #expect(found == Set(faults.map { ValidationError(field: $0.0, rule: $0.1) }), "\(rule)")
    }

    @Test("has up to twenty labels, and an application up to a hundred rules with 8 KiB of defaults")
    func limits() {
        func labels(_ count: Int) -> [String: String] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("x\($0)", "label") })
        }
        #expect(FieldRule(name: "f", labels: labels(20)).faults.isEmpty)
        #expect(
            FieldRule(name: "f", labels: labels(21)).faults
                == [ValidationError(field: "label", rule: .tooManyFields(maximum: 20))])
        func rules(_ count: Int) -> FieldRules { FieldRules((0..<count).map { FieldRule(name: "f\($0)") }) }
        #expect(rules(100).faults.isEmpty)
        #expect(rules(101).faults == [ValidationError(field: "fields", rule: .tooManyFields(maximum: 100))])
        func defaults(_ bytes: Int) -> FieldRules {
            // `{"f":"…"}` has eight bytes around the text.
            FieldRules([FieldRule(name: "f", standard: .string(String(repeating: "x", count: bytes - 8)))])
        }
        #expect(defaults(8192).faults.isEmpty)
        #expect(defaults(8193).faults == [ValidationError(field: "default", rule: .tooManyBytes(maximum: 8192))])
    }

    /// One case of a change: a rule, and what a field was and becomes.
    private static func settled(
        _ rule: FieldRule?, isClosed: Bool, from before: JSONValue?, to after: JSONValue?, isNamed: Bool,
        by actor: FieldActor
    ) -> (value: JSONValue?, rules: [ValidationError.Rule]) {
        func fields(_ value: JSONValue?) -> [String: JSONValue] { value.map { ["f": $0] } ?? [:] }
        let rules = FieldRules(rule.map { [$0] } ?? [], isClosed: isClosed)
        let old = user(fields(before))
        var new = user(fields(after))
        let faults = rules.faults(of: &new, from: old, naming: isNamed ? ["f"] : [], by: actor)
        #expect(faults.allSatisfy { $0.field == "fields.f" })
        return (new.fields["f"], faults.map(\.rule))
    }

    @Test(
        "is kept by each change of a field, by each actor", arguments: FieldRule.Reader.allCases,
        FieldRule.Writer.allCases)
    func settle(reader: FieldRule.Reader, writer: FieldRule.Writer) {
        let rule = FieldRule(name: "f", kind: .integer, reader: reader, writer: writer)
        let rules = FieldRules([rule])
        let values: [JSONValue?] = [.none, .some(1), .some(2), .some("text")]
        for actor in Self.actors {
            for before in values {
                for after in values {
                    for isNamed in [true, false] {
                        let (value, found) = Self.settled(
                            rule, isClosed: false, from: before, to: after, isNamed: isNamed, by: actor)
                        let label: Comment =
                            "\(actor) \(String(describing: before)) to \(String(describing: after)), \(isNamed)"
                        if rules.mayWrite("f", actor) {
                            // A value of another kind is refused when it is new, and left alone when it was there.
                            let isBad = after == .some("text") && before != after
                            #expect(found == (isBad ? [.notOfKind(.integer)] : []), label)
                            #expect(value == after, label)
                        } else if isNamed, before != after || !rules.mayRead("f", actor) {
                            #expect(found == [.readOnly], label)
                        } else {
                            #expect(found == [], label)
                            #expect(value == before, label)
                        }
                    }
                }
            }
        }
    }

    @Test(
        "that demands a field is kept when somebody registers, and by nobody who lacks it already",
        arguments: [true, false])
    func required(hasDefault: Bool) {
        let standard: JSONValue? = hasDefault ? .some(7) : .none
        let rules = FieldRules([FieldRule(name: "f", isRequired: true, standard: standard)])
        let missing = [ValidationError(field: "fields.f", rule: .required)]
        // An anonymous user becomes a registered one.
        var upgraded = Self.user([:])
        let faults = rules.faults(
            of: &upgraded, from: Self.user([:], isRegistered: false), naming: [], by: .owner)
        #expect(faults == (hasDefault ? [] : missing) && upgraded.fields["f"] == standard)
        // A registered one lacks it, and another field changes.
        var other = Self.user(["g": 1])
        #expect(rules.faults(of: &other, from: Self.user([:]), naming: ["g"], by: .owner).isEmpty)
        #expect(other.fields == ["g": 1])
        // A registered one has it, and takes it away.
        for taken in [Self.user([:]), Self.user(["f": nil])] {
            var taken = taken
            #expect(rules.faults(of: &taken, from: Self.user(["f": 1]), naming: ["f"], by: .owner) == missing)
        }
        // New users.
        for (fields, isRegistered, isTaken) in [
            (["f": 1], true, true), ([:], true, hasDefault), ([:], false, true), (["f": nil], true, hasDefault),
        ] as [([String: JSONValue], Bool, Bool)] {
            let user = Self.user(fields, isRegistered: isRegistered)
            do throws(DomainError) {
                let made = try rules.registered(user, by: .owner)
                #expect(isTaken && made.fields["f"] == (fields["f"] == .some(1) ? .some(1) : standard))
            } catch {
                #expect(!isTaken && error == .fieldsRefused(missing))
            }
            #expect(rules.faults(registeringWith: fields, by: .owner, demandsAll: false).isEmpty)
        }
    }

    @Test(
        "is broken by a user who has a value of another kind, or none where one is required",
        arguments: FieldKind.allCases)
    func broken(kind: FieldKind) {
        let values: [JSONValue] = [nil, true, 1, 0.5, "text", "2026-11-21", [1], ["a": 1]]
        for isRequired in [true, false] {
            let rule = FieldRule(name: "f", kind: kind, isRequired: isRequired)
            for isRegistered in [true, false] {
                #expect(rule.isBroken(by: Self.user([:], isRegistered: isRegistered)) == (isRequired && isRegistered))
                for value in values {
                    let isBroken = rule.isBroken(by: Self.user(["f": value], isRegistered: isRegistered))
                    #expect(isBroken == (value == .null ? isRequired && isRegistered : !kind.fits(value)), "\(value)")
                }
            }
        }
    }

    @Test(
        "of a date knows every day that the calendar has",
        arguments: [1, 4, 1600, 1900, 2000, 2023, 2024, 2100, 2400, 9999])
    func days(year: Int) {
        func text(_ number: Int, _ digits: Int) -> String {
            String(repeating: "0", count: digits - String(number).count) + String(number)
        }
        let february = [4, 1600, 2000, 2024, 2400].contains(year) ? 29 : 28
        let lengths = [0, 31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0]
        for month in 0...13 {
            for day in 0...32 {
                let isDay = (1...12).contains(month) && day >= 1 && day <= lengths[month]
                let date = "\(text(year, 4))-\(text(month, 2))-\(text(day, 2))"
                #expect(FieldKind.date.fits(.string(date)) == isDay, "\(date)")
            }
        }
    }

    @Test(
        "of a date knows every time of a day, with the second that is put in, and every offset",
        arguments: [
            ("00:00:00Z", true), ("23:59:60Z", true), ("23:59:61Z", false), ("24:00:00Z", false), ("12:60:00Z", false),
            ("12:00:00", false), ("12:00Z", false), ("12:00:00+09:00", true), ("12:00:00-23:59", true),
            ("12:00:00+24:00", false), ("12:00:00+09:60", false), ("12:00:00+9:00", false), ("12:00:00+0900", false),
            ("12:00:00.1Z", true), ("12:00:00.123456789Z", true), ("12:00:00.Z", false), ("12:00:00,1Z", false),
            ("12:00:00z", false), ("12:00:00Z ", false), ("1:00:00Z", false), ("", false), ("12:00:00.1+09:00", true),
        ])
    func times(time: String, isTime: Bool) {
        #expect(FieldKind.date.fits(.string("2026-11-21T\(time)")) == isTime)
        #expect(FieldKind.date.fits(["__type": "Date", "iso": .string("2026-11-21T\(time)")]) == isTime)
        #expect(!FieldKind.date.fits(.string("2026-11-31T\(time)")))
    }

    @Test(
        "of a whole number takes 1.0 for 1, up to what a double counts",
        arguments: [
            (1.0, true), (-0.0, true), (0.5, false), (9_007_199_254_740_991, true), (9_007_199_254_740_992, false),
            (1e300, false),
        ])
    func wholeNumbers(number: Double, isWhole: Bool) {
        #expect(FieldKind.integer.fits(.number(number)) == isWhole)
        #expect(FieldKind.integer.fits(.integer(.max)) && FieldKind.number.fits(.number(number)))
    }
}

extension FieldRules {
    /// Judges and completes a change, as each edit does.
    fileprivate func faults(
        of user: inout User, from before: User, naming names: [String], by actor: FieldActor
    ) -> [ValidationError] {
        settle(&user, from: before, named: names, by: actor)
    }
}
