/// A parser of bytes that a stranger wrote, in a form in which any bytes can be given to it.
///
/// Whatever they are, it returns: a trap, a hang or a broken promise (`expect`) is a fault of the parser.
public struct FuzzTarget: Sendable {
    /// Letters and hyphens; the folder of its corpus has the same name.
    public let name: String
    /// Longer inputs are cut off here: what cannot reach the parser need not be tried.
    public let maximumBytes: Int
    private let read: @Sendable (_ input: [UInt8]) -> Void

    init(_ name: String, maximumBytes: Int = 4096, _ read: @escaping @Sendable (_ input: [UInt8]) -> Void) {
        self.name = name
        self.maximumBytes = maximumBytes
        self.read = read
    }

    /// Gives an input to the parser.
    public func callAsFunction(_ input: [UInt8]) {
        read(input.count > maximumBytes ? Array(input.prefix(maximumBytes)) : input)
    }

    /// All of them, by name.
    public static let all: [FuzzTarget] =
        [wire, proofs, providers, protocols, imports, requests, stored, typed, client, device, kit, backend]
        .flatMap { $0 }.sorted { $0.name < $1.name }

    /// The one of a name.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Ends the program when a parser breaks a promise: what it wrote, it must read again as the same.
func expect(_ isKept: Bool, _ promise: @autoclosure () -> String) {
    precondition(isKept, promise())
}

extension String {
    /// A text as it reaches parsers that are given texts: bytes that are no UTF-8 were replaced before.
    init(input: [UInt8]) {
        self.init(decoding: input, as: UTF8.self)
    }
}

extension [UInt8] {
    /// What stands before the first end of a line, and what behind it; all of it and nothing where there is none.
    var firstLine: (line: [UInt8], rest: [UInt8]) {
        let end = firstIndex(of: 0x0a) ?? endIndex
        return (Array(self[..<end]), Array(self[end...].dropFirst()))
    }

    /// Whether these bytes are among one of so many, always the same ones: for what takes too long to be done for each.
    func isOne(of count: Int) -> Bool { digest % count == 0 }

    /// A number that is as good as chance, always the same one for the same bytes (FNV-1a).
    var digest: Int {
        let digest = reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Int(digest >> 32)
    }
}
