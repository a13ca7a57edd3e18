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
