import Testing

@testable import Domain

@Suite("Rules of first launches")
struct AttestationRuleTests {
    private static func rules(_ change: (inout AttestationRules) -> Void = { _ in }) -> AttestationRules {
        var rules = AttestationRules()
        rules.unattested = .init(perAddress: 10, perApplication: 100)
        change(&rules)
        return rules
    }

    @Test(
        "ask nothing within both budgets, work that rises with each doubling, and nothing helps beyond eight times",
        arguments: [
            (1, 1, AttestationRules.Toll.nothing), (10, 100, .nothing), (11, 1, .work(bits: 18)),
            (20, 1, .work(bits: 18)), (21, 1, .work(bits: 20)), (40, 1, .work(bits: 20)), (41, 1, .work(bits: 22)),
            (80, 1, .work(bits: 22)), (81, 1, .refusal), (1, 101, .work(bits: 18)), (1, 201, .work(bits: 20)),
            (11, 401, .work(bits: 22)), (1, 801, .refusal), (.max, 1, .refusal), (1, .max, .refusal),
            (.min, .min, .nothing),
        ])
    func tolls(address: Int, application: Int, toll: AttestationRules.Toll) {
        #expect(Self.rules().toll(for: .init(address: address, application: application)) == toll)
    }

    @Test(
        "ask more work of an IPv6 site from half of the application's budget on, doubling by doubling",
        arguments: [
            (50, AttestationRules.Toll.nothing), (51, .work(bits: 18)), (101, .work(bits: 20)), (201, .work(bits: 22)),
            (400, .work(bits: 22)), (401, .refusal),
        ])
    func sites(site: Int, toll: AttestationRules.Toll) {
        let rules = Self.rules()
        #expect(rules.toll(for: .init(address: 1, site: site, application: min(site, 100))) == toll)
        // The site alone has brought the others less far than itself.
        let others = rules.toll(for: .init(address: 1, application: site))
        #expect(toll == .nothing || others != toll)
    }

    @Test("ask no work where the application has none: beyond the budget nothing helps")
    func withoutWork() {
        let rules = Self.rules { $0.proofOfWorkBits = 0 }
        #expect(rules.toll(for: .init(address: 10, application: 100)) == .nothing)
        #expect(rules.toll(for: .init(address: 11, application: 1)) == .refusal)
    }

    @Test("never ask for more work than the SDK does")
    func mostWork() {
        let rules = Self.rules { $0.proofOfWorkBits = AttestationRules.workBits.upperBound }
        #expect(rules.toll(for: .init(address: 80, application: 1)) == .work(bits: AttestationRules.maximumWorkBits))
        #expect(AttestationRules.maximumWorkBits == 24)
    }

    @Test(
        "hold for the largest budgets, and refuse what is beyond", arguments: [0, 1, 1_000_000, 1_000_001, .max, .min])
    func budgets(number: Int) {
        let isTaken = (1...1_000_000).contains(number)
        let paths: [WritableKeyPath<AttestationRules, Int>] = [
            \.attested.perAddress, \.attested.perApplication, \.unattested.perAddress, \.unattested.perApplication,
            \.refused.perAddress, \.refused.perApplication,
        ]
        for path in paths { #expect(Self.rules { $0[keyPath: path] = number }.faults.isEmpty == isTaken) }
        guard isTaken else { return }
        let rules = Self.rules { $0.unattested = .init(perAddress: number, perApplication: number) }
        #expect(rules.toll(for: .init(address: .max, application: .max)) == .refusal)
    }

    @Test("are off unless an application turns them on, and attestations are required of known apps alone")
    func modes() {
        #expect(AttestationRules().mode == .off && AttestationRules().faults.isEmpty)
        #expect(Self.rules { $0.mode = .limited }.faults.isEmpty)
        #expect(
            Self.rules { $0.mode = .required }.faults
                == [ValidationError(field: "attestation.appleApps", rule: .required)])
        let app = "TEAM123456.com.example.app"
        #expect(
            Self.rules {
                $0.mode = .required
                $0.appleApps = [app]
            }.faults.isEmpty)
        for wrong in ["com.example.app", "TEAM123456", "team123456.com.example", "TEAM123456.", ""] {
            #expect(
                Self.rules { $0.appleApps = [wrong] }.faults
                    == [ValidationError(field: "attestation.appleApps", rule: .notAnAppleId)])
        }
        #expect(
            Self.rules { $0.appleApps = [String](repeating: app, count: 100_000) }.faults
                == [ValidationError(field: "attestation.appleApps", rule: .tooManyFields(maximum: 20))])
    }
}
