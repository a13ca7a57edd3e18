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
    ]
}
