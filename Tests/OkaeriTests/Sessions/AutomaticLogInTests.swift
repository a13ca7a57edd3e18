import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Automatic log-in")
struct AutomaticLogInTests {
    let world = World()

    @Test("makes a user the first time")
    func firstVisit() async throws {
        let welcome = try await world.launch().logInAutomatically(
            user: NewUser(displayName: "花子", locale: "ja", fields: ["level": 1]))
        guard case .firstVisit(let user) = welcome else {
            Issue.record("not .firstVisit: \(welcome)")
            return
        }
        #expect(user.displayName == "花子")
        #expect(user.locale == "ja")
        #expect(user.fields == ["level": 1])
        #expect(user.isAnonymous)
        #expect(world.server.users.map(\.id) == [user.id])
    }

    @Test("greets a known user with the time of the log-in before")
    func returning() async throws {
        let first = try await world.launch().logInAutomatically().user
        let firstTime = world.clock.now
        world.clock.advance(by: .seconds(86_400))
        let second = try await world.launch().logInAutomatically()
        #expect(second == .returning(first.with(world.clock.now), lastLogIn: firstTime))
        #expect(world.server.users.count == 1)
    }

    @Test("sends of a device's description what servers take: how somebody names a phone keeps nobody out")
    func descriptions() async throws {
        let marks = "e" + String(repeating: "\u{301}", count: 31)
        let device = DeviceInfo(
            name: "\u{7}" + String(repeating: "花", count: 300), model: marks, system: "iOS\u{0} 19.1", appVersion: "\n")
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically(device: device)
        let request = try #require(world.server.requests(to: APIPath.logInAutomatically).last)
        let body = try JSONDecoder().decode(AutomaticLogInBody.self, from: #require(request.body))
        #expect(body.device == DeviceBody(name: String(repeating: "花", count: 200), system: "iOS 19.1"))
    }

    @Test("asks the server once for each call")
    func oncePerCall() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        try await client.logInAutomatically()
        #expect(world.server.requests(to: APIPath.logInAutomatically).count == 2)
        #expect(world.server.requests.count == 2)
    }
}

extension User {
    /// The user after one more log-in.
    func with(_ logIn: Date) -> User {
        var user = self
        user.previousLogInAt = user.lastLogInAt
        user.lastLogInAt = logIn
        return user
    }
}
