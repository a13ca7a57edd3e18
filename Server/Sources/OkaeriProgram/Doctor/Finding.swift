import Domain
import OkaeriServer

/// What one check found.
struct Finding: Encodable {
    /// What was looked at.
    let check: String
    let outcome: Outcome
    /// How things are, in a sentence.
    let state: String
    /// What to do about it.
    let advice: String?

    enum Outcome: String, Encodable {
        case ok
        case warning
        case failed
    }

    static func ok(_ check: String, _ state: String) -> Finding {
        Finding(check: check, outcome: .ok, state: state, advice: nil)
    }

    static func warning(_ check: String, _ state: String, advice: String) -> Finding {
        Finding(check: check, outcome: .warning, state: state, advice: advice)
    }

    static func failed(_ check: String, _ state: String, advice: String) -> Finding {
        Finding(check: check, outcome: .failed, state: state, advice: advice)
    }
}

extension Finding {
    /// What is wrong with the sealing keys, as the secrets in the database and the audit log show; `nil` when they are right.
    ///
    /// - Parameters:
    ///   - settings: Of the server.
    ///   - advice: What to do when it opens none.
    /// - Returns: the finding.
    static func ofSealedSecrets(_ settings: ServerSettings, advice: String) async -> Finding? {
        do {
            let composition = try await Composition(settings, role: .command)
            let refusal: StartFault?
            do throws(DomainError) {
                _ = try await composition.modules.sessions.signingKeys()
                refusal = try await SealingKeyCheck(settings, composition.modules).refusal()
            } catch {
                await composition.close()
                return .failed("sealing key", CommandFault(error).description, advice: advice)
            }
            await composition.close()
            return refusal.map {
                .failed("sealing key", $0.description, advice: "Correct that first: no server starts with it.")
            }
        } catch {
            return .failed("sealing key", error.description, advice: "Correct that first.")
        }
    }
}
