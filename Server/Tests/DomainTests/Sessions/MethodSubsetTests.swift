import Domain
import Testing

/// What the ten ways to prove oneself say together, for each of their 1024 sets.
@Suite("Every set of ways in which an owner proved who they are")
struct MethodSubsetTests {
    typealias Methods = AuthenticationMethods

    private static let ways: [Methods] = [
        .deviceKey, .password, .code, .transferCode, .provider, .passkey, .userVerification, .timeBasedCode,
        .recoveryCode, .rememberedDevice,
    ]
    private static let sets = 0..<Int64(1 << ways.count)

    /// How many of some ways a set has.
    private static func count(_ methods: Methods, among ways: [Methods]) -> Int {
        ways.filter { methods.contains($0) }.count
    }

    @Test("are two factors with one of each kind, or with a passkey beside a password or that verified its user")
    func factors() {
        for number in Self.sets {
            let methods = Methods(rawValue: number)
            let first = Self.count(methods, among: [.password, .code, .provider, .passkey])
            let second = Self.count(methods, among: [.timeBasedCode, .recoveryCode, .rememberedDevice])
            let hasPasskey = methods.contains(.passkey)
            let isVerified = hasPasskey && methods.contains(.userVerification)
            let isPair = hasPasskey && methods.contains(.password)
            #expect(methods.areTwoFactors == (first > 0 && second > 0 || isVerified || isPair), "\(number)")
        }
    }

    @Test("are as sure as two factors are, and resist phishing with a passkey among them alone")
    func assurance() {
        for number in Self.sets {
            let methods = Methods(rawValue: number)
            switch methods.assurance {
            case .device:
                let alone = Self.count(methods, among: [.deviceKey, .transferCode, .userVerification])
                #expect(alone == Self.count(methods, among: Self.ways) && !methods.areTwoFactors, "\(number)")
            case .oneFactor: #expect(!methods.areTwoFactors, "\(number)")
            case .twoFactors: #expect(methods.areTwoFactors && !methods.contains(.passkey), "\(number)")
            case .phishingResistant: #expect(methods.areTwoFactors && methods.contains(.passkey), "\(number)")
            }
        }
    }

    @Test("say each value of RFC 8176 once, and “mfa” with two factors alone")
    func amr() {
        for number in Self.sets {
            let methods = Methods(rawValue: number)
            let words = methods.amr
            #expect(Set(words).count == words.count, "\(number)")
            #expect(Set(words).isSubset(of: ["pop", "user", "pwd", "otp", "mfa"]), "\(number)")
            #expect(words.contains("mfa") == methods.areTwoFactors, "\(number)")
            #expect(words.contains("pwd") == methods.contains(.password), "\(number)")
        }
    }

    @Test("prove no less with one more of them")
    func monotone() {
        for number in Self.sets {
            let methods = Methods(rawValue: number)
            for way in Self.ways {
                let more = methods.union(way)
                #expect(more.assurance >= methods.assurance, "\(number) and \(way.rawValue)")
                #expect(!methods.areTwoFactors || more.areTwoFactors, "\(number) and \(way.rawValue)")
            }
        }
    }

    @Test("say no more with numbers of a newer server among them", arguments: [10, 40, 62, 63] as [Int64])
    func unknown(bit: Int64) {
        for number in Self.sets {
            let (methods, newer) = (Methods(rawValue: number), Methods(rawValue: number | 1 << bit))
            #expect(newer.amr == methods.amr && newer.assurance == methods.assurance, "\(number)")
        }
    }
}
