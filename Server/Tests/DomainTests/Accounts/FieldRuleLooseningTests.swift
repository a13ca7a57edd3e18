import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// A rule that lets more through needs more of an admin than one that lets less: every rule beside every other one.
@Suite("A field's rule that is loosened")
struct FieldRuleLooseningTests {
    private static func rules(of kind: FieldKind) -> [FieldRule] {
        var rules: [FieldRule] = []
        for reader in FieldRule.Reader.allCases {
            for writer in FieldRule.Writer.allCases {
                for isRequired in [true, false] {
                    for standard in [nil, 1, 2] as [JSONValue?] {
                        rules.append(
                            FieldRule(
                                name: "f", kind: kind, reader: reader, writer: writer, isRequired: isRequired,
                                standard: standard))
                    }
                }
            }
        }
        return rules
    }

    private static func readers(_ reader: FieldRule.Reader) -> Int {
        switch reader {
        case .server: 0
        case .owner: 1
        case .everybody: 2
        }
    }

    /// What a person would say of it, one reason after the other.
    private static func reasons(_ before: FieldRule, _ after: FieldRule) -> [String] {
        var reasons: [String] = []
        if readers(after.reader) > readers(before.reader) { reasons.append("more people read it") }
        if before.writer == .server, after.writer == .owner { reasons.append("its user writes it") }
        if before.isRequired, !after.isRequired { reasons.append("it may be absent") }
        if before.kind != .any, before.kind != after.kind, (before.kind, after.kind) != (.number, .integer) {
            reasons.append("it takes other values")
        }
        if after.writer == .server, let standard = after.standard, standard != before.standard {
            reasons.append("the server gives everybody another value")
        }
        return reasons
    }

    @Test("is one for which a person can say why", arguments: FieldKind.allCases, FieldKind.allCases)
    func loosening(before: FieldKind, after: FieldKind) {
        var wrong: [String] = []
        for old in Self.rules(of: before) {
            for new in Self.rules(of: after) {
                let reasons = Self.reasons(old, new)
                if new.loosens(old) == reasons.isEmpty { wrong.append("\(old) to \(new): \(reasons)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.first ?? "")")
    }

    @Test("is never one that stays as it is", arguments: FieldKind.allCases)
    func same(kind: FieldKind) {
        for rule in Self.rules(of: kind) { #expect(!rule.loosens(rule)) }
    }
}
