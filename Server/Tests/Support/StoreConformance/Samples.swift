import Domain
import TestWorld

/// Rows to put into an engine.
struct Samples {
    let randomness = CountingRandomness()
    let now = StandingClock().now
    let application = Identifier<Application>(rawValue: "application-one")
    let otherApplication = Identifier<Application>(rawValue: "application-two")

    func user(_ name: String? = nil, in application: Identifier<Application>? = nil, after offset: Int64 = 0) -> User {
        let made = now + .milliseconds(offset)
        return User(
            id: randomness.newIdentifier(at: made), application: application ?? self.application, displayName: name,
            createdAt: made, updatedAt: made)
    }

    func token(_ number: UInt8) -> SecretDigest { SecretDigest(of: [number]) }

    func session(
        of user: User, deviceKey: String? = nil, after offset: Duration = .zero, life: Duration = .days(400)
    ) -> Session {
        let made = now + offset
        return Session(
            id: randomness.newIdentifier(at: made), application: user.application, user: user.id,
            client: .init(
                deviceKey: deviceKey,
                device: DeviceDescription(name: "花のiPhone", model: "iPhone17,1", system: "iOS 19.1", appVersion: "2.4"),
                address: "2001:db8::7"), protocolName: .native, method: .automatic,
            times: .init(
                createdAt: made, lastUsedAt: made, expiresAt: made + life))
    }

    func proof(_ number: UInt8, endsAfter span: Duration = .seconds(61)) -> DeviceProof {
        DeviceProof(
            thumbprint: "t", replayDigest: SecretDigest(of: [number]), issuedAt: now + span - .seconds(61),
            checkedAt: now)
    }
}
