import Domain
import OkaeriWire

/// A part of a JSON merge patch: what is absent stays.
struct AdminSecondFactorsPatch: Decodable, Sendable {
    private let mode: SecondFactorRules.Mode?
    private let demandedFor: [AccountChange]?
    private let deviceKeysCount: Bool?
    private let transferCodesCount: Bool?
    private let exemptsOldProtocols: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case mode, demandedFor, deviceKeysCount, transferCodesCount, exemptsOldProtocols
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        func unknown(_ key: CodingKeys) -> DecodingError {
            .dataCorruptedError(forKey: key, in: members, debugDescription: "There is no such value.")
        }
        mode = try members.decodeIfSent(String.self, forKey: .mode).map { word in
            guard let mode = SecondFactorRules.Mode(rawValue: word) else { throw unknown(.mode) }
            return mode
        }
        demandedFor = try members.decodeIfSent([String].self, forKey: .demandedFor).map { words in
            try words.map { word in
                guard let change = AccountChange(rawValue: word) else { throw unknown(.demandedFor) }
                return change
            }
        }
        deviceKeysCount = try members.decodeIfSent(Bool.self, forKey: .deviceKeysCount)
        transferCodesCount = try members.decodeIfSent(Bool.self, forKey: .transferCodesCount)
        exemptsOldProtocols = try members.decodeIfSent(Bool.self, forKey: .exemptsOldProtocols)
    }

    func apply(to rules: inout SecondFactorRules) {
        if let mode { rules.mode = mode }
        if let demandedFor { rules.demandedFor = Set(demandedFor) }
        if let deviceKeysCount { rules.deviceKeysCount = deviceKeysCount }
        if let transferCodesCount { rules.transferCodesCount = transferCodesCount }
        if let exemptsOldProtocols { rules.exemptsOldProtocols = exemptsOldProtocols }
    }
}
