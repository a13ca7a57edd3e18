import Domain
import OkaeriWire
import Testing

extension AccountChangeStep {
    /// By a session of the native API, with an authenticator app, and by an admin for somebody who has lost it.
    static let secondFactors: [AccountChangeStep] = [
        AccountChangeStep(.secondFactorAdded, .native, "POST /v1/user/second-factors/totp") { world in
            let factors = try await SecondFactorWorld(on: world.server)
            let offer = try await factors.offer(to: world.owner)
            world.server.clock.advance(by: .seconds(1))
            return Asked(body: try factors.confirmation(offer), status: 201)
        },
        AccountChangeStep(.secondFactorRemoved, .native, "DELETE /v1/user/second-factors/{id}") { world in
            let added = try await SecondFactorWorld(on: world.server).enrol(world.owner)
            _ = try await world.mails()
            return Asked(path: APIPath.secondFactor(added.factor), status: 204)
        },
        AccountChangeStep(.recoveryCodesReplaced, .native, "POST /v1/user/second-factors/recovery-codes") { world in
            _ = try await SecondFactorWorld(on: world.server).enrol(world.owner)
            _ = try await world.mails()
            return Asked(status: 201)
        },
        AccountChangeStep(.recoveryCodeUsed, .native, "POST /v1/log-in/second-factor") { world in
            let factors = try await SecondFactorWorld(on: world.server)
            let added = try await factors.enrol(world.owner)
            let refused = try await world.server.logIn("hana", EvictionWorld.password)
            let ticket = try #require(try refused.read(Problem.self).secondFactor).ticket
            _ = try await world.mails()
            let code = try #require(added.recoveryCodes.first)
            return Asked(
                body: #"{"ticket": "\#(ticket)", "recoveryCode": "\#(code)"}"#,
                wrong: #"{"ticket": "\#(ticket)", "recoveryCode": "aaaaa-aaaaa"}"#, isOpen: true, endsSoon: true)
        },
        AccountChangeStep(
            .secondFactorsReset, .admin, "DELETE /v1/admin/applications/{application}/users/{user}/second-factors"
        ) { world in
            _ = try await SecondFactorWorld(on: world.server).enrol(world.owner)
            _ = try await world.mails()
            return Asked(path: "\(world.userPath)/second-factors", status: 204)
        },
        AccountChangeStep(
            .secondFactorsReset, .dashboard,
            "POST /dashboard/app/{application}/users/{user}/second-factors/remove"
        ) { world in
            _ = try await SecondFactorWorld(on: world.server).enrol(world.owner)
            _ = try await world.mails()
            return Asked(path: "\(world.userPage)/second-factors/remove", status: 303)
        },
    ]

    /// By a browser, with an authenticator app.
    static let secondFactorsOnPages: [AccountChangeStep] = [
        AccountChangeStep(.secondFactorAdded, .pages, "POST /a/{application}/account/factors/add") { world in
            let factors = try await SecondFactorWorld(on: world.server)
            let offer = try await factors.offer(to: world.owner)
            return Asked(fields: ["enrolment": offer.ticket, "totp": try factors.code(offer.secret)])
        },
        AccountChangeStep(.secondFactorRemoved, .pages, "POST /a/{application}/account/factors/remove") { world in
            let factors = try await SecondFactorWorld(on: world.server)
            let added = try await factors.enrol(world.owner)
            _ = try await world.mails()
            return Asked(status: 303) { caller in
                try await world.act("factors/remove", ["factor": added.factor], as: caller, factors, added.key)
            }
        },
        AccountChangeStep(.recoveryCodesReplaced, .pages, "POST /a/{application}/account/factors/codes") { world in
            let factors = try await SecondFactorWorld(on: world.server)
            let added = try await factors.enrol(world.owner)
            _ = try await world.mails()
            return Asked { caller in try await world.act("factors/codes", [:], as: caller, factors, added.key) }
        },
        AccountChangeStep(.recoveryCodeUsed, .pages, "POST /a/{application}/log-in/second-factor") { world in
            let factors = try await SecondFactorWorld(on: world.server)
            let added = try await factors.enrol(world.owner)
            let shown = try await SecondFactorBrowser(factors, password: EvictionWorld.password).logIn()
            let ticket = try #require(shown.value(of: "ticket"))
            _ = try await world.mails()
            return Asked(
                fields: ["ticket": ticket, "recoveryCode": try #require(added.recoveryCodes.first)],
                wrongFields: ["ticket": ticket, "recoveryCode": "aaaaa-aaaaa"], isOpen: true, endsSoon: true,
                status: 303)
        },
    ]
}

extension EvictionWorld {
    /// Sends a form of the account page, of the owner after a log-in with both factors.
    fileprivate func act(
        _ action: String, _ fields: [String: String], as caller: AccountChangeStep.Caller, _ factors: SecondFactorWorld,
        _ key: String
    ) async throws -> Answer {
        let pages = SecondFactorBrowser(factors, password: EvictionWorld.password)
        switch caller {
        case .nobody: break
        case .member: try await pages.browser.open(accountOf: try await member())
        default: try await pages.enter(key)
        }
        let shown = try await pages.browser.get(pages.browser.path(caller == .nobody ? "log-in" : "account"))
        if caller == .stale { server.clock.advance(by: .seconds(700)) }
        return try await pages.browser.post(
            pages.browser.path("account/\(action)"), fields, token: shown.token
        ).answer
    }
}
