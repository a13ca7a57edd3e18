extension RegularExpression {
    /// Reads an expression from its beginning to its end.
    struct Reader {
        private let scalars: [UInt32]
        private let skipsSpace: Bool
        private let dotIsAll: Bool
        private let hasLines: Bool
        private var position = 0
        private var depth = 0

        init(_ scalars: [UInt32], flags: String) {
            self.scalars = scalars
            skipsSpace = flags.contains("x")
            dotIsAll = flags.contains("s")
            hasLines = flags.contains("m")
        }

        private var next: Unicode.Scalar? {
            position < scalars.count ? Unicode.Scalar(scalars[position]) : nil
        }

        private mutating func take() -> Unicode.Scalar? {
            defer { position += 1 }
            return next
        }

        mutating func whole() throws(Refusal) -> Tree {
            let tree = try choice()
            guard next == nil else { throw Refusal() }
            return tree
        }

        private mutating func choice() throws(Refusal) -> Tree {
            depth += 1
            guard depth <= RegularExpression.maximumDepth else { throw Refusal() }
            defer { depth -= 1 }
            var branches = [try sequence()]
            while next == "|" {
                position += 1
                branches.append(try sequence())
            }
            return branches.count == 1 ? branches[0] : .choice(branches)
        }

        private mutating func sequence() throws(Refusal) -> Tree {
            var parts: [Tree] = []
            while let scalar = next, scalar != "|", scalar != ")" {
                if skipsSpace, scalar.properties.isWhitespace {
                    position += 1
                    continue
                }
                if scalar == "\\", position + 1 < scalars.count, Unicode.Scalar(scalars[position + 1]) == "Q" {
                    parts += quoted()
                    continue
                }
                parts.append(try repeated(try atom()))
            }
            return .sequence(parts)
        }

        /// `\Q…\E`, in which nothing is special.
        private mutating func quoted() -> [Tree] {
            position += 2
            var parts: [Tree] = []
            while let scalar = take() {
                if scalar == "\\", next == "E" {
                    position += 1
                    break
                }
                parts.append(.set(CharacterSet(ranges: [scalar.value...scalar.value])))
            }
            return parts
        }

        private mutating func atom() throws(Refusal) -> Tree {
            guard let scalar = take() else { throw Refusal() }
            switch scalar {
            case "(":
                if next == "?" {
                    // Groups without a number are groups; everything else behind a question mark is another thing.
                    guard position + 1 < scalars.count, Unicode.Scalar(scalars[position + 1]) == ":" else {
                        throw Refusal()
                    }
                    position += 2
                }
                let tree = try choice()
                guard take() == ")" else { throw Refusal() }
                return tree
            case "[": return .set(try characterClass())
            case ".": return .set(dotIsAll ? CharacterSet(isNegated: true) : CharacterSet.lineEnd.negated)
            case "^": return .assertion(hasLines ? .lineStart : .textStart)
            case "$": return .assertion(hasLines ? .lineEnd : .textEnd)
            case "\\": return try escape()
            case "*", "+", "?", "{", "}", "]": throw Refusal()
            default: return .set(CharacterSet(ranges: [scalar.value...scalar.value]))
            }
        }

        private mutating func repeated(_ tree: Tree) throws(Refusal) -> Tree {
            let bounds: (least: Int, most: Int?)
            switch next {
            case "*": bounds = (0, nil)
            case "+": bounds = (1, nil)
            case "?": bounds = (0, 1)
            case "{":
                position += 1
                bounds = try self.bounds()
            default: return tree
            }
            position += 1
            // As much or as little as there is makes no difference to whether there is anything.
            if next == "?" { position += 1 }
            if let again = next, "*+?{".unicodeScalars.contains(again) { throw Refusal() }
            if case .assertion = tree { throw Refusal() }
            return .repeated(tree, least: bounds.least, most: bounds.most)
        }

        /// `n}`, `n,}` or `n,m}`, up to its last character.
        private mutating func bounds() throws(Refusal) -> (least: Int, most: Int?) {
            guard let least = number() else { throw Refusal() }
            var most: Int? = least
            if next == "," {
                position += 1
                most = number()
            }
            guard next == "}", most.map({ $0 >= least }) ?? true else { throw Refusal() }
            return (least, most)
        }

        private mutating func number() -> Int? {
            var number: Int?
            while let scalar = next, ("0"..."9").contains(scalar) {
                let longer = (number ?? 0) * 10 + Int(truncatingIfNeeded: scalar.value - 0x30)
                guard longer <= RegularExpression.maximumRepetitions else { return nil }
                number = longer
                position += 1
            }
            return number
        }

        private mutating func escape() throws(Refusal) -> Tree {
            guard let scalar = take() else { throw Refusal() }
            switch scalar {
            case "b": return .assertion(.wordEdge)
            case "B": return .assertion(.noWordEdge)
            case "A": return .assertion(.textStart)
            case "z", "Z": return .assertion(.textEnd)
            case "E": return .sequence([])
            default: return .set(try escaped(scalar))
            }
        }

        /// A backslash and a character, as they stand outside of classes and in them.
        private mutating func escaped(_ scalar: Unicode.Scalar) throws(Refusal) -> CharacterSet {
            switch scalar {
            case "d": return .digit
            case "D": return .digit.negated
            case "w": return .word
            case "W": return .word.negated
            case "s": return .space
            case "S": return .space.negated
            case "t": return CharacterSet(ranges: [9...9])
            case "n": return CharacterSet(ranges: [10...10])
            case "r": return CharacterSet(ranges: [13...13])
            // Other letters and digits are references, properties, or unknown.
            case let scalar where scalar.properties.isAlphabetic || scalar.properties.numericType != nil:
                throw Refusal()
            default: return CharacterSet(ranges: [scalar.value...scalar.value])
            }
        }

        private mutating func characterClass() throws(Refusal) -> CharacterSet {
            var set = CharacterSet()
            let isNegated = next == "^"
            if isNegated { position += 1 }
            var isFirst = true
            while let scalar = take() {
                if scalar == "]", !isFirst { return CharacterSet(ranges: set.ranges, isNegated: isNegated) }
                isFirst = false
                // Sets of names (`[:alpha:]`) and sets within sets are not offered.
                if scalar == "[" { throw Refusal() }
                let part = try member(scalar)
                guard next == "-", position + 1 < scalars.count, Unicode.Scalar(scalars[position + 1]) != "]" else {
                    set.ranges += part.positive
                    continue
                }
                position += 1
                guard let end = take() else { throw Refusal() }
                guard let low = part.single, let high = try member(end).single, low <= high else { throw Refusal() }
                set.ranges.append(low...high)
            }
            throw Refusal()
        }

        private mutating func member(_ scalar: Unicode.Scalar) throws(Refusal) -> CharacterSet {
            guard scalar == "\\" else { return CharacterSet(ranges: [scalar.value...scalar.value]) }
            guard let next = take() else { throw Refusal() }
            return try escaped(next)
        }
    }
}

extension RegularExpression.CharacterSet {
    /// The one character of a set of one.
    fileprivate var single: UInt32? {
        guard !isNegated, ranges.count == 1, let range = ranges.first, range.lowerBound == range.upperBound else {
            return nil
        }
        return range.lowerBound
    }
}
