import Domain
import HTTPTypes
import OkaeriServer
import Testing

/// Thousands of phones stand behind one address of a carrier, and old apps fail to log in before they sign up (issue 20).
@Suite("Limits of NCMB's apps")
struct RateLimitTests {
    private func device(_ number: Int) -> String { #"{"userName":"device-\#(number)","password":"device-\#(number)"}"# }

    private func firstLaunch(_ number: Int, at world: NCMBWorld) async throws {
        let refused = try await world.send("POST", "/2013-09-01/login", body: device(number))
        #expect(refused.code == "E401002", "launch \(number): \(refused.text)")
        let made = try await world.send("POST", "/2013-09-01/users", body: device(number))
        #expect(made.status == 201, "launch \(number): \(made.text)")
    }

    @Test("let 150 first launches through one address within an hour, and a member who comes back")
    func carrier() async throws {
        let world = try await NCMBWorld(server: [:])
        for number in 0..<150 { try await firstLaunch(number, at: world) }
        #expect(try await world.send("POST", "/2013-09-01/login", body: device(7)).status == 200)
    }

    @Test("do not count a log-in that fails for want of the name and is followed by its sign-up")
    func noGuess() async throws {
        let world = try await NCMBWorld(server: ["old-app-password-failures": "2"])
        for number in 0..<9 { try await firstLaunch(number, at: world) }
        #expect(try await world.send("POST", "/2013-09-01/login", body: device(3)).status == 200)
        for number in 0..<2 {
            let body = #"{"userName":"device-\#(number)","password":"a guess"}"#
            #expect(try await world.send("POST", "/2013-09-01/login", body: body).code == "E401002")
        }
        #expect(try await world.send("POST", "/2013-09-01/login", body: device(3)).code == "E429002")
    }

    private func register(_ name: String, at world: NCMBWorld) async throws -> Answer {
        try await world.send(
            "POST", "/2013-09-01/requestMailAddressUserEntry", body: #"{"mailAddress":"\#(name)@example.com"}"#)
    }

    @Test("let 300 mails an hour through one address, and five of a kind to one mail address")
    func mails() async throws {
        let world = try await NCMBWorld(server: ["dev": "on"])
        for number in 0..<5 { #expect(try await register("same", at: world).status == 201, "mail \(number)") }
        let same = try await register("SAME", at: world)
        #expect(same.code == "E429002" && same.headers[.retryAfter] == "3600", "\(same.text)")
        // What is refused counts for the address too.
        for number in 6..<300 {
            #expect(try await register("member-\(number)", at: world).status == 201, "mail \(number)")
        }
        #expect(try await register("more", at: world).code == "E429002")
        // Okaeri's own apps and pages are counted apart.
        let native = try await world.sendRaw(
            "POST", "/v1/password-reset/request",
            [("Okaeri-Application", world.application.id.rawValue), ("Content-Type", "application/json")],
            body: Array(#"{"email":"somebody@example.com"}"#.utf8))
        #expect(native.status < 300, "\(native.text)")
        world.clock.advance(by: .seconds(3601))
        #expect(try await register("more", at: world).status == 201)
    }

    @Test("count a registration by mail with an address that a member has, which the answer tells")
    func knownAddresses() async throws {
        let world = try await NCMBWorld(server: ["dev": "on", "old-app-mails": "3"])
        // The mail that confirms the address is one of the three.
        _ = try await world.signUp("taro", #","mailAddress":"taro@example.com""#)
        for _ in 0..<2 { #expect(try await register("taro", at: world).code == "E409001") }
        for name in ["taro", "nobody"] { #expect(try await register(name, at: world).code == "E429002") }
    }

    @Test("are the operator's: mails, tries of codes and credentials of providers")
    func settings() async throws {
        let world = try await NCMBWorld(server: [
            "dev": "on", "old-app-mails": "2", "old-app-code-tries": "3", "old-app-provider-credentials": "4",
        ])
        for number in 0..<2 { #expect(try await register("member-\(number)", at: world).status == 201) }
        let more = try await register("member-2", at: world)
        #expect(more.code == "E429002" && more.headers[.retryAfter] == "3600", "\(more.text)")
        let limits = try ServerSettings(
            environment: [
                "OKAERI_OLD_APP_CODE_TRIES": "3", "OKAERI_OLD_APP_PROVIDER_CREDENTIALS": "4",
                "OKAERI_OLD_APP_MAILS": "2",
            ]
        ).oldAppLimits
        #expect(limits.mails == .hourly(2) && limits.codeTries == .hourly(3))
        #expect(limits.providerCredentials == .hourly(4) && limits.firstLaunches == .hourly(3000))
        let off = try ServerSettings(environment: ["OKAERI_RATE_LIMITS": "off"]).oldAppLimits
        #expect(off.mails == nil && off.codeTries == nil && off.providerCredentials == nil)
    }

    @Test("are apart from those of apps on Okaeri's own protocol, and hold")
    func apart() async throws {
        let world = try await NCMBWorld(server: ["first-launches": "1", "old-app-first-launches": "3"])
        for number in 0..<3 { try await firstLaunch(number, at: world) }
        let more = try await world.send("POST", "/2013-09-01/users", body: device(4))
        #expect(more.status == 429 && more.headers[.retryAfter] == "3600", "\(more.text)")
        let native = try await world.sendRaw(
            "POST", "/v1/sign-up",
            [("Okaeri-Application", world.application.id.rawValue), ("Content-Type", "application/json")],
            body: Array(#"{"username":"hana","password":"four quiet words"}"#.utf8))
        #expect(native.status == 201, "\(native.text)")
    }
}
