package import Storage

/// Behaviour that every engine must have, as a sentence.
package struct Contract: Sendable, CustomStringConvertible {
    package let description: String
    package let check: @Sendable (any Engine) async throws -> Void

    package init(_ description: String, check: @escaping @Sendable (any Engine) async throws -> Void) {
        self.description = description
        self.check = check
    }

    /// The contracts of all modules.
    package static let all =
        userContracts + identityContracts + accountContracts + accountQueryContracts + sessionContracts
        + sessionSlotContracts
        + proofContracts + rateLimitContracts + accessTokenContracts + mailContracts + transactionContracts
        + raceContracts + accountRaceContracts + providerContracts + mailRaceContracts + auditContracts
        + transferContracts + accountChangeContracts + foreignProtocolContracts + userSearchContracts
        + searchTimeContracts + administrationContracts + statisticContracts + randomContracts
        + randomSearchContracts + eventContracts + eventDeliveryContracts + sealingContracts + roleContracts
        + hookContracts
}

/// A contract was broken.
package struct ContractFault: Error, CustomStringConvertible {
    package let description: String
}

func expect(_ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line) throws {
    if !condition { throw ContractFault(description: "line \(line): \(what())") }
}

func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line) throws {
    if value != expected { throw ContractFault(description: "line \(line): \(value) is not \(expected)") }
}
