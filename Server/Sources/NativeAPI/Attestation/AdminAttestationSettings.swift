import Domain
import OkaeriWire

/// A part of a JSON merge patch: what is absent stays.
struct AdminAttestationPatch: Decodable, Sendable {
    private let mode: AttestationRules.Mode?
    private let appleApps: [String]?
    private let playApps: [PlayApp]?
    private let takesDevelopment: Bool?
    private let attested: Budget?
    private let unattested: Budget?
    private let refused: Budget?
    private let proofOfWorkBits: Int?

    private struct Budget: Decodable {
        private let perAddress: Int?
        private let perApplication: Int?

        private enum CodingKeys: String, CodingKey, CaseIterable { case perAddress, perApplication }

        init(from decoder: any Decoder) throws {
            let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
            perAddress = try members.decodeIfSent(Int.self, forKey: .perAddress)
            perApplication = try members.decodeIfSent(Int.self, forKey: .perApplication)
        }

        func apply(to budget: inout AttestationRules.Budget) {
            if let perAddress { budget.perAddress = perAddress }
            if let perApplication { budget.perApplication = perApplication }
        }
    }

    private struct PlayApp: Decodable {
        let package: String
        let certificates: [String]
        let level: AttestationRules.PlayApp.Level?
        let decryptionKey: String?
        let verificationKey: String?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case package, certificates, level, decryptionKey, verificationKey
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
            package = try members.decode(String.self, forKey: .package)
            certificates = try members.decode([String].self, forKey: .certificates)
            level = try members.decodeIfPresent(String.self, forKey: .level).map { word in
                guard let level = AttestationRules.PlayApp.Level(rawValue: word) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .level, in: members, debugDescription: "There is no such value.")
                }
                return level
            }
            decryptionKey = try members.decodeIfPresent(String.self, forKey: .decryptionKey)
            verificationKey = try members.decodeIfPresent(String.self, forKey: .verificationKey)
        }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case mode, appleApps, playApps, takesDevelopment, attested, unattested, refused, proofOfWorkBits
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        mode = try members.decodeIfSent(String.self, forKey: .mode).map { word in
            guard let mode = AttestationRules.Mode(rawValue: word) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .mode, in: members, debugDescription: "There is no such value.")
            }
            return mode
        }
        appleApps = try members.decodeIfSent([String].self, forKey: .appleApps)
        playApps = try members.decodeIfSent([PlayApp].self, forKey: .playApps)
        takesDevelopment = try members.decodeIfSent(Bool.self, forKey: .takesDevelopment)
        attested = try members.decodeIfSent(Budget.self, forKey: .attested)
        unattested = try members.decodeIfSent(Budget.self, forKey: .unattested)
        refused = try members.decodeIfSent(Budget.self, forKey: .refused)
        proofOfWorkBits = try members.decodeIfSent(Int.self, forKey: .proofOfWorkBits)
    }

    /// The apps of Google Play with their keys sealed; `nil` when the patch has none.
    ///
    /// - Throws: `fieldsRefused` for what is no key.
    func playApps(
        in application: Identifier<Domain.Application>, sealed seal: SealPlayKeys
    ) throws(DomainError) -> [AttestationRules.PlayApp]? {
        guard let playApps else { return nil }
        var apps: [AttestationRules.PlayApp] = []
        for app in playApps.prefix(AttestationRules.maximumApps + 1) {
            var keys: PlayKeys?
            if app.decryptionKey != nil || app.verificationKey != nil {
                keys = try seal(
                    decryptionKey: Secret(app.decryptionKey ?? ""), verificationKey: app.verificationKey ?? "",
                    of: app.package, in: application)
            }
            apps.append(
                .init(
                    .init(packageName: app.package, certificates: app.certificates), level: app.level ?? .device,
                    keys: keys))
        }
        return apps
    }

    func apply(to rules: inout AttestationRules, _ playApps: [AttestationRules.PlayApp]?) {
        if let mode { rules.mode = mode }
        if let appleApps { rules.appleApps = appleApps }
        if let playApps { rules.set(playApps) }
        if let takesDevelopment { rules.takesDevelopment = takesDevelopment }
        attested?.apply(to: &rules.attested)
        unattested?.apply(to: &rules.unattested)
        refused?.apply(to: &rules.refused)
        if let proofOfWorkBits { rules.proofOfWorkBits = proofOfWorkBits }
    }
}
