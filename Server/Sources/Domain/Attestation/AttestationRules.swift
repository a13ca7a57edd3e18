/// What an application demands of first launches that make users. Known devices are never judged.
package struct AttestationRules: Hashable, Sendable {
    /// What is demanded.
    package enum Mode: String, CaseIterable, Hashable, Sendable {
        /// Nothing but the limit of each address.
        case off
        /// First launches without an attestation have a budget, and beyond it they do a proof of work.
        case limited
        /// First launches without an attestation make no user.
        case required
    }

    /// How many first launches of one class there were in an hour.
    struct Count: Hashable, Sendable {
        var address: Int
        /// Of the /48 network of an IPv6 address.
        var site = 0
        var application: Int
    }

    /// How many first launches of one class there may be in an hour.
    package struct Budget: Hashable, Sendable {
        /// Of one address or /64 network.
        package var perAddress: Int
        /// Of the whole application.
        package var perApplication: Int
        /// Of one /48 network of IPv6: what a hundred of its 65,536 networks of /64 have, and half of the application's at the most.
        var perSite: Int { max(perAddress, min(100 * perAddress, perApplication / 2)) }

        package init(perAddress: Int, perApplication: Int) {
            self.perAddress = perAddress
            self.perApplication = perApplication
        }

        /// Whether there were no more than there may be.
        func includes(_ count: Count) -> Bool {
            count.address <= perAddress && count.site <= perSite && count.application <= perApplication
        }
    }

    package static let maximumApps = 20
    package static let budgets = 1...1_000_000
    /// Leading zero bits that a proof of work has at first; 0 for none.
    package static let workBits = 10...20
    /// Each doubling of the rate costs four times the work, twice; then there is none that counts.
    package static let maximumWorkBits = workBits.upperBound + 2 * workSteps
    private static let workSteps = 2

    package var mode = Mode.off
    /// The apps whose attestations count: `TEAMID.bundle.id`.
    package var appleApps: [String] = []
    /// The apps of Google Play whose attestations count.
    package var playApps: [PlayApp] = []
    /// Whether apps count that were not installed from a store.
    package var takesDevelopment = false
    package var attested = Budget(perAddress: 300, perApplication: 100_000)
    package var unattested = Budget(perAddress: 30, perApplication: 1000)
    /// Attestations that are refused, after which no more of them are looked at.
    package var refused = Budget(perAddress: 20, perApplication: 10_000)
    package var proofOfWorkBits = 18

    package init() {}

    /// What breaks a rule.
    var faults: [ValidationError] {
        var faults: [ValidationError] = []
        if appleApps.count > Self.maximumApps {
            faults.append(
                ValidationError(field: "attestation.appleApps", rule: .tooManyFields(maximum: Self.maximumApps)))
        } else if !appleApps.allSatisfy(PasskeyRules.isAppleApp) {
            faults.append(ValidationError(field: "attestation.appleApps", rule: .notAnAppleId))
        } else if mode == .required, appleApps.isEmpty, playApps.isEmpty {
            // Nobody could make a user any more.
            faults.append(ValidationError(field: "attestation.appleApps", rule: .required))
        }
        faults += playFaults
        let numbers = [
            ("attested.perAddress", attested.perAddress), ("attested.perApplication", attested.perApplication),
            ("unattested.perAddress", unattested.perAddress), ("unattested.perApplication", unattested.perApplication),
            ("refused.perAddress", refused.perAddress), ("refused.perApplication", refused.perApplication),
        ]
        for (field, number) in numbers where !Self.budgets.contains(number) {
            faults.append(ValidationError(field: "attestation.\(field)", rule: .outOfRange(1...1_000_000)))
        }
        if proofOfWorkBits != 0, !Self.workBits.contains(proofOfWorkBits) {
            faults.append(ValidationError(field: "attestation.proofOfWorkBits", rule: .outOfRange(10...20)))
        }
        return faults
    }

    /// What a first launch without an attestation must do.
    enum Toll: Hashable, Sendable {
        case nothing
        /// So many leading zero bits.
        case work(bits: Int)
        /// No work is enough.
        case refusal
    }

    /// - Parameters:
    ///   - count: How many there were in this hour, with the one that asks.
    ///   - minimum: 1 for one that must work within the budget too.
    /// - Returns: what it must do.
    func toll(for count: Count, atLeast minimum: Int = 0) -> Toll {
        let steps = max(
            minimum, Self.steps(count.address, beyond: unattested.perAddress),
            Self.steps(count.site, beyond: unattested.perSite),
            Self.steps(count.application, beyond: unattested.perApplication))
        guard steps > 0 else { return .nothing }
        guard proofOfWorkBits > 0, steps <= Self.workSteps + 1 else { return .refusal }
        return .work(bits: proofOfWorkBits + 2 * (steps - 1))
    }

    /// 0 within the budget, 1 up to twice the budget, and one more for each doubling.
    private static func steps(_ count: Int, beyond budget: Int) -> Int {
        var (steps, end) = (0, budget)
        while count > end, steps <= workSteps + 1 {
            steps += 1
            end *= 2
        }
        return steps
    }
}
