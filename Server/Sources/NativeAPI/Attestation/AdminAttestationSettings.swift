import Domain
import OkaeriWire

/// A part of a JSON merge patch: what is absent stays.
struct AdminAttestationPatch: Decodable, Sendable {
    private let mode: AttestationRules.Mode?
    private let appleApps: [String]?
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
            perAddress = try members.decodeIfPresent(Int.self, forKey: .perAddress)
            perApplication = try members.decodeIfPresent(Int.self, forKey: .perApplication)
        }

        func apply(to budget: inout AttestationRules.Budget) {
            if let perAddress { budget.perAddress = perAddress }
            if let perApplication { budget.perApplication = perApplication }
        }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case mode, appleApps, takesDevelopment, attested, unattested, refused, proofOfWorkBits
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        mode = try members.decodeIfPresent(String.self, forKey: .mode).map { word in
            guard let mode = AttestationRules.Mode(rawValue: word) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .mode, in: members, debugDescription: "There is no such value.")
            }
            return mode
        }
        appleApps = try members.decodeIfPresent([String].self, forKey: .appleApps)
        takesDevelopment = try members.decodeIfPresent(Bool.self, forKey: .takesDevelopment)
        attested = try members.decodeIfPresent(Budget.self, forKey: .attested)
        unattested = try members.decodeIfPresent(Budget.self, forKey: .unattested)
        refused = try members.decodeIfPresent(Budget.self, forKey: .refused)
        proofOfWorkBits = try members.decodeIfPresent(Int.self, forKey: .proofOfWorkBits)
    }

    func apply(to rules: inout AttestationRules) {
        if let mode { rules.mode = mode }
        if let appleApps { rules.appleApps = appleApps }
        if let takesDevelopment { rules.takesDevelopment = takesDevelopment }
        attested?.apply(to: &rules.attested)
        unattested?.apply(to: &rules.unattested)
        refused?.apply(to: &rules.refused)
        if let proofOfWorkBits { rules.proofOfWorkBits = proofOfWorkBits }
    }
}
