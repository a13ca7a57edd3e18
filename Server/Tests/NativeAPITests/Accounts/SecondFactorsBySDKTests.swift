import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestWorld
import Testing

@Suite("Second factors by the SDK against the real routes")
struct SecondFactorsBySDKTests {
    private static let password = SecondFactorWorld.password

    private func owner(_ world: SecondFactorWorld) async throws -> (okaeri: OkaeriClient, key: String, codes: [String])
    {
        let okaeri = try SDKClient.make(world.server)
        try await okaeri.signUp(username: "hana", password: Self.password)
        let offer = try await okaeri.requestTOTP()
        #expect(offer.qrSVG.contains("<svg") && offer.link?.scheme == "otpauth")
        let added = try await okaeri.addTOTP(offer, code: try world.code(offer.secret), named: "Phone")
        return (okaeri, offer.secret, try #require(added.recoveryCodes).codes)
    }

    private func challenge(_ okaeri: OkaeriClient) async throws -> Okaeri.SecondFactorChallenge {
        let error = await #expect(throws: OkaeriError.self) {
            try await okaeri.logIn(identifier: "hana", password: Self.password)
        }
        return try #require(error?.secondFactorChallenge)
    }

    @Test("are added, used to log in on another device and to be there again, replaced and removed")
    func whole() async throws {
        let world = try await SecondFactorWorld()
        let (okaeri, key, codes) = try await owner(world)
        let tablet = try SDKClient.make(world.server)
        try await tablet.logInAutomatically()
        let challenge = try await challenge(tablet)
        #expect(challenge.factors == [.totp, .recoveryCode])
        await #expect(throws: OkaeriError.secondFactorRefused(.codeInvalid)) {
            try await tablet.logIn(secondFactor: .recoveryCode("abcde-fgh23"), for: challenge)
        }
        let welcome = try await tablet.logIn(secondFactor: .totp(try world.nextCode(key)), for: challenge)
        #expect(welcome.user.id == (await okaeri.currentUser?.id))
        #expect(try await tablet.reloadUser().identities.count { $0.provider == "device" } == 2)
        world.server.clock.advance(by: .seconds(700))
        try await tablet.reauthenticate(password: Self.password)
        await #expect(throws: OkaeriError.secondFactorNotRecent) { try await tablet.replaceRecoveryCodes() }
        try await tablet.reauthenticate(secondFactor: .recoveryCode(codes[0]))
        #expect(Set(try await tablet.replaceRecoveryCodes().codes).isDisjoint(with: codes))
        let list = try await tablet.secondFactors()
        #expect(list.factors.map(\.name) == ["Phone"] && list.recoveryCodesLeft == 10)
        try await tablet.removeSecondFactor(try #require(list.factors.first).id)
        #expect(try await tablet.secondFactors().factors.isEmpty)
    }

    @Test("let a device of another registered user have a key for this one")
    func otherUser() async throws {
        let world = try await SecondFactorWorld()
        let (okaeri, key, _) = try await owner(world)
        let tablet = try SDKClient.make(world.server)
        try await tablet.signUp(username: "kenji", password: Self.password)
        await tablet.logOut()
        let challenge = try await challenge(tablet)
        let welcome = try await tablet.logIn(secondFactor: .totp(try world.nextCode(key)), for: challenge)
        #expect(welcome.user.id == (await okaeri.currentUser?.id))
        #expect(welcome.user.identities.count { $0.provider == "device" } == 2)
        // The session is over by then, and the key opens another one.
        world.server.clock.advance(by: .days(61))
        #expect(try await tablet.reloadUser().id == welcome.user.id)
    }

    @Test("are added on the way in where the application requires one")
    func enrolment() async throws {
        let world = try await SecondFactorWorld()
        try await SDKClient.make(world.server).signUp(username: "hana", password: Self.password)
        try await world.change { $0.mode = .required }
        let tablet = try SDKClient.make(world.server)
        let challenge = try await challenge(tablet)
        #expect(challenge.factors.isEmpty)
        let offer = try await tablet.requestTOTP(for: challenge)
        let ended = try await tablet.logIn(confirming: offer, code: try world.code(offer.secret), for: challenge)
        #expect(ended.recoveryCodes?.codes.count == 10 && ended.welcome.user.username == "hana")
    }

    @Test("are asked of a device that only the key lets in, where devices do not count")
    func automatic() async throws {
        let world = try await SecondFactorWorld()
        let phone = try SDKClient.make(world.server)
        let id = try await phone.signUp(username: "hana", password: Self.password).id
        let tablet = try SDKClient.make(world.server)
        try await tablet.logIn(identifier: "hana", password: Self.password)
        let offer = try await phone.requestTOTP()
        try await phone.addTOTP(offer, code: try world.code(offer.secret))
        try await world.change { $0.deviceKeysCount = false }
        // The phone has shown the factor, the tablet has not.
        #expect(try await phone.logInAutomatically().user.id == id)
        let error = await #expect(throws: OkaeriError.self) { try await tablet.logInAutomatically() }
        let challenge = try #require(error?.secondFactorChallenge)
        #expect(await tablet.currentUser?.id == id)
        try await tablet.logIn(secondFactor: .totp(try world.nextCode(offer.secret)), for: challenge)
        #expect(try await tablet.logInAutomatically().user.id == id)
    }
}
