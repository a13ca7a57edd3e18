import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("How often a second factor is shown")
struct SecondFactorLimitTests {
    @Test("is sixty times an hour from one address, for all users together, and others have their own")
    func limited() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        let application = try await world.makeApplication(settings: settings)
        func enrolled(_ name: String) async throws -> Authenticated {
            let token = try await world.signUp(name, to: application).token
            let who = try await world.authenticate(token, in: application)
            let (enrol, author) = (
                world.modules.secondFactors.enrolTOTP, AccountAuthor.owner(who, isProven: false, from: .local)
            )
            let offer = try enrol.offer(for: who, by: author)
            let code = try TestAuthenticator.code(for: offer.key.revealed, at: world.clock.now)
            _ = try await enrol(.init(ticket: offer.ticket.revealed, code: code, name: nil), for: who, by: author)
            return try await world.authenticate(token, in: application)
        }
        let (hana, mika) = (try await enrolled("hana"), try await enrolled("mika"))
        func show(_ who: Authenticated, from address: ClientAddress = TestWorld.address) async -> DomainError? {
            await world.refusal {
                _ = try await world.modules.sessions.reauthenticate(
                    by: .totp("no code"), from: address, who, origin: .local)
            }
        }
        let full = DomainError.rateLimited(retryAfter: .seconds(3600))
        for number in 0..<60 {
            let refused = await show(number < 30 ? hana : mika)
            #expect(refused != nil && refused != full, "\(number)")
        }
        #expect(await show(hana) == full)
        #expect(await show(mika) == full)
        let elsewhere = ClientAddress(text: "192.0.2.8", allowanceGroup: "192.0.2.8")
        #expect(await show(hana, from: elsewhere) != full)
        world.clock.advance(by: .milliseconds(3_599_999))
        #expect(await show(hana) == .rateLimited(retryAfter: .milliseconds(1)))
        world.clock.advance(by: .milliseconds(1))
        #expect(await show(hana) == .credentialRefused)
    }
}

@Suite("Wrong second factors of somebody who knows the password")
struct SecondFactorStrangerTests {
    private let world: TestWorld
    private let application: Application
    private let key: String
    /// A device whose key leads to the user, and a session elsewhere.
    private let device = TestDevice()
    private let session: Secret

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        // Else the device is asked for no code.
        settings.secondFactors.deviceKeysCount = false
        application = try await world.makeApplication(settings: settings)
        _ = try await world.signUp("hana", to: application, with: device)
        // Nor is the one that the factor is added on.
        session = try await world.logIn("hana", to: application).token
        let who = try await world.authenticate(session, in: application)
        let (enrol, author) = (
            world.modules.secondFactors.enrolTOTP, AccountAuthor.owner(who, isProven: true, from: .local)
        )
        let offer = try enrol.offer(for: who, by: author)
        key = offer.key.revealed
        let code = try TestAuthenticator.code(for: key, at: world.clock.now)
        _ = try await enrol(.init(ticket: offer.ticket.revealed, code: code, name: nil), for: who, by: author)
        world.clock.advance(by: .seconds(60))
    }

    /// From a thousand on they are of the networks of one IPv6 site.
    private static func address(_ number: Int) -> ClientAddress {
        number < 1000
            ? ClientAddress(text: "192.0.2.\(number)", allowanceGroup: "192.0.2.\(number)")
            : ClientAddress(text: "2001:db8:1:\(number)::1", allowanceGroup: "2001:db8:1:\(number)::/64")
    }

    private func rightCode() throws -> String { try TestAuthenticator.code(for: key, at: world.clock.now) }

    private func ticket(on device: TestDevice?) async throws -> Secret {
        let error = await world.refusal { _ = try await world.logIn("hana", to: application, with: device) }
        guard case .secondFactor(let challenge)? = error?.detail else {
            throw TestWorldFault(description: "not asked for a second factor: \(String(describing: error))")
        }
        return challenge.ticket
    }

    /// Ends a log-in by the password.
    private func show(_ code: String, from number: Int, on device: TestDevice? = nil) async throws -> DomainError? {
        let ticket = try await ticket(on: device)
        return await world.refusal {
            _ = try await world.modules.secondFactors.logInWithSecondFactor(
                .init(
                    application: application, ticket: ticket.revealed, shown: .totp(code),
                    client: LogInClient(
                        .native, proof: try device?.presented(at: world.clock.now), from: Self.address(number),
                        origin: .local),
                    restoringFrom: nil))
        }
    }

    @Test("make nobody wait at another address, on a device of the user or in a session")
    func apart() async throws {
        for _ in 0..<LogInFailures.free { #expect(try await show("0", from: 1) == .secondFactorRefused) }
        let wait = DomainError.rateLimited(retryAfter: .seconds(1))
        #expect(try await show(try rightCode(), from: 1) == wait)
        #expect(try await show("0", from: 2) == .secondFactorRefused)
        // From the same address, as by the same network at home.
        let who = try await world.authenticate(session, in: application)
        _ = try await world.modules.sessions.reauthenticate(
            by: .totp(try rightCode()), from: Self.address(1), who, origin: .local)
        for _ in 0..<2 { #expect(try await show("0", from: 1) == wait) }
        world.clock.advance(by: .milliseconds(29_999))
        #expect(try await show("0", from: 1) == .secondFactorRefused)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await show(try rightCode(), from: 1, on: device) == nil)
    }

    @Test("are twenty from one address and a hundred in all, after which a day passes for all but the user's devices")
    func bounds() async throws {
        for number in 1...5 {
            for _ in 0..<SecondFactorCheck.failuresOfStranger {
                #expect(try await show("0", from: number) == .secondFactorRefused, "\(number)")
                world.clock.advance(by: LogInFailures.longestDelay)
            }
            let own = LogInFailures.memory - LogInFailures.longestDelay
            #expect(try await show("0", from: number) == .rateLimited(retryAfter: own))
        }
        let all = LogInFailures.memory - LogInFailures.longestDelay
        #expect(try await show(try rightCode(), from: 6) == .rateLimited(retryAfter: all))
        #expect(try await show(try rightCode(), from: 6, on: device) == nil)
        // What the owner shows does not give strangers a hundred more.
        #expect(try await show("0", from: 6) == .rateLimited(retryAfter: all))
        world.clock.advance(by: all)
        #expect(try await show("0", from: 6) == .secondFactorRefused)
    }

    @Test("from many networks of one IPv6 site are those of one client, and keep nobody else out")
    func site() async throws {
        for number in 0..<SecondFactorCheck.failuresOfStranger {
            #expect(try await show("0", from: 1000 + number) == .secondFactorRefused, "\(number)")
            world.clock.advance(by: LogInFailures.longestDelay)
        }
        let rest = LogInFailures.memory - LogInFailures.longestDelay
        #expect(try await show("0", from: 2000) == .rateLimited(retryAfter: rest))
        #expect(try await show(try rightCode(), from: 1) == nil)
    }

    @Test("on a device of the user make the next try there wait, as always")
    func ownDevice() async throws {
        for _ in 0..<LogInFailures.free {
            #expect(try await show("0", from: 1, on: device) == .secondFactorRefused)
        }
        #expect(try await show(try rightCode(), from: 2, on: device) == .rateLimited(retryAfter: .seconds(1)))
        #expect(try await show(try rightCode(), from: 2) == nil)
    }
}
