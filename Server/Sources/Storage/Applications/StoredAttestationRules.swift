import Domain

/// An application's rules of first launches, as stored.
struct StoredAttestationRules: Codable {
    private var mode: String?
    private var appleApps: [String]?
    private var takesDevelopment: Bool?
    private var attested: Budget?
    private var unattested: Budget?
    private var refused: Budget?
    private var proofOfWorkBits: Int?

    private struct Budget: Codable {
        private var perAddress: Int
        private var perApplication: Int

        init(_ budget: AttestationRules.Budget) {
            perAddress = budget.perAddress
            perApplication = budget.perApplication
        }

        var budget: AttestationRules.Budget { .init(perAddress: perAddress, perApplication: perApplication) }
    }

    init(_ rules: AttestationRules) {
        mode = rules.mode.rawValue
        appleApps = rules.appleApps
        takesDevelopment = rules.takesDevelopment
        attested = Budget(rules.attested)
        unattested = Budget(rules.unattested)
        refused = Budget(rules.refused)
        proofOfWorkBits = rules.proofOfWorkBits
    }

    var rules: AttestationRules {
        var rules = AttestationRules()
        // What a newer server wrote and this one does not know asks for something, not for nothing.
        if let mode { rules.mode = AttestationRules.Mode(rawValue: mode) ?? .limited }
        rules.appleApps = appleApps ?? rules.appleApps
        rules.takesDevelopment = takesDevelopment ?? rules.takesDevelopment
        rules.attested = attested?.budget ?? rules.attested
        rules.unattested = unattested?.budget ?? rules.unattested
        rules.refused = refused?.budget ?? rules.refused
        rules.proofOfWorkBits = proofOfWorkBits ?? rules.proofOfWorkBits
        return rules
    }
}
