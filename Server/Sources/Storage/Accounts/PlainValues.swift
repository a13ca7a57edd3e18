import Domain
import Foundation
import enum OkaeriWire.JSONValue

/// Texts, numbers and truths that a custom field is compared with, each of them once.
struct PlainValues {
    private var texts: [String] = []
    private var integers: [Int64] = []
    private var numbers: [Double] = []
    private var truths: [Bool] = []
    /// Swift takes texts for the same that are written by other characters; databases do not.
    private var known: Set<[UInt8]> = []

    init(_ values: [SearchValue] = []) {
        for value in values { add(value) }
    }

    var count: Int { texts.count + integers.count + numbers.count + truths.count }

    /// Takes a plain value in, and ignores others.
    mutating func add(_ value: SearchValue) {
        switch value {
        case .text(let text): if known.insert(Array(text.utf8)).inserted { texts.append(text) }
        case .integer(let number): if !integers.contains(number) { integers.append(number) }
        case .number(let number):
            if let whole = number.exactlyWhole { return add(.integer(whole)) }
            if !numbers.contains(number) { numbers.append(number) }
        case .truth(let truth): if !truths.contains(truth) { truths.append(truth) }
        case .null, .time, .structure: break
        }
    }

    /// Whether a value is the first that was taken in.
    func isFirst(_ value: SearchValue) -> Bool {
        switch value {
        case .text(let text): texts.first.map { Array($0.utf8) == Array(text.utf8) } ?? false
        case .integer(let number): texts.isEmpty && integers.first == number
        case .number(let number):
            number.exactlyWhole.map { isFirst(.integer($0)) }
                ?? (texts.isEmpty && integers.isEmpty && numbers.first == number)
        case .truth(let truth): texts.isEmpty && integers.isEmpty && numbers.isEmpty && truths.first == truth
        case .null, .time, .structure: false
        }
    }

    /// Whether JSON in a database can have all of these values.
    var canBeStored: Bool { texts.allSatisfy(Self.canBeStored) && numbers.allSatisfy(\.isFinite) }

    private static func canBeStored(_ text: String) -> Bool { !text.utf8.contains(0) }

    /// Those that can be stored, as a list in JSON; `nil` when there is none.
    var json: String? {
        let values =
            texts.filter(Self.canBeStored).map(JSONValue.string) + integers.map(JSONValue.integer)
            + numbers.filter(\.isFinite).map(JSONValue.number) + truths.map(JSONValue.bool)
        return values.isEmpty ? nil : try? JSONText.encode(JSONValue.array(values))
    }

    /// How SQLite tests for the values of one kind.
    struct Kind {
        /// Behind a type.
        let kind: String
        /// What a value of the kind is one of; `nil` where the kind says it all.
        let list: String?
        let count: Int

        func test(_ value: String) -> String { list.map { "\(value) IN (\($0))" } ?? "TRUE" }
    }

    func kinds(_ query: inout DynamicQuery) -> [Kind] {
        var kinds: [Kind] = []
        if !texts.isEmpty {
            let list = texts.map { query.bind(text: $0) }.joined(separator: ", ")
            kinds.append(Kind(kind: "= 'text'", list: list, count: texts.count))
        }
        if !integers.isEmpty || !numbers.isEmpty {
            let list = integers.map { query.bind(integer: $0) } + numbers.map { query.bind(number: $0) }
            kinds.append(
                Kind(kind: "IN ('integer', 'real')", list: list.joined(separator: ", "), count: list.count))
        }
        for truth in truths { kinds.append(Kind(kind: "= '\(truth)'", list: nil, count: 1)) }
        return kinds
    }
}

extension Double {
    /// The whole number that it is, as far as each has a number of double precision of its own: up to 2^53.
    fileprivate var exactlyWhole: Int64? { magnitude <= 9_007_199_254_740_992 ? Int64(exactly: self) : nil }
}

extension SearchValue {
    /// Whether it is neither nothing nor made of other values.
    var isPlain: Bool {
        switch self {
        case .text, .integer, .number, .truth: true
        case .null, .time, .structure: false
        }
    }
}
