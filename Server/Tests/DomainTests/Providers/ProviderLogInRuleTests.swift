import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

@Suite("Log-in with a provider")
struct ProviderLogInRuleTests {
    private let world: ProviderWorld
    private let application: Application

    init() async throws {
        world = try ProviderWorld()
        application = try await world.makeApplication()
    }

    @Test("makes a user once, and finds the same afterwards, by the name there alone")
    func first() async throws {
        let first = try await world.logIn(ProviderWorld.token("hana#1"), to: application)
        #expect(first.isNew && first.user.identities.map(\.provider) == [.google] && !first.user.isAnonymous)
        #expect(first.user.displayName == "Name of hana")
        #expect(first.session.methods == .provider && first.session.method.rawValue == "google")
        world.clock.advance(by: .seconds(1))
        let again = try await world.logIn(ProviderWorld.token("hana#2"), to: application)
        #expect(!again.isNew && again.user.id == first.user.id && again.session.id != first.session.id)
        // Of the same name elsewhere, and of another name here.
        let line = try await world.logIn(ProviderWorld.token("hana#3"), by: .line, to: application)
        let mika = try await world.logIn(ProviderWorld.token("mika#1"), to: application)
        #expect(Set([first.user.id, line.user.id, mika.user.id]).count == 3)
        let other = try await world.makeApplication("Other")
        #expect(try await world.logIn(ProviderWorld.token("hana#4"), to: other).isNew)
    }

    @Test("takes each token once, of a new person and of a known one")
    func replayed() async throws {
        for (name, isKnown) in [("hana", false), ("hana", true)] {
            let token = ProviderWorld.token("\(name)#\(isKnown)")
            #expect(try await world.logIn(token, to: application).isNew != isKnown)
            let replayed = await world.refusal { _ = try await world.logIn(token, to: application) }
            #expect(replayed == .providerTokenReplayed)
        }
    }

    @Test("answers a repeated attempt again, without a call for its code")
    func attempt() async throws {
        let credential = ProviderWorld.code("hana", token: "hana#1")
        let first = try await world.logIn(credential, to: application, attempt: "one")
        #expect(world.google.calls.redeemed == 1)
        let again = try await world.logIn(credential, to: application, attempt: "one")
        #expect(again.session.id == first.session.id && again.token != first.token)
        #expect(world.google.calls.redeemed == 1)
        let other = await world.refusal {
            _ = try await world.logIn(credential, to: application, attempt: "another")
        }
        #expect(other == .providerTokenReplayed && world.google.calls.redeemed == 1)
    }

    @Test("leaves nothing behind when the provider does not answer or refuses")
    func down() async throws {
        world.google.set(isDown: true)
        for credential in [ProviderWorld.token("hana#1"), ProviderWorld.code("hana")] {
            let error = await world.refusal { _ = try await world.logIn(credential, to: application) }
            #expect(error == .providerUnavailable)
        }
        world.google.set(isDown: false)
        let wrong = await world.refusal {
            _ = try await world.logIn(ProviderWorld.code("wrong", token: "hana#1"), to: application)
        }
        #expect(wrong == .providerRefused)
        // The token was not used up, and nobody was made.
        #expect(try await world.logIn(ProviderWorld.token("hana#1"), to: application).isNew)
    }

    @Test("needs a token or a code")
    func neither() async throws {
        let error = await world.refusal { _ = try await world.logIn(ProviderCredential(), to: application) }
        #expect(error == .providerTokenRefused(.malformed))
        #expect(world.google.calls == .init())
    }

    @Test(
        "is refused with a name or fields that there cannot be before anybody is asked, also of who is known already",
        arguments: [true, false])
    func form(isKnown: Bool) async throws {
        if isKnown { _ = try await world.logIn(ProviderWorld.token("hana#1"), to: application) }
        let calls = world.google.calls
        let deep = (0..<20).reduce(JSONValue.integer(1)) { value, _ in ["in": value] }
        for (profile, field) in [
            (UserRegistration.Profile(displayName: "a\nb"), "user.displayName"),
            (.init(locale: "no language"), "user.locale"), (.init(fields: ["deep": deep]), "user.fields.deep"),
        ] as [(UserRegistration.Profile, String)] {
            let request = LogInWithProvider.Request(
                application: application, provider: .google, credential: ProviderWorld.token("hana#2"),
                newUser: profile, client: try world.client())
            let error = await world.refusal { _ = try await world.modules.logIns.logInWithProvider(request) }
            #expect(error?.validationErrors?.map(\.field) == [field])
        }
        #expect(world.google.calls == calls)
    }

    @Test("is off for what the application, or the program, does not have")
    func off() async throws {
        try await world.modules.providers.removeProvider(.line, of: application.id, by: .local)
        for provider in [Identity.Provider.line, .apple, .init(rawValue: "oidc:none"), .init(rawValue: ""), .device] {
            let error = await world.refusal {
                _ = try await world.logIn(ProviderWorld.token("hana#1"), by: provider, to: application)
            }
            #expect(error == .providerNotEnabled, "\(provider.rawValue)")
        }
        #expect(world.line.calls == .init())
    }

    @Test("lets the device's key join, so that the next launch is automatic")
    func device() async throws {
        let device = TestDevice()
        let logIn = try await world.logIn(ProviderWorld.token("hana#1"), to: application, with: device)
        #expect(logIn.session.deviceKey == device.thumbprint)
        let automatic = try await world.modules.logIns.logInAutomatically(
            .init(
                application: application, proof: try device.presented(at: world.clock.now), attempt: nil,
                address: ProviderWorld.address))
        #expect(automatic.user.id == logIn.user.id)
    }

    @Test("refuses who may not come in before a code is spent")
    func keptOut() async throws {
        let user = try await world.logIn(ProviderWorld.token("hana#1"), to: application).user
        _ = try await world.modules.accounts.setUserDisabled(user.id, in: application, isDisabled: true, by: .local)
        let before = world.google.calls.redeemed
        let error = await world.refusal {
            _ = try await world.logIn(ProviderWorld.code("hana", token: "hana#2"), to: application)
        }
        #expect(error == .userDisabled && world.google.calls.redeemed == before)
    }

    @Test("keeps what a code brings for the end of the account, sealed")
    func grants() async throws {
        _ = try await world.logIn(ProviderWorld.code("hana"), to: application)
        let account = try await world.engine.read { transaction throws(DomainError) in
            try transaction.providerAccount(.google, subject: "hana", in: application.id)
        }
        let sealed = try #require(account?.sealedGrant)
        let opened = try SealingKey.ofTests().open(
            sealed, purpose: ProviderAccount.purpose(.google, in: application.id))
        #expect(String(decoding: opened, as: UTF8.self) == "grant of hana")
        #expect(account?.audience == "web")
    }

    @Test("by codes without a token is limited by address: each costs a call")
    func bareCodes() async throws {
        let world = try ProviderWorld(hasRateLimits: true)
        let application = try await world.makeApplication()
        // Known people, so that no first launch is counted.
        _ = try await world.logIn(ProviderWorld.token("hana#1"), to: application)
        for _ in 0..<LogInWithProvider.bareCodes.maximum {
            _ = try await world.logIn(ProviderWorld.code("hana"), to: application)
        }
        let error = await world.refusal { _ = try await world.logIn(ProviderWorld.code("hana"), to: application) }
        #expect(error == .rateLimited(retryAfter: .seconds(3600)))
        _ = try await world.logIn(ProviderWorld.code("hana", token: "hana#2"), to: application)
    }

    @Test("by codes without a token is limited by the /48 network of an IPv6 address too")
    func bareCodesOfSite() async throws {
        let world = try ProviderWorld(hasRateLimits: true)
        let application = try await world.makeApplication()
        _ = try await world.logIn(ProviderWorld.token("hana#1"), to: application)
        let (site, now) = (
            RateLimitKey(application: application.id, kind: "bare-code", subject: "2001:db8:1::/48"), world.clock.now
        )
        let maximum = 100 * LogInWithProvider.bareCodes.maximum
        try await world.engine.write { transaction throws(DomainError) in
            for _ in 1..<maximum { _ = try transaction.count(site, window: .seconds(3600), at: now) }
        }
        func refusal(_ network: String) async -> DomainError? {
            await world.refusal {
                var client = try world.client()
                client.address = ClientAddress(text: "\(network)::1", allowanceGroup: "\(network)::/64")
                _ = try await world.modules.logIns.logInWithProvider(
                    .init(
                        application: application, provider: .google, credential: ProviderWorld.code("hana"),
                        client: client))
            }
        }
        #expect(await refusal("2001:db8:1:1") == nil)
        #expect(await refusal("2001:db8:1:2") == .rateLimited(retryAfter: .seconds(3600)))
        #expect(await refusal("2001:db8:2:2") == nil)
    }
}

@Suite("A link to a provider")
struct ProviderLinkUseTests {
    private let world: ProviderWorld
    private let application: Application

    init() async throws {
        world = try ProviderWorld()
        application = try await world.makeApplication()
    }

    /// A guest, who is there as long as the device is.
    private func guest(in application: Application? = nil) async throws -> Authenticated {
        let application = application ?? self.application
        let logIn = try await world.modules.logIns.logInAutomatically(
            .init(
                application: application, proof: try TestDevice().presented(at: world.clock.now), attempt: nil,
                address: ProviderWorld.address))
        return try await world.authenticate(logIn.token, in: application)
    }

    private func link(
        _ credential: ProviderCredential, at provider: Identity.Provider = .google, name: String? = nil,
        by who: Authenticated
    ) async throws(DomainError) -> User {
        try await world.modules.accounts.linkProvider(
            provider, credential, displayName: name, by: who, isProven: true, from: .local)
    }

    @Test("leads to the user from then on, whose id stays, and fills in a name that is missing")
    func linked() async throws {
        let who = try await guest()
        let user = try await link(ProviderWorld.token("hana#1"), by: who)
        #expect(user.id == who.user.id && user.identities.contains { $0.provider == .google && $0.subject == "hana" })
        #expect(user.displayName == "Name of hana" && !user.isAnonymous)
        #expect(try await world.logIn(ProviderWorld.token("hana#2"), to: application).user.id == who.user.id)
        // A name that is there stays.
        let second = try await link(ProviderWorld.token("hana#line"), at: .line, name: "Another", by: who)
        #expect(second.displayName == "Name of hana")
    }

    @Test(
        "or a log-in leaves an entry of a mail address that comes with it, once: the address stays when the identity goes",
        arguments: [true, false])
    func address(comesWithLink: Bool) async throws {
        let who = try await guest()
        if comesWithLink { world.google.set(email: "hana@example.com") }
        _ = try await link(ProviderWorld.token("hana#1"), by: who)
        world.google.set(email: "hana@example.com")
        for number in 2...3 { _ = try await world.logIn(ProviderWorld.token("hana#\(number)"), to: application) }
        let user = try await world.modules.directory.readUser(who.user.id, in: application.id)
        #expect(user.email == "hana@example.com" && user.emailVerifiedAt == world.clock.now)
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .identifiersChanged))
        #expect(entries.map(\.details) == [["identifiers": "email"]])
        #expect(entries.map(\.actor) == [.user(user.id)] && entries.map(\.target) == [.user(user.id)])
    }

    @Test("comes again when its response got lost, and takes a second identity of the provider for none")
    func again() async throws {
        let who = try await guest()
        let token = ProviderWorld.token("hana#1")
        _ = try await link(token, by: who)
        let again = try await link(token, by: who)
        #expect(again.identities.count { $0.provider == .google } == 1)
        _ = try await link(ProviderWorld.token("hana#2"), by: who)
        let other = await world.refusal { _ = try await link(ProviderWorld.token("mika#1"), by: who) }
        #expect(other == .providerAlreadyLinked)
    }

    @Test(
        "of a user who is erased while the code is exchanged leaves no grant: it is nobody's, and ended",
        .timeLimit(.minutes(5)))
    func erasedMeanwhile() async throws {
        let (who, gate, revoke) = (try await guest(), Gate(), world.modules.providers.revokeGrants)
        world.google.set(gate: gate)
        try await withThrowingTaskGroup(of: DomainError?.self) { group in
            group.addTask {
                await world.refusal { _ = try await link(ProviderWorld.code("hana", token: "hana#1"), by: who) }
            }
            while gate.waiting == 0 { await Task.yield() }
            world.google.set(gate: nil)
            try await world.modules.deletion.eraseUser(who.user.id, in: application.id, by: .local)
            #expect(try await revoke() == .init())
            gate.open()
            for try await refusal in group { #expect(refusal == .userUnknown) }
        }
        #expect(try await revoke() == .init(revoked: 1))
        #expect(world.google.calls.revoked == 1)
    }

    @Test("to somebody else's identity is an offer to merge, and uses neither token nor code up")
    func taken() async throws {
        let hana = try await world.logIn(ProviderWorld.token("hana#1"), to: application).user
        let who = try await guest()
        let credential = ProviderWorld.code("hana", token: "hana#2")
        for _ in 0..<2 {
            let error = await world.refusal { _ = try await link(credential, by: who) }
            guard let offer = error?.mergeOffer else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(offer.cause == .identity(.google))
            let preview = try await world.modules.transfers.previewMerge(offer.ticket.revealed, by: who)
            #expect(preview.other.id == hana.id && preview.current.id == who.user.id)
        }
        #expect(world.google.calls.redeemed == 0)
        // The token can still log in.
        #expect(try await world.logIn(ProviderWorld.token("hana#2"), to: application).user.id == hana.id)
        // Once it has, it proves nothing more.
        let used = await world.refusal { _ = try await link(ProviderWorld.token("hana#2"), by: who) }
        #expect(used == .identityTaken)
    }

    @Test("to somebody who is kept out, or on the way out, is taken and offers nothing", arguments: [true, false])
    func unavailable(isDisabled: Bool) async throws {
        let hana = try await world.logIn(ProviderWorld.token("hana#1"), to: application).user
        if isDisabled {
            _ = try await world.modules.accounts.setUserDisabled(hana.id, in: application, isDisabled: true, by: .local)
        } else {
            _ = try await world.modules.deletion.deleteUser(hana.id, in: application, by: .local)
        }
        let who = try await guest()
        let error = await world.refusal { _ = try await link(ProviderWorld.token("hana#2"), by: who) }
        #expect(error == .identityTaken)
    }

    @Test("by a code that turns out to be another's offers a merge too, and keeps what the code brought for its owner")
    func codeOfAnother() async throws {
        let hana = try await world.logIn(ProviderWorld.token("hana#1"), to: application).user
        let who = try await guest()
        let error = await world.refusal { _ = try await link(ProviderWorld.code("hana"), by: who) }
        #expect(error?.mergeOffer?.cause == .identity(.google) && world.google.calls.redeemed == 1)
        let account = try await world.engine.read { transaction throws(DomainError) in
            try transaction.providerAccount(.google, subject: "hana", in: application.id)
        }
        #expect(account?.sealedGrant != nil)
        #expect(try await world.logIn(ProviderWorld.token("hana#2"), to: application).user.id == hana.id)
    }

    @Test("needs a recent log-in before a code is spent")
    func stale() async throws {
        let logIn = try await world.logIn(ProviderWorld.token("hana#1"), to: application)
        world.clock.advance(by: .seconds(600))
        let who = try await world.authenticate(logIn.token, in: application)
        let error = await world.refusal { _ = try await link(ProviderWorld.code("mika"), at: .line, by: who) }
        #expect(error == .reauthenticationRequired && world.line.calls == .init())
    }

    @Test("needs what the application asks of registered users before a code is spent")
    func incomplete() async throws {
        var settings = ApplicationSettings()
        settings.fieldRules = FieldRules([FieldRule(name: "team", kind: .string, isRequired: true)])
        let who = try await guest(in: try await world.makeApplication(settings: settings))
        let error = await world.refusal { _ = try await link(ProviderWorld.code("hana", token: "hana#1"), by: who) }
        #expect(error?.validationErrors?.map(\.rule) == [.required] && world.google.calls.redeemed == 0)
    }

    @Test("takes a name that people can read", arguments: ["a\nb", String(repeating: "x", count: 10_000)])
    func names(name: String) async throws {
        let who = try await guest()
        let error = await world.refusal { _ = try await link(ProviderWorld.code("hana"), name: name, by: who) }
        #expect(error?.validationErrors?.map(\.field) == ["user.displayName"] && world.google.calls == .init())
    }
}
