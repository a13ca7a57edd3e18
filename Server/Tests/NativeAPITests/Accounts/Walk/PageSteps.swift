import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// By a browser on the hosted pages.
extension AccountChangeStep {
    /// By a browser on the account page.
    static let pages: [AccountChangeStep] = [
        AccountChangeStep(.passwordChanged, .pages, "POST /a/{application}/account/password") { _ in
            Asked(
                fields: ["currentPassword": password, "newPassword": "a quite new secret"],
                wrongFields: ["currentPassword": "something else", "newPassword": "a quite new secret"], status: 303)
        },
        AccountChangeStep(.upgraded, .pages, "POST /a/{application}/account/upgrade") { world in
            let guest = try await world.server.person()
            return Asked(
                fields: ["username": "mika", "email": "mika@example.com", "password": "four quiet words"],
                person: guest,
                user: guest.logIn.user.id, status: 303)
        },
        AccountChangeStep(.deviceKeyRemoved, .pages, "POST /a/{application}/account/identity") { world in
            let out = try await world.thief().device
            return Asked(fields: ["key": out.thumbprint], status: 303, out: out)
        },
        AccountChangeStep(.otherSessionsEnded, .pages, "POST /a/{application}/account/sessions") { _ in
            Asked(status: 303)
        },
        AccountChangeStep(.transferCodeIssued, .pages, "POST /a/{application}/account/transfer") { _ in Asked() },
        AccountChangeStep(.transferCodeWithdrawn, .pages, "POST /a/{application}/account/withdraw") { world in
            _ = try await world.owner.issueCode()
            return Asked(status: 303)
        },
        AccountChangeStep(.transferConfirmed, .pages, "POST /a/{application}/account/notice") { world in
            let guest = try await world.guestWithNotice()
            return Asked(
                fields: ["mine": guest.notice], person: guest.person, user: guest.person.logIn.user.id, status: 303)
        },
        AccountChangeStep(.transferUndone, .pages, "POST /a/{application}/account/notice") { world in
            let out = ProofMaker()
            _ = try await world.server.joined(try await world.owner.issueCode().code, on: out)
            let notice = try #require(try await world.owner.notices().first)
            return Asked(fields: ["notMine": notice.id], status: 303, out: out)
        },
        AccountChangeStep(.deletionRequested, .pages, "POST /a/{application}/account/delete") { _ in
            Asked(fields: ["sure": "on"])
        },
        AccountChangeStep(.identityUnlinked, .pages, "POST /a/{application}/account/identity") { world in
            try await world.give(.google, "hana")
            return Asked(fields: ["provider": "google"], status: 303)
        },
        AccountChangeStep(.identityLinked, .pages, "GET /a/{application}/provider/{provider}/callback") { world in
            Asked(status: 303) { try await world.linkOnPages(as: $0) }
        },
        AccountChangeStep(.mergeOffered, .pages, "POST /a/{application}/account/upgrade") { world in
            Asked(
                fields: ["username": "hana", "password": password],
                wrongFields: ["username": "hana", "password": "something else"],
                person: try await world.server.person(), endsSoon: true, status: 409)
        },
        resolution(.mergeKept, onPages: "keep"), resolution(.mergeSwitched, onPages: "switch"),
        resolution(.merged, onPages: "merge"),
    ]

    private static func resolution(_ row: AccountChange, onPages choice: String) -> AccountChangeStep {
        AccountChangeStep(row, .pages, "POST /a/{application}/account/merge") { world in
            let guest = try await world.server.person()
            return Asked(
                fields: ["ticket": try await world.mergeTicket(of: guest), "choice": choice],
                wrongFields: ["ticket": "wrong", "choice": choice], person: guest, endsSoon: true, status: 303)
        }
    }

    /// By a browser without a session, with what its form shows.
    static let openPages: [AccountChangeStep] = [
        AccountChangeStep(.signedUp, .pages, "POST /a/{application}/sign-up") { _ in
            Asked(
                fields: ["username": "mina", "password": "four quiet words"],
                wrongFields: ["username": "hana", "password": "four quiet words"], makesUser: true, isOpen: true,
                status: 303)
        },
        AccountChangeStep(.created, .pages, "POST /a/{application}/register") { world in
            let ordered = try await world.ncmb(
                .post, "/2013-09-01/requestMailAddressUserEntry", #"{"mailAddress":"mina@example.com"}"#)
            try #require(ordered.status == 201, "\(ordered.text)")
            let token = try await world.mailedToken(to: "mina@example.com")
            return Asked(
                fields: ["token": token, "password": "four quiet words"],
                wrongFields: ["token": "wrong", "password": "four quiet words"], makesUser: true, isOpen: true,
                actor: .unknown)
        },
        AccountChangeStep(.emailVerified, .pages, "POST /a/{application}/verify") { world in
            let guest = try await world.unverified()
            let token = try await world.verification(of: "mika@example.com", by: guest)
            return Asked(
                fields: ["token": token], wrongFields: ["token": "wrong"], user: guest.logIn.user.id, isOpen: true)
        },
        AccountChangeStep(.emailReplaced, .pages, "POST /a/{application}/verify") { world in
            let token = try await world.verification(of: "new@example.com", by: world.owner)
            return Asked(fields: ["token": token], wrongFields: ["token": "wrong"], isOpen: true)
        },
        AccountChangeStep(.emailRecovered, .pages, "POST /a/{application}/recover") { world in
            Asked(
                fields: ["token": try await world.recoveryToken()], wrongFields: ["token": "wrong"], isOpen: true)
        },
        AccountChangeStep(.passwordReset, .pages, "POST /a/{application}/reset") { world in
            Asked(
                fields: ["token": try await world.resetToken(), "password": "a quite new secret"],
                wrongFields: ["token": "wrong", "password": "a quite new secret"], isOpen: true)
        },
        AccountChangeStep(.restored, .pages, "POST /a/{application}/log-in") { world in
            try #require(try await world.owner.send(.delete, APIPath.user).status == 202)
            let fields = ["identifier": "hana", "restore": "yes"]
            return Asked(
                fields: fields.merging(["password": password]) { $1 },
                wrongFields: fields.merging(["password": "something else"]) { $1 }, isOpen: true, status: 303)
        },
    ]
}

extension EvictionWorld {
    /// Goes from the account page to Facebook and back.
    fileprivate func linkOnPages(as caller: AccountChangeStep.Caller) async throws -> Answer {
        let browser = Browser(server)
        if caller != .nobody {
            try await browser.open(accountOf: caller == .member ? try await member() : owner)
        }
        let shown = try await browser.get(browser.path(caller == .nobody ? "log-in" : "account"))
        if caller == .stale { server.clock.advance(by: .seconds(700)) }
        let sent = try await browser.post(
            browser.path("account/link"), ["provider": "facebook"], token: shown.token)
        let link = sent.html.firstMatch(of: /class="button" href="([^"]+)"/)?.output.1.description ?? ""
        let asked = URLComponents(string: link.replacing("&amp;", with: "&"))?.queryItems ?? []
        guard let state = asked.first(where: { $0.name == "state" })?.value else { return sent.answer }
        return try await browser.get(
            browser.path("provider/facebook/callback") + "?code=hana&state=\(Browser.escaped(state))"
        ).answer
    }
}
