import Domain
import FakeProviders
import HTTPTypes
import OkaeriWire
import Testing

extension AccountChangeStep {
    static let password = EvictionWorld.password
    private static let another = #""newPassword": "a quite new secret""#

    /// All changes, by every way that there is.
    static let all: [AccountChangeStep] = [
        native, shown, passkeys, passkeysOnPages, secondFactors, secondFactorsOnPages, byProvider, registrations, pages,
        openPages, admin, dashboard, bulk,
        commands, timed,
        ncmb, parse, kii, kiiByCode, envelope,
    ].flatMap { $0 }

    /// By a session of the native API.
    private static let native: [AccountChangeStep] = [
        AccountChangeStep(.upgraded, .native, "POST /v1/user/upgrade") { world in
            let guest = try await world.server.person()
            return Asked(
                body: #"{"username": "mika", "email": "mika@example.com", "password": "four quiet words"}"#,
                person: guest,
                user: guest.logIn.user.id)
        },
        AccountChangeStep(.identifiersChanged, .native, "PATCH /v1/user") { _ in
            Asked(body: #"{"username": "mikan"}"#)
        },
        AccountChangeStep(.addressChanged, .native, "PATCH /v1/user") { _ in
            Asked(body: #"{"email": "new@example.com"}"#)
        },
        AccountChangeStep(.passwordChanged, .native, "PUT /v1/user/password") { _ in
            Asked(
                body: #"{"currentPassword": "\#(password)", \#(another)}"#,
                wrong: #"{"currentPassword": "something else", \#(another)}"#)
        },
        AccountChangeStep(.passwordChanged, .native, "PUT /v1/user/password") { _ in Asked(body: "{\(another)}") },
        AccountChangeStep(.identityUnlinked, .native, "DELETE /v1/user/identities/{provider}") { world in
            try await world.give(.google, "hana")
            return Asked(path: APIPath.identity("google"))
        },
        AccountChangeStep(.deviceKeyRemoved, .native, "DELETE /v1/user/device-keys/{thumbprint}") { world in
            let out = try await world.thief().device
            return Asked(path: APIPath.deviceKey(out.thumbprint), status: 204, out: out)
        },
        AccountChangeStep(.otherDeviceKeysRemoved, .native, "DELETE /v1/user/device-keys") { _ in Asked() },
        AccountChangeStep(.otherSessionsEnded, .native, "DELETE /v1/user/sessions") { _ in Asked() },
        AccountChangeStep(.transferCodeIssued, .native, "POST /v1/user/transfer-code") { _ in Asked(status: 201) },
        AccountChangeStep(.transferCodeWithdrawn, .native, "DELETE /v1/user/transfer-code") { world in
            _ = try await world.owner.issueCode()
            return Asked(status: 204)
        },
        AccountChangeStep(.transferConfirmed, .native, "DELETE /v1/user/notices/{id}") { world in
            let guest = try await world.guestWithNotice()
            return Asked(
                path: APIPath.notice(guest.notice), person: guest.person, user: guest.person.logIn.user.id, status: 204)
        },
        AccountChangeStep(.transferUndone, .native, "POST /v1/user/transfer-code/undo") { world in
            let out = ProofMaker()
            _ = try await world.server.joined(try await world.owner.issueCode().code, on: out)
            let notice = try #require(try await world.owner.notices().first)
            return Asked(body: #"{"transfer": "\#(notice.id)"}"#, status: 204, out: out)
        },
        AccountChangeStep(.mergeUndone, .native, "POST /v1/user/merge/undo") { world in
            Asked(body: #"{"merge": "\#(try await world.merge())"}"#, status: 204)
        },
        AccountChangeStep(.deletionRequested, .native, "DELETE /v1/user") { _ in Asked(status: 202) },
    ]

    /// By what the request itself shows.
    private static let shown: [AccountChangeStep] = [
        AccountChangeStep(.emailVerified, .native, "POST /v1/email/verify") { world in
            let guest = try await world.unverified()
            let token = try await world.verification(of: "mika@example.com", by: guest)
            return Asked(
                body: #"{"token": "\#(token)"}"#, wrong: #"{"token": "wrong"}"#, user: guest.logIn.user.id,
                isOpen: true, status: 204)
        },
        AccountChangeStep(.emailReplaced, .native, "POST /v1/email/verify") { world in
            let token = try await world.verification(of: "new@example.com", by: world.owner)
            return Asked(
                body: #"{"token": "\#(token)"}"#, wrong: #"{"token": "wrong"}"#, isOpen: true, status: 204)
        },
        AccountChangeStep(.passwordReset, .native, "POST /v1/password-reset") { world in
            Asked(
                body: #"{"token": "\#(try await world.resetToken())", \#(another)}"#,
                wrong: #"{"token": "wrong", \#(another)}"#, isOpen: true, status: 204)
        },
        AccountChangeStep(.transferCodeRedeemed, .native, "POST /v1/log-in/transfer-code") { world in
            Asked(
                body: #"{"code": "\#(try await world.owner.issueCode().code)"}"#,
                wrong: #"{"code": "AAAA-AAAA-AAAA-AAAA"}"#, device: ProofMaker(), isOpen: true)
        },
        AccountChangeStep(.mergeOffered, .native, "POST /v1/user/upgrade") { world in
            Asked(
                body: #"{"username": "hana", "password": "\#(password)"}"#,
                wrong: #"{"username": "hana", "password": "something else"}"#, person: try await world.server.person(),
                endsSoon: true, status: 409)
        },
        resolution(.mergeKept, "keep"), resolution(.mergeSwitched, "switch"), resolution(.merged, "merge"),
        AccountChangeStep(.restored, .native, "POST /v1/log-in/password") { world in
            try #require(try await world.owner.send(.delete, APIPath.user).status == 202)
            return Asked(
                body: #"{"identifier": "hana", "password": "\#(password)"}"#, headers: [("Okaeri-Restore", "true")],
                wrong: #"{"identifier": "hana", "password": "something else"}"#, isOpen: true)
        },
    ]

    private static func resolution(_ row: AccountChange, _ choice: String) -> AccountChangeStep {
        AccountChangeStep(row, .native, "POST /v1/user/merge") { world in
            let guest = try await world.server.person()
            return Asked(
                body: #"{"ticket": "\#(try await world.mergeTicket(of: guest))", "choice": "\#(choice)"}"#,
                wrong: #"{"ticket": "wrong", "choice": "\#(choice)"}"#, person: guest, endsSoon: true)
        }
    }

    /// By what an identity provider says.
    private static let byProvider: [AccountChangeStep] = [
        AccountChangeStep(.identityLinked, .native, "POST /v1/user/identities/{provider}") { _ in
            Asked(path: APIPath.identity("facebook"), body: #"{"accessToken": "hana"}"#)
        },
        notification(.consentRevoked, "consent-revoked"), notification(.providerAccountDeleted, "account-delete"),
    ]

    private static func notification(_ row: AccountChange, _ kind: String) -> AccountChangeStep {
        AccountChangeStep(row, .native, "POST /v1/providers/apple/notifications") { world in
            let person = AppleWorld.hana
            let linked = try await world.apple.link(world.owner, try world.apple.credential())
            try #require(linked.status == 200, "\(linked.text)")
            let payload = try world.apple.apple.notification(
                kind, about: person, audience: AppleWorld.bundle, id: "n")
            return Asked(
                body: #"{"payload": "\#(payload)"}"#, wrong: #"{"payload": "\#(payload.dropLast(8))AAAAAAAA"}"#,
                isOpen: true, actor: .provider(.apple))
        }
    }

    /// Somebody new, and somebody who comes from an old app.
    private static let registrations: [AccountChangeStep] = [
        AccountChangeStep(.signedUp, .native, "POST /v1/sign-up") { _ in
            Asked(
                body: #"{"username": "mina", "password": "four quiet words"}"#,
                wrong: #"{"username": "hana", "password": "four quiet words"}"#, makesUser: true, isOpen: true,
                status: 201)
        },
        AccountChangeStep(.signedUp, .native, "POST /v1/log-in/{provider}") { _ in
            Asked(
                path: APIPath.logIn(with: "facebook"), body: #"{"accessToken": "mina"}"#,
                wrong: #"{"accessToken": "wrong"}"#, makesUser: true, isOpen: true, status: 201)
        },
        AccountChangeStep(.weakPasswordRetired, .native, "POST /v1/log-in/password") { world in
            let user = try await world.weakUser()
            return Asked(
                body: #"{"identifier": "mina_0001", "password": "mina_0001"}"#,
                wrong: #"{"identifier": "mina_0001", "password": "something else"}"#, device: ProofMaker(),
                user: user.id, isOpen: true, actor: .server)
        },
        AccountChangeStep(.weakPasswordRetired, .native, "POST /v1/log-in/adopt") { world in
            let user = try await world.weakUser()
            return Asked(
                body: #"{"protocol": "ncmb", "token": "\#(user.token)"}"#,
                wrong: #"{"protocol": "ncmb", "token": "wrong"}"#, device: ProofMaker(), user: user.id, isOpen: true,
                actor: .server)
        },
    ]
}

extension EvictionWorld {
    /// Somebody whose old app used one text as name and password, in an application that wants that to end.
    fileprivate func weakUser() async throws -> (id: String, token: String) {
        try await decide("ncmb") { $0.retiresWeakPasswords = true }
        let made = try await ncmb(
            .post, "/2013-09-01/users", #"{"userName":"mina_0001","password":"mina_0001"}"#)
        return (
            try #require(try made.json["objectId"]?.text, "\(made.text)"),
            try #require(try made.json["sessionToken"]?.text)
        )
    }
}
