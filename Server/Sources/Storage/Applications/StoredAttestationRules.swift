import Domain

/// An application's rules of first launches, as stored.
struct StoredAttestationRules: Codable {
    private var mode: String?
    private var appleApps: [String]?
    private var playApps: [PlayApp]?
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

    private struct PlayApp: Codable {
        private var package: String
        private var certificates: [String]
        private var level: String
        private var verificationKey: String?
        private var sealedKey: String?

        init(_ app: AttestationRules.PlayApp) {
            package = app.app.packageName
            certificates = app.app.certificates
            level = app.level.rawValue
            verificationKey = app.keys.map { Base64URL.text(of: $0.verificationKey) }
            sealedKey = app.keys.map { Base64URL.text(of: $0.sealedKey) }
        }

        var app: AttestationRules.PlayApp {
            func bytes(_ text: String?) -> [UInt8]? { text.flatMap { Base64URL.bytes(of: $0.utf8) } }
            var keys: PlayKeys?
            if let verificationKey = bytes(verificationKey), let sealedKey = bytes(sealedKey) {
                keys = PlayKeys(verificationKey: verificationKey, sealedKey: sealedKey)
            }
            // A level that a newer server knows and this one does not asks for the most.
            return .init(
                .init(packageName: package, certificates: certificates), level: .init(rawValue: level) ?? .strong,
                keys: keys)
        }
    }

    init(_ rules: AttestationRules) {
        mode = rules.mode.rawValue
        appleApps = rules.appleApps
        playApps = rules.playApps.isEmpty ? nil : rules.playApps.map(PlayApp.init(_:))
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
        rules.playApps = playApps?.map(\.app) ?? rules.playApps
        rules.takesDevelopment = takesDevelopment ?? rules.takesDevelopment
        rules.attested = attested?.budget ?? rules.attested
        rules.unattested = unattested?.budget ?? rules.unattested
        rules.refused = refused?.budget ?? rules.refused
        rules.proofOfWorkBits = proofOfWorkBits ?? rules.proofOfWorkBits
        return rules
    }
}
