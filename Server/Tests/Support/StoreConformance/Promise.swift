package import Storage

/// Something that every engine must keep, told as a sentence.
package struct Promise: Sendable, CustomStringConvertible {
    package let description: String
    package let isKept: @Sendable (any Engine) async throws -> Void

    package init(_ description: String, isKept: @escaping @Sendable (any Engine) async throws -> Void) {
        self.description = description
        self.isKept = isKept
    }

    /// All promises of all slices.
    package static let all =
        userPromises + identityPromises + accountPromises + sessionPromises + proofPromises + rateLimitPromises
        + accessTokenPromises
        + mailPromises + transactionPromises + racePromises + accountRacePromises + providerPromises + mailRacePromises
        + auditPromises + transferPromises + accountChangePromises + foreignProtocolPromises + userSearchPromises
        + searchTimePromises
}

/// A promise was broken.
package struct BrokenPromise: Error, CustomStringConvertible {
    package let description: String
}

func expect(_ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line) throws {
    if !condition { throw BrokenPromise(description: "line \(line): \(what())") }
}

func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line) throws {
    if value != expected { throw BrokenPromise(description: "line \(line): \(value) is not \(expected)") }
}
