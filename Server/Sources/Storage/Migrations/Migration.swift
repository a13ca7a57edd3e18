/// One step of the schema. It cannot be made without both dialects.
package struct Migration: Sendable {
    /// Counts from 1 without gaps.
    package let version: Int
    package let name: String
    package let sqlite: [String]
    package let postgresql: [String]

    package init(version: Int, name: String, sqlite: [String], postgresql: [String]) {
        self.version = version
        self.name = name
        self.sqlite = sqlite
        self.postgresql = postgresql.map(Self.comparingBytes)
    }

    /// Makes PostgreSQL compare texts by their bytes, as SQLite does and the rules rely on: ids have an order in time.
    private static func comparingBytes(_ statement: String) -> String {
        statement.replacing(/\bTEXT\b(?! COLLATE)/, with: #"TEXT COLLATE "C""#)
    }

    /// All steps, oldest first. A step is never edited once released.
    package static let all = [
        beginnings, accounts, logInFailures, providers, mail, audit, transfers, deletion, merges,
        foreignProtocols, accessLists, installations, administration, userLists, adminPresence,
        evictions, passwordSchemes, keysOfAdmins, usedProofs, passkeys, sessionObjects, secondFactors,
        authenticationMethods, adminSignIn, events, adminIdentities, proofTimes, roles,
        sessionSlots, auditIndexes, eventTurns, importedTokens, mailQueueIndex, sessionOrigins,
        tokenRefreshes, ownerlessAccounts, importsAndJoins, formerNames, leftUserIndex,
        passkeyIndex,
    ]

    /// The tables that the steps make on PostgreSQL, those too that a later step takes away.
    package static var tables: Set<String> {
        Set(all.flatMap(\.postgresql).flatMap { $0.matches(of: /CREATE TABLE (\w+)/).map { String($0.output.1) } })
    }

    /// The version that this program needs.
    package static var latestVersion: Int { all.last?.version ?? 0 }
}
