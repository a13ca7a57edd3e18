import TestWorld

@testable import Domain

/// Users, sessions and applications as values, for rules that need no store.
enum SecondFactorSamples {
    static let now = StandingClock().now
    static let application = Identifier<Application>(rawValue: "app")
    static let user = Identifier<User>(rawValue: "user")
    static let deviceKey = "the device's key"

    /// Who somebody is before a second factor is thought of.
    enum Standing: CaseIterable, Sendable {
        case guest, registered, enrolled
    }

    static func user(_ standing: Standing, identities: [Identity] = []) -> User {
        var user = User(
            id: user, application: application, identities: identities, createdAt: now - .days(9), updatedAt: now)
        if standing != .guest { user.username = "hana" }
        if standing == .enrolled { user.secondFactorAt = now - .days(3) }
        return user
    }

    static func application(_ rules: SecondFactorRules) -> Application {
        var settings = ApplicationSettings()
        settings.secondFactors = rules
        return Application(
            id: application, name: "Test", adminKeyDigest: SecretDigest(of: []), settings: settings, createdAt: now)
    }

    static func rules(
        _ mode: SecondFactorRules.Mode, _ change: (inout SecondFactorRules) -> Void = { _ in }
    ) -> SecondFactorRules {
        var rules = SecondFactorRules()
        rules.mode = mode
        change(&rules)
        return rules
    }

    /// A session of the user, by a protocol, with the times at which its owner showed to be there.
    static func session(
        _ protocolName: Session.ProtocolName, authenticatedAt: Timestamp?, secondFactorAt: Timestamp? = nil,
        deviceKey: String? = nil
    ) -> Session {
        var session = Session(
            id: Identifier(rawValue: "session"), application: application, user: user,
            client: .init(deviceKey: deviceKey, address: nil),
            protocolName: protocolName, method: .password,
            times: .init(
                createdAt: now - .days(1), lastUsedAt: now, expiresAt: now + .days(1),
                authenticatedAt: authenticatedAt))
        session.secondFactorAt = secondFactorAt
        return session
    }
}
