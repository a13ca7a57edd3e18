package import Domain

/// Whether the sealing keys of a server, or of a command that writes, are those of the installation, as its database tells.
package struct SealingKeyCheck: Sendable {
    /// How `sealing-keys` says that the key is lost that the installation began with.
    static let lostFirst = "first"

    private let lost: Set<String>
    private let needed: ResealSecrets
    private let audit: VerifyAudit

    /// What a comparison found.
    package struct Verdict: Sendable {
        /// Ids of keys that are not here, and are given up by the settings.
        package var givenUp: [String] = []
        /// Why nothing may be sealed; `nil` when it may.
        package var refusal: StartFault?
    }

    package init(_ settings: ServerSettings, _ modules: Modules) {
        lost = settings.sealingKeys.lost
        needed = modules.resealSecrets
        audit = modules.administration.audit.verify
    }

    /// Whether the settings give up the key that the installation began with.
    var givesUpFirstKey: Bool { lost.contains(Self.lostFirst) }

    /// Whether all keys are here that sealed something. A server without one would answer some of its clients with errors, and
    /// nodes take turns in it.
    ///
    /// - Throws: `storageUnavailable` when that cannot be read.
    package func neededKeys() async throws(DomainError) -> Verdict {
        let missing = try await needed.missingKeys()
        var verdict = Verdict(givenUp: missing.filter { lost.contains($0) })
        let absent = missing.filter { !lost.contains($0) }
        if !absent.isEmpty {
            verdict.refusal = .settings(
                "Secrets in the database were sealed under keys that are not here: \(absent.joined(separator: ", ")). Put them "
                    + "back by \(Setting.sealingKey.variable) or \(Setting.sealingKeys.variable), as the server had them; "
                    + "“okaeri keys status” shows which are known. If a key is lost, “lost:ID” in "
                    + "\(Setting.sealingKeys.variable) goes on without what it sealed.")
        }
        return verdict
    }

    /// Whether the first key is the one that the installation began with. Under another one recovery codes would count no more,
    /// and what is put into the audit log would never fit again. No sealed value tells: a first key that was replaced may have
    /// none left. That another key is lost says nothing of this one.
    ///
    /// - Throws: `storageUnavailable` when that cannot be read.
    package func firstKey() async throws(DomainError) -> Verdict {
        guard try await audit.isUnderAnotherKey() else { return Verdict() }
        guard !givesUpFirstKey else { return Verdict(givenUp: [Self.lostFirst]) }
        return Verdict(
            refusal: .settings(
                "\(Setting.sealingKey.variable), or the file sealing.key, is not the key that this installation began with: the "
                    + "audit log and digests of codes derive from that one, also when it seals nothing any more. Put it back, and "
                    + "name the key that seals first in \(Setting.sealingKeys.variable). If it is lost, whatever its id was, "
                    + "“lost:\(Self.lostFirst)” in \(Setting.sealingKeys.variable) goes on without it: recovery codes of before "
                    + "do not count then, and entries of before are not as they were written."))
    }

    /// Why a command may not write, as both comparisons tell.
    ///
    /// - Throws: `storageUnavailable` when that cannot be read.
    package func refusal() async throws(DomainError) -> StartFault? {
        if let refusal = try await neededKeys().refusal { return refusal }
        return try await firstKey().refusal
    }
}
