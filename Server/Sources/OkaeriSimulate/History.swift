import Crypto
import Domain
import Foundation

/// What happened, as a digest, and what should not have.
final class History {
    private var hash = SHA256()
    private(set) var operationCount = 0
    private(set) var counts: [String: Int] = [:]
    private(set) var violations: [String] = []
    private let isVerbose: Bool

    init(isVerbose: Bool) { self.isVerbose = isVerbose }

    func note(_ name: String, _ result: String, at now: Timestamp) {
        operationCount += 1
        counts["\(name) \(result.prefix { $0 != "(" && $0 != " " })", default: 0] += 1
        let line = "\(now.milliseconds) \(name) \(result)\n"
        hash.update(data: Data(line.utf8))
        if isVerbose { print(operationCount, line, terminator: "") }
    }

    /// Something that no history allows.
    func violate(_ what: String, at now: Timestamp) {
        violations.append("operation \(operationCount), \(now.milliseconds): \(what)")
        hash.update(data: Data("violation: \(what)\n".utf8))
    }

    var digest: String { hash.finalize().prefix(12).map { String(format: "%02x", $0) }.joined() }
}
