/// How the owner of a session proved who they are, when they last did: access tokens and identity tokens say it as `amr` and
/// `acr`. The numbers are stored; one that a newer server wrote is kept and says nothing here.
package struct AuthenticationMethods: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The key that an app keeps on a device. It shows that the device is there.
    package static let deviceKey = Self(rawValue: 1 << 0)
    package static let password = Self(rawValue: 1 << 1)
    /// A one-time code that was sent to an address.
    package static let code = Self(rawValue: 1 << 2)
    package static let transferCode = Self(rawValue: 1 << 3)
    /// An identity provider, which keeps to itself how.
    package static let provider = Self(rawValue: 1 << 4)
    package static let passkey = Self(rawValue: 1 << 5)
    /// The passkey asked for a PIN, a finger or a face beside a touch.
    package static let userVerification = Self(rawValue: 1 << 6)
    /// A one-time password of an authenticator app (RFC 6238).
    package static let timeBasedCode = Self(rawValue: 1 << 7)
    package static let recoveryCode = Self(rawValue: 1 << 8)
    /// The device's key, where the application counts it as a second factor.
    package static let rememberedDevice = Self(rawValue: 1 << 9)

    /// What counts beside a first factor.
    package static let secondFactors: Self = [.timeBasedCode, .recoveryCode, .rememberedDevice]
    private static let firstFactors: Self = [.password, .code, .provider, .passkey]

    /// Whether two factors were shown. A passkey that verified its user is two by itself: what somebody has, and what
    /// they know or are.
    package var areTwoFactors: Bool {
        isVerifiedPasskey || !isDisjoint(with: Self.firstFactors) && !isDisjoint(with: Self.secondFactors)
            || isSuperset(of: [.password, .passkey])
    }

    private var isVerifiedPasskey: Bool { isSuperset(of: [.passkey, .userVerification]) }

    /// The values of RFC 8176 §2, each once. It has none for identity providers.
    package var amr: [String] {
        let words: [(Self, String)] = [
            ([.deviceKey, .passkey, .rememberedDevice], "pop"), (.passkey, "user"), (.password, "pwd"),
            ([.code, .transferCode, .timeBasedCode, .recoveryCode], "otp"),
        ]
        return words.filter { !isDisjoint(with: $0.0) }.map(\.1) + (areTwoFactors ? ["mfa"] : [])
    }

    /// How much they prove together. What a device does by itself proves nothing of its owner.
    package var assurance: Assurance {
        if isVerifiedPasskey || contains(.passkey) && areTwoFactors { return .phishingResistant }
        if areTwoFactors { return .twoFactors }
        return isDisjoint(with: Self.firstFactors.union(Self.secondFactors)) ? .device : .oneFactor
    }

    /// The values of `acr`, the least first.
    package enum Assurance: String, CaseIterable, Comparable, Sendable {
        /// Nobody was asked (OpenID Connect Core 1.0 §2).
        case device = "0"
        case oneFactor = "1"
        case twoFactors = "2"
        /// Two factors of which one tells no other site anything (OpenID Connect EAP ACR Values 1.0 §2).
        case phishingResistant = "phr"

        package static func < (one: Self, other: Self) -> Bool {
            (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
        }
    }
}

extension AuthenticationMethods {
    /// What somebody proves by identities of some providers, among which passkeys are.
    init(showing providers: Set<Identity.Provider>) {
        self = []
        for provider in providers where provider.registers { insert(provider == .passkey ? .passkey : .provider) }
    }
}

extension Session.LogInMethod {
    /// What a way of log-in proves by itself. Ways that do not say so here, as that of a provider, are kept with the session.
    package var methods: AuthenticationMethods {
        switch self {
        case .automatic: .deviceKey
        case .password, .signUp: .password
        case .code: .code
        case .transferCode: .transferCode
        case .passkey: .passkey
        default: []
        }
    }
}

extension Session {
    /// The owner proved again who they are. What they proved within the last ten minutes counts beside it.
    mutating func prove(by new: AuthenticationMethods, at now: Timestamp) {
        methods = isFresh(at: now) ? methods.union(new) : new
        authenticatedAt = now
    }
}
