import Domain
import Hummingbird
import PageSupport

/// The way of admins to their OpenID Connect provider and back.
enum SignOnPages {
    static let logIn = "\(Dashboard.root)/log-in/sign-on"
    private static let logInPage = DashboardRoute.Page("/log-in", .logIn)
    private static let setUpPage = DashboardRoute.Page("/set-up", .openSetUpLink)

    static let routes: [DashboardRoute] = [
        // Leaving changes nothing, and so needs no form.
        DashboardRoute(logInPage, get: "sign-on", .logIn) { request in
            try await leave(request) { browser async throws(DomainError) in
                try await request.rules.logIns.signOn.start(for: browser)
            }
        },
        DashboardRoute(
            logInPage, get: "sign-on/callback", .logIn,
            also: [.setUpAdmin, .linkOwnSignOn, .reauthenticate], comeBack),
        DashboardRoute(OwnSignOnPage.page, get: "prove", .reauthenticate) { request in
            let back = request.page.query.text("back")
            let continuation = isOwn(back) ? back : Dashboard.root
            let access = try request.caller()
            return try await leave(request) { browser async throws(DomainError) in
                try await request.rules.logIns.signOn.startReauthentication(
                    of: access, for: browser, continuation: continuation)
            }
        },
        DashboardRoute(setUpPage, post: "sign-on", .setUpAdmin) { request in
            let form = try await request.form()
            do {
                let address = try await request.rules.admins.ownSignOn.startSetUp(
                    Secret(form.text("token")), for: request.signOnBrowser)
                return try request.leavePage(to: address)
            } catch let error as DomainError where fault(error) != nil {
                return try await LogInPage().draw(request, name: "", refused: error)
            }
        },
    ]

    /// Whether a path is one of the dashboard's pages. Browsers leave it by segments of dots.
    private static func isOwn(_ path: String) -> Bool {
        let isInside = path == Dashboard.root || path.hasPrefix("\(Dashboard.root)/") && !path.contains("//")
        return isInside && !path.before("?").pieces(at: "/").contains(where: \.isDotSegment)
    }

    private static func leave(
        _ request: DashboardRequest, _ start: (AdminSignOn.Browser) async throws(DomainError) -> Secret
    ) async throws -> Response {
        let address: Secret
        do throws(DomainError) {
            address = try await start(request.signOnBrowser)
        } catch {
            return try await LogInPage().draw(request, name: "", refused: error)
        }
        return PageResponse.leave(to: address.revealed, request.page)
    }

    /// The provider sent the person back.
    @Sendable private static func comeBack(_ request: DashboardRequest) async throws -> Response {
        let (query, signOn) = (request.page.query, request.rules.logIns.signOn)
        do {
            guard
                let returned = signOn.returned(
                    state: query.text("state"), code: query["error"] == nil ? query["code"] : nil,
                    to: request.signOnBrowser)
            else { throw DomainError.providerRefused }
            switch returned.purpose {
            case .logIn: return entered(try await signOn.logIn(returned), request)
            case .setUp: return entered(try await request.rules.admins.ownSignOn.setUp(returned), request)
            case .link: return try await link(returned, request)
            case .reauthenticate: return try await reauthenticate(returned, request)
            }
        } catch let error as DomainError where fault(error) != nil {
            return try await LogInPage().draw(request, name: "", refused: error)
        }
    }

    /// Another cookie than before, so that a planted one is worth nothing (requirement 16).
    private static func entered(_ done: LogInAdmin.Done, _ request: DashboardRequest) -> Response {
        var response = request.redirect(to: Dashboard.root)
        response.keepCookie(done.token.revealed, for: request.page, maximumSeconds: SignInPages.cookieSeconds)
        return response
    }

    private static func link(
        _ returned: AdminSignOn.Returned, _ request: DashboardRequest
    ) async throws -> Response {
        var request = request
        try await request.authenticate()
        let asked = request
        let result: String
        do {
            // Asked before the way to the provider, and again now.
            try await asked.perform(.linkOwnSignOn) { _ in
                try await asked.rules.admins.ownSignOn.link(returned, to: try asked.caller())
            }
            result = "done=linked"
        } catch let error as DomainError {
            switch error.code {
            case .reauthenticationRequired: result = "fault=again"
            case .identityTaken: result = "fault=taken"
            case .providerAlreadyLinked: result = "fault=already"
            default: throw error
            }
        }
        return request.redirect(to: "\(OwnSignOnPage.path)?\(result)")
    }

    private static func reauthenticate(
        _ returned: AdminSignOn.Returned, _ request: DashboardRequest
    ) async throws -> Response {
        var request = request
        try await request.authenticate()
        guard let token = request.page.cookie else { throw DomainError.administration(.adminRequired) }
        let done = try await request.rules.logIns.signOn.reauthenticate(
            returned, token: Secret(token), by: try request.caller())
        var response = request.redirect(to: returned.continuation ?? Dashboard.root)
        response.keepCookie(done.token.revealed, for: request.page, maximumSeconds: SignInPages.cookieSeconds)
        return response
    }

    /// What a person reads when the way to the provider or back came to nothing; `nil` for what is none of its faults.
    static func fault(_ error: DomainError) -> PageWords? {
        switch error.code {
        // One text for all who may not come in.
        case .credentialRefused, .identityTaken: PageWords(.forbidden, "signOnRefused")
        case .providerRefused, .providerTokenRefused, .providerTokenReplayed:
            PageWords(.unprocessableContent, "signOnFailed")
        case .providerUnavailable, .providerMisconfigured: PageWords(.serviceUnavailable, "signOnDown")
        case .providerNotEnabled: PageWords(.notFound, "signOnOff")
        case .adminLinkRefused, .lastOwner, .rateLimited: PageWords(error)
        default: nil
        }
    }
}

extension DashboardRequest {
    /// The browser of this request, and where the provider sends it back to.
    var signOnBrowser: AdminSignOn.Browser {
        AdminSignOn.Browser(
            cookie: page.cookie ?? page.newCookie ?? "",
            redirectURI: "\(dashboard.publicURL)\(SignOnPages.logIn)/callback",
            client: page.client, origin: page.origin)
    }

    /// A page with a link to the provider: a form may not lead away from here (CSP `form-action`), a link may.
    func leavePage(to address: Secret) throws -> Response {
        try html(
            "leave", title: text("signOn.leave"),
            ["lead": text("signOn.leaveLead"), "departure": address.revealed, "button": text("signOn.leaveButton")])
    }
}

/// `/dashboard/sign-on`: whether the admin who looks comes in by the provider of admins.
enum OwnSignOnPage {
    static let path = "\(Dashboard.root)/sign-on"
    static let page = DashboardRoute.Page("/sign-on", .readOwnSignOn)
    private static let notices: Set<String> = ["linked", "unlinked"]
    private static let faults: Set<String> = ["again", "taken", "already"]

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { request in
            let fault = request.page.query.text("fault")
            return try await draw(request, fault: faults.contains(fault) ? fault : nil)
        },
        DashboardRoute(page, post: "", .linkOwnSignOn) { request in
            _ = try await request.form()
            do {
                return try request.leavePage(
                    to: try await request.rules.admins.ownSignOn.startLink(
                        of: try request.caller(), for: request.signOnBrowser))
            } catch let error as DomainError {
                guard let words = SignOnPages.fault(error) else { throw error }
                return try request.html(
                    "message", title: request.text("fault.title"), ["lead": request.text("fault.\(words.text)")],
                    status: words.status)
            }
        },
        DashboardRoute(page, post: "unlink", .unlinkOwnSignOn) { request in
            _ = try await request.form()
            do {
                try await request.rules.admins.ownSignOn.unlink(try request.caller(), from: request.page.origin)
                return request.redirect(to: "\(path)?done=unlinked")
            } catch let error as DomainError {
                guard case .lastWayIn = error.code else { throw error }
                return try await draw(request, fault: "lastWayIn")
            }
        },
    ]

    private static func draw(_ request: DashboardRequest, fault: String?) async throws -> Response {
        let identity = try await request.rules.admins.ownSignOn.identity(of: try request.caller())
        let isOffered = request.rules.logIns.signOn.isOffered
        var model: PageTemplates.Model = [
            "lead": request.text(isOffered ? "signOn.lead" : "signOn.notOffered"),
            "links": isOffered && identity == nil, "unlinks": identity != nil, "unlinkLink": "\(path)/unlink",
        ]
        if let identity {
            model["linked"] = request.text(
                "signOn.linked", ["issuer": identity.issuer, "subject": identity.subject])
        }
        if let fault { model["summary"] = request.summary([(nil, request.text("signOn.\(fault)"))]) }
        model["notice"] = request.notice(of: notices, in: "signOn.done")
        return try request.html(
            "sign-on", title: request.text("nav.signOn"), model,
            status: fault == nil ? .ok : .unprocessableContent)
    }
}
