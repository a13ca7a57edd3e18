import Foundation
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

@Suite("Rules of what is stored about a user")
struct ProfileRuleTests {
    private static func nested(_ levels: Int, inside value: JSONValue, asList: Bool) -> JSONValue {
        (1..<levels).reduce(value) { inner, _ in asList ? [inner] : ["a": inner] }
    }

    private static func rules(_ fields: [String: JSONValue]) -> [ValidationError.Rule] {
        ProfileRules.faults(ofFields: fields).map(\.rule)
    }

    @Test(
        "let values stand in each other to sixteen levels", arguments: [true, false], [nil, 1, "a", []] as [JSONValue])
    func levels(asList: Bool, value: JSONValue) {
        #expect(Self.rules(["f": Self.nested(16, inside: value, asList: asList)]) == [])
        let tooDeep = Self.nested(17, inside: value, asList: asList)
        #expect(
            ProfileRules.faults(ofFields: ["f": tooDeep, "g": 1])
                == [ValidationError(field: "fields.f", rule: .tooDeep(maximumLevels: 16))])
        // Also where it is not the first of its neighbours.
        #expect(
            Self.rules(["f": [1, ["b": 2], Self.nested(16, inside: value, asList: asList)]]) == [
                .tooDeep(maximumLevels: 16)
            ])
    }

    @Test(
        "let the null character stand nowhere, which PostgreSQL cannot store",
        arguments: [
            "a\0b", ["a", "\0"], ["a": "\0"], ["\0": 1], [["a": [1, ["b": "x\0"]]]], ["a": ["b": ["c\0": nil]]],
        ]
            as [JSONValue])
    func null(value: JSONValue) {
        #expect(
            ProfileRules.faults(ofFields: ["f": value, "g": "good"])
                == [ValidationError(field: "fields.f", rule: .controlCharacter)])
        #expect(value.holdsNull)
    }

    @Test("let texts hold every other character", arguments: ["\n", "\u{1}", "\u{7f}", "花\u{200b}", "\u{10ffff}"])
    func texts(text: String) {
        #expect(Self.rules(["f": .string(text), "g": [.string(text)], "h": [text: 1]]) == [])
        #expect(!JSONValue.object([text: .string(text)]).holdsNull)
    }

    @Test(
        "of a field's name: 1 to 128 characters without controls",
        arguments: [
            ("a", []), ("花", []), (String(repeating: "x", count: 128), []), ("", [.empty]),
            ("a\nb", [.controlCharacter]),
            (String(repeating: "x", count: 129), [.tooLong(maximumCharacters: 128)]),
            (String(repeating: "花", count: 128), []),
            (String(repeating: "花", count: 129), [.tooLong(maximumCharacters: 128)]),
        ] as [(String, [ValidationError.Rule])])
    func names(name: String, rules: [ValidationError.Rule]) {
        #expect(Self.rules([name: 1]) == rules)
        #expect(ProfileRules.path(of: name).utf8.count <= 7 + 32)
    }

    @Test("of how many fields and bytes: up to the application's limits", arguments: [100, 101, 400])
    func count(fields: Int) {
        let limits = ProfileLimits(fields: fields)
        func some(_ count: Int) -> [String: JSONValue] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("f\($0)", 1) })
        }
        #expect(ProfileRules.faults(ofFields: some(fields), within: limits).isEmpty)
        #expect(
            ProfileRules.faults(ofFields: some(fields + 1), within: limits)
                == [ValidationError(field: "fields", rule: .tooManyFields(maximum: fields))])
    }

    @Test("count bytes as JSON has them, whatever the values are", arguments: UInt64(0)..<100)
    func bytes(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        func value(_ draw: inout SeededGenerator, _ depth: Int) -> JSONValue {
            switch draw.number(below: depth > 3 ? 4 : 6) {
            case 0: return draw.pick([nil, true, false])
            case 1:
                return .integer(draw.pick([0, 9, 10, -1, -10, 99, 100, .max, .min, Int64(bitPattern: draw.next())]))
            case 2, 3:
                return .string(draw.text(of: draw.number(below: 9), from: "ab\"\\/\n\t\r\u{8}\u{c}\u{1}\u{1f} é花🦊"))
            case 4: return .array(draw.list(of: draw.number(below: 4)) { value(&$0, depth + 1) })
            default:
                let names = Set(draw.list(of: draw.number(below: 4)) { $0.text(of: 2, from: "ab\"\n花") })
                var members: [String: JSONValue] = [:]
                for name in names { members[name] = value(&draw, depth + 1) }
                return .object(members)
            }
        }
        let sample = value(&draw, 0)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let length = try encoder.encode(["f": sample]).count
        #expect(ProfileRules.fieldsFit(["f": sample], bytes: length), "\(sample)")
        #expect(!ProfileRules.fieldsFit(["f": sample], bytes: length - 1), "\(sample)")
        var count = JSONByteCount(limit: .max)
        count.add(["f": sample])
        #expect(count.bytes == length)
    }

    @Test(
        "of a language: groups of one to eight signs and digits (BCP 47)",
        arguments: [
            (nil, []), ("ja", []), ("ko-KR", []), ("zh-Hant-TW", []), ("a", []), ("abcdefgh-12345678", []),
            ("", [.notALanguageTag]), ("-", [.notALanguageTag]), ("ja-", [.notALanguageTag]),
            ("-ja", [.notALanguageTag]),
            ("ja--JP", [.notALanguageTag]), ("abcdefghi", [.notALanguageTag]), ("ja_JP", [.notALanguageTag]),
            ("日本", [.notALanguageTag]), ("ja\n", [.notALanguageTag]), ("ja JP", [.notALanguageTag]),
            ("aaaaaaaa-bbbbbbbb-cccccccc-dddddddd", []),
            ("aaaaaaaa-bbbbbbbb-cccccccc-dddddddd-", [.tooLong(maximumCharacters: 35)]),
        ] as [(String?, [ValidationError.Rule])])
    func locale(locale: String?, rules: [ValidationError.Rule]) {
        #expect(ProfileRules.faults(ofLocale: locale).map(\.rule) == rules)
        #expect(ProfileRules.faults(displayName: nil, locale: locale, fields: [:]).map(\.rule) == rules)
    }

    @Test("are found all at once, each with its field")
    func together() {
        let faults = ProfileRules.faults(
            displayName: String(repeating: "x", count: 201), locale: "?", fields: ["": 1, "f": "\0"])
        #expect(faults.map(\.field) == ["displayName", "locale", "fields.", "fields.f"])
        #expect(ProfileRules.faults(displayName: String(repeating: "花", count: 200), locale: "ja", fields: [:]).isEmpty)
    }

    @Test(
        "of the limits themselves",
        arguments: [
            (100, 32_768, 255, []), (400, 262_144, 500, []), (99, 32_768, 255, ["limits.fields"]),
            (401, 32_768, 255, ["limits.fields"]), (100, 32_767, 255, ["limits.fieldsBytes"]),
            (100, 262_145, 255, ["limits.fieldsBytes"]), (100, 32_768, 254, ["limits.userNameCharacters"]),
            (100, 32_768, 501, ["limits.userNameCharacters"]),
            (-1, 0, .max, ["limits.fields", "limits.fieldsBytes", "limits.userNameCharacters"]),
        ] as [(Int, Int, Int, [String])])
    func limits(fields: Int, bytes: Int, name: Int, faults: [String]) {
        let limits = ProfileLimits(fields: fields, fieldsBytes: bytes, userNameCharacters: name)
        #expect(limits.faults.map(\.field) == faults)
    }

    @Test("stop counting the values of a question at a limit", arguments: 1...12)
    func size(limit: Int) {
        // Ten values: the object, its four members, the list's three, and the two inside the last.
        let value: JSONValue = ["a": 1, "b": nil, "c": ["x", "y", [1, 2]], "d": true]
        #expect(value.holds(moreThan: limit) == (limit < 10))
    }
}

@Suite("A mail address")
struct MailAddressTests {
    @Test(
        "has parts of limited length (RFC 5321 §4.5.3.1)",
        arguments: [
            // The part before the sign: 64 bytes.
            (64, [3], true), (65, [3], false), (1, [3], true), (0, [3], false),
            // Labels of the domain: 63.
            (1, [63], true), (1, [64], false), (1, [0], false), (1, [], false),
            // The whole: 254, of which `.com` and the sign take five.
            (60, [63, 62, 62], true), (60, [63, 63, 62], false), (59, [63, 63, 62], true),
        ] as [(Int, [Int], Bool)])
    func lengths(local: Int, labels: [Int], isAddress: Bool) {
        let domain = (labels.map { String(repeating: "d", count: $0) } + ["com"]).joined(separator: ".")
        let text = String(repeating: "a", count: local) + "@" + domain
        #expect((MailAddress(text) != nil) == isAddress, "\(text.utf8.count)")
    }

    @Test(
        "may have every sign of RFC 5322 §3.2.3 before the @, and none beside them",
        arguments: 0x20...0x7e as ClosedRange<UInt8>)
    func signs(byte: UInt8) {
        let isAtom = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~".utf8.contains(
            byte)
        let sign = String(decoding: [byte], as: UTF8.self)
        // A dot stands between two words.
        #expect((MailAddress("a\(sign)b@example.com") != nil) == (isAtom || sign == "."), "\(sign)")
        #expect((MailAddress("\(sign)@example.com") != nil) == isAtom, "\(sign)")
        let isAlphanumeric = sign.first.map { $0.isASCII && ($0.isLetter || $0.isNumber) } ?? false
        #expect((MailAddress("a@x\(sign)y.com") != nil) == (isAlphanumeric || sign == "-" || sign == "."), "\(sign)")
        #expect((MailAddress("a@\(sign)y.com") != nil) == isAlphanumeric, "\(sign)")
    }

    @Test(
        "leads to a domain that is no number",
        arguments: [
            ("example.com", true), ("example.c0m", true), ("192.0.2.1", false), ("example.1", false),
            ("1.example", true),
        ])
    func domains(domain: String, isTaken: Bool) { #expect((MailAddress("a@\(domain)") != nil) == isTaken) }
}
