/// A regular expression that runs in time proportional to the text, whatever it is: all states of its automaton move over
/// the text side by side (Thompson 1968), and nothing is ever tried twice.
///
/// It has texts, `.`, classes of characters with ranges and `\d \w \s`, groups, alternatives, `* + ? {n,m}`, lazy ones too,
/// anchors and `\b`. It has no references to groups and no look-around, which no such automaton has. It says whether
/// anything matches, and not what.
package struct RegularExpression: Hashable, Sendable {
    /// The most states: each character of a text costs so many steps at the most.
    package static let maximumStates = 1000
    private static let maximumBytes = 2000
    static let maximumDepth = 20
    static let maximumRepetitions = 100

    /// An expression that is not offered.
    package struct Refusal: Error {}

    /// A set of characters.
    struct CharacterSet: Hashable, Sendable {
        var ranges: [ClosedRange<UInt32>] = []
        var isNegated = false

        func contains(_ scalar: UInt32) -> Bool { holds(scalar) != isNegated }

        /// The same with ASCII capitals folded.
        func containsIgnoringCase(_ scalar: UInt32) -> Bool {
            let other: UInt32 =
                switch scalar {
                case 0x41...0x5a: scalar + 0x20
                case 0x61...0x7a: scalar - 0x20
                default: scalar
                }
            return (holds(scalar) || holds(other)) != isNegated
        }

        private func holds(_ scalar: UInt32) -> Bool { ranges.contains { $0.contains(scalar) } }
    }

    /// A step of the automaton. Numbers are indices of other steps.
    enum Step: Hashable, Sendable {
        case one(CharacterSet)
        case either(Int, Int)
        case jump(Int)
        case assert(Assertion)
        case accept
    }

    enum Assertion: Hashable, Sendable {
        case lineStart, lineEnd, textStart, textEnd, wordEdge, noWordEdge
    }

    private let steps: [Step]
    private let ignoresCase: Bool
    /// About the length of what was compiled.
    package let byteCount: Int

    /// - Parameters:
    ///   - expression: As apps write it.
    ///   - flags: `i` folds ASCII letters, `m` lets anchors hold at each line, `s` lets the dot be a line's end, `x` overlooks
    ///     white space; others change nothing.
    /// - Throws: `Refusal`.
    package init(_ expression: String, flags: String = "") throws(Refusal) {
        guard expression.utf8.count <= Self.maximumBytes else { throw Refusal() }
        var reader = Reader(Array(expression.unicodeScalars.map(\.value)), flags: flags)
        let tree = try reader.whole()
        var steps: [Step] = []
        try tree.compile(into: &steps)
        steps.append(.accept)
        guard steps.count <= Self.maximumStates else { throw Refusal() }
        self.steps = steps
        ignoresCase = flags.contains("i")
        byteCount = expression.utf8.count
    }

    /// Whether anything in a text is of this form.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - budget: How many states may be looked at; what is left of it afterwards.
    /// - Returns: `nil` when the budget is used up before the end.
    package func matches(_ text: String, within budget: inout Int) -> Bool? {
        var (now, next) = (StateSet(steps.count), StateSet(steps.count))
        var before: UInt32?
        var scalars = text.unicodeScalars.makeIterator()
        var scalar = scalars.next()?.value
        while true {
            // An expression may begin anywhere.
            if add(0, to: &now, before, scalar) { return true }
            guard let current = scalar else { return false }
            budget -= 1 + now.members.count
            guard budget > 0 else { return nil }
            let after = scalars.next()?.value
            for state in now.members {
                guard case .one(let set) = steps[state] else { continue }
                // A long class of characters is looked through.
                budget -= set.ranges.count / 4
                guard
                    ignoresCase ? set.containsIgnoringCase(current) : set.contains(current)
                else { continue }
                if add(state + 1, to: &next, current, after) { return true }
            }
            (before, scalar) = (current, after)
            swap(&now, &next)
            next.removeAll()
        }
    }

    /// Adds a state and all that it leads to without a character.
    ///
    /// - Returns: whether the end is among them.
    private func add(_ start: Int, to states: inout StateSet, _ before: UInt32?, _ after: UInt32?) -> Bool {
        var waiting = [start]
        while let state = waiting.popLast() {
            guard states.insert(state) else { continue }
            switch steps[state] {
            case .accept: return true
            case .one: continue
            case .jump(let target): waiting.append(target)
            case .either(let first, let second):
                waiting.append(first)
                waiting.append(second)
            case .assert(let assertion):
                if assertion.holds(before, after) { waiting.append(state + 1) }
            }
        }
        return false
    }

    /// States without an order that matters.
    private struct StateSet {
        private(set) var members: [Int] = []
        private var isMember: [Bool]

        init(_ count: Int) { isMember = Array(repeating: false, count: count) }

        mutating func insert(_ state: Int) -> Bool {
            guard !isMember[state] else { return false }
            isMember[state] = true
            members.append(state)
            return true
        }

        mutating func removeAll() {
            for state in members { isMember[state] = false }
            members.removeAll(keepingCapacity: true)
        }
    }
}

extension RegularExpression.Assertion {
    fileprivate func holds(_ before: UInt32?, _ after: UInt32?) -> Bool {
        switch self {
        case .textStart: before == nil
        case .textEnd: after == nil
        case .lineStart: before == nil || before == 0x0a
        case .lineEnd: after == nil || after == 0x0a
        case .wordEdge: Self.isWord(before) != Self.isWord(after)
        case .noWordEdge: Self.isWord(before) == Self.isWord(after)
        }
    }

    private static func isWord(_ scalar: UInt32?) -> Bool {
        guard let scalar else { return false }
        return RegularExpression.CharacterSet.word.contains(scalar)
    }
}

extension RegularExpression.CharacterSet {
    static let digit = Self(ranges: [0x30...0x39])
    static let word = Self(ranges: [0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a])
    static let space = Self(ranges: [0x09...0x0d, 0x20...0x20, 0xa0...0xa0, 0x2028...0x2029, 0x3000...0x3000])
    static let lineEnd = Self(ranges: [0x0a...0x0a, 0x0d...0x0d])

    var negated: Self { Self(ranges: ranges, isNegated: !isNegated) }

    /// The same without a sign before it, as ranges.
    var positive: [ClosedRange<UInt32>] {
        guard isNegated else { return ranges }
        var (rest, next): ([ClosedRange<UInt32>], UInt32) = ([], 0)
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { rest.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10ffff { rest.append(next...0x10ffff) }
        return rest
    }
}

extension RegularExpression {
    /// What an expression says.
    indirect enum Tree {
        case set(CharacterSet)
        case assertion(Assertion)
        case sequence([Tree])
        case choice([Tree])
        /// At least and at most so often; without `most` any number of times.
        case repeated(Tree, least: Int, most: Int?)

        func compile(into steps: inout [Step]) throws(Refusal) {
            guard steps.count <= RegularExpression.maximumStates else { throw Refusal() }
            switch self {
            case .set(let set): steps.append(.one(set))
            case .assertion(let assertion): steps.append(.assert(assertion))
            case .sequence(let parts): for part in parts { try part.compile(into: &steps) }
            case .choice(let parts):
                var ends: [Int] = []
                for (index, part) in parts.enumerated() {
                    let isLast = index == parts.count - 1
                    let fork = steps.count
                    if !isLast { steps.append(.jump(0)) }
                    try part.compile(into: &steps)
                    guard !isLast else { continue }
                    ends.append(steps.count)
                    steps.append(.jump(0))
                    steps[fork] = .either(fork + 1, steps.count)
                }
                for end in ends { steps[end] = .jump(steps.count) }
            case .repeated(let part, let least, let most):
                for _ in 0..<least {
                    let count = steps.count
                    try part.compile(into: &steps)
                    // A hundred times nothing, a hundred times over: no number of steps would ever end it.
                    if steps.count == count { break }
                }
                guard let most else {
                    let fork = steps.count
                    steps.append(.jump(0))
                    try part.compile(into: &steps)
                    steps.append(.jump(fork))
                    steps[fork] = .either(fork + 1, steps.count)
                    return
                }
                var forks: [Int] = []
                for _ in least..<max(least, most) {
                    forks.append(steps.count)
                    steps.append(.jump(0))
                    try part.compile(into: &steps)
                }
                for fork in forks { steps[fork] = .either(fork + 1, steps.count) }
            }
        }
    }
}
