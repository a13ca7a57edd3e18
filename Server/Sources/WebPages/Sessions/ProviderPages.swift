import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire
import PageSupport

/// `GET /a/{application}/provider/{provider}`: leads to a provider. It changes nothing, and so needs no form.
struct ShowProvider: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        try await request.leave(for: request.namedProvider, byLink: !request.isByButton)
    }
}

/// `POST /a/{application}/provider/{provider}`: what the application asks of new users, and a provider cannot know. The
/// answers go to the provider and come back sealed, because nobody knows yet whose they are. So does the wish to bring an
/// account back that is about to be deleted: the provider's code was spent on finding out that it is.
struct SendProvider: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let sent = try await request.browser.form()
        if sent["restore"] != nil {
            return try await request.leave(for: request.namedProvider, byLink: true, isRestoring: true)
        }
        let form = request.newFields(sent)
        let answers = form.changes
        let faults =
            request.application.settings.fieldRules.faults(registeringWith: answers, by: .owner)
            + ProfileRules.faults(ofFields: answers)
        guard faults.isEmpty else {
            return try request.askFields(form, request.errors(of: .fieldsRefused(faults), form))
        }
        do {
            return try await request.leave(for: request.namedProvider, fields: answers, byLink: true)
        } catch let error as DomainError {
            guard case .fieldsRefused = error else { throw error }
            return try request.askFields(form, request.errors(of: error, form))
        }
    }
}

/// `GET /a/{application}/provider/{provider}/callback`: the provider sent the person back.
struct ShowProviderCallback: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let (provider, read) = (request.namedProvider, request.modules.providers.readAuthorizationState)
        let (state, kept, id) = (request.browser.query.text("state"), request.keptState, request.application.id)
        guard let cookie = request.browser.cookie else { throw PageFault.forged }
        var request = request
        guard let returned = read(state, kept: kept, cookie: cookie, in: id), returned.provider == provider else {
            // The app waits also for who was there for long: another way to log in leads to it.
            request.restored = read.continuation(ofLate: state, kept: kept, cookie: cookie, in: id)
            return try request.answer(to: PageFault.forged)
        }
        request.restored = returned.continuation
        do {
            return try await goOn(from: provider, returned, request)
        } catch {
            // The app waits also where something went wrong: another way to log in leads to it.
            return try request.answer(to: error)
        }
    }

    /// What providers say when the person goes back (RFC 6749 §4.1.2.1; Apple, LinkedIn).
    private static let cancellations: Set<String> = [
        "access_denied", "user_cancelled_authorize", "user_cancelled_login",
    ]
    /// What they say when they are the ones that cannot go on.
    private static let outages: Set<String> = ["server_error", "temporarily_unavailable"]

    /// - Throws: anything, for a page that leads on to the app that waits.
    private func goOn(
        from provider: Identity.Provider, _ returned: ReadAuthorizationState.Returned, _ request: HostedPageRequest
    ) async throws -> Response {
        let query = request.browser.query
        if let word = query["error"], !Self.cancellations.contains(word) {
            // Somebody who reads nothing of it presses the same button again.
            let fault: DomainError = Self.outages.contains(word) ? .providerUnavailable : .providerRefused
            guard returned.isLink, let who = try await request.session() else { throw fault }
            return try await refuse(who, fault, request)
        }
        guard query["error"] == nil, let code = query["code"], !code.isEmpty else {
            // The person pressed “cancel” there.
            return PageResponse.redirect(to: request.path(returned.isLink ? "account" : "log-in"), request.browser)
        }
        let credential = ProviderCredential(
            nonce: returned.nonce,
            code: ProviderCredential.AuthorizationCode(
                code: Secret(code), verifier: returned.verifier, redirectURI: request.callback(of: provider),
                audience: returned.audience, state: Secret(query.text("state"))))
        var response: Response
        if returned.isLink {
            response = try await link(provider, credential, returned, request)
        } else {
            do {
                response = try await logIn(provider, credential, returned, request)
            } catch let error as DomainError {
                if let asked = try await request.secondFactor(error, isRestoring: returned.isRestoring) {
                    response = asked
                } else if error.erasedAt != nil {
                    response = try request.offerRestore()
                } else {
                    guard case .fieldsRefused = error else { throw error }
                    // Somebody new, of whom the application wants to know more.
                    let form = request.newFields()
                    let errors = request.errors(of: error, form)
                    // That nothing was answered yet is no error.
                    let isFirst = returned.fields.isEmpty && errors.others.isEmpty
                    response = try request.askFields(form, isFirst ? nil : errors)
                }
            }
        }
        request.forgetState(&response)
        return response
    }

    private func logIn(
        _ provider: Identity.Provider, _ credential: ProviderCredential, _ returned: ReadAuthorizationState.Returned,
        _ request: HostedPageRequest
    ) async throws -> Response {
        var asked = LogInWithProvider.Request(
            application: request.application, provider: provider, credential: credential,
            newUser: .init(
                displayName: nil, locale: request.browser.language.rawValue,
                fields: returned.fields),
            client: request.logInClient,
            restoringFrom: returned.isRestoring ? request.browser.origin : nil)
        if request.waitingRequest?.demandsLogIn == true { asked.demandedAt = returned.startedAt }
        let way = asked
        let logIn = try await request.pages.metrics.logIn { () async throws(DomainError) in
            try await request.modules.logIns.logInWithProvider(way)
        }
        return try await request.enter(logIn)
    }

    private func link(
        _ provider: Identity.Provider, _ credential: ProviderCredential, _ returned: ReadAuthorizationState.Returned,
        _ request: HostedPageRequest
    ) async throws -> Response {
        guard let who = try await request.session() else {
            return PageResponse.redirect(to: request.path("log-in"), request.browser)
        }
        // Another user's way, or one of before a change that ended it.
        guard returned.mayLink(to: who.user) else { throw PageFault.forged }
        let linked: User
        do {
            linked = try await request.modules.accounts.linkProvider(
                provider, credential, displayName: nil, by: who, isProven: false, from: request.browser.origin)
        } catch {
            if let offer = error.mergeOffer { return try await request.conflict(who, offer) }
            return try await refuse(who, error, request)
        }
        guard who.user.isAnonymous else { return request.done("identityLinked") }
        return try request.goOn(upgraded: linked, of: who, doing: "identityLinked")
    }

    /// The account page with what went wrong.
    private func refuse(
        _ who: Authenticated, _ error: DomainError, _ request: HostedPageRequest
    ) async throws -> Response {
        try await request.refused(who, error) {
            AccountState(errors: request.errors(of: $0, request.profileFields(of: who.user)))
        }
    }
}

/// Leads from the account page to a provider, whose identity shall lead to this account from then on.
struct LinkIdentity: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        // Asked before the way to the provider, and again when the person is back.
        try request.author(who).requireProof(of: .identityLinked, at: request.modules.now)
        return try await request.leave(for: .init(rawValue: form.text("provider")), linking: who.user)
    }
}

extension HostedPageRequest {
    /// Where a provider sends people back to: an address of its own, so that no provider can answer for another (RFC 9700
    /// §4.4.2.2).
    func callback(of provider: Identity.Provider) -> String? {
        issuer.map { "\($0)/provider/\(provider.rawValue)/callback" }
    }

    /// - Parameters:
    ///   - provider: Where to.
    ///   - user: Whose account the provider shall be linked to; `nil` for a log-in.
    ///   - fields: What a new user answered.
    ///   - byLink: Whether the person goes by a link of a page, as they must after a form.
    ///   - isRestoring: Whether the log-in brings a user back that asked to be deleted.
    /// - Returns: the way there.
    /// - Throws: `DomainError`.
    func leave(
        for provider: Identity.Provider, linking user: User? = nil, fields: [String: JSONValue] = [:],
        byLink: Bool = false, isRestoring: Bool = false
    ) async throws -> Response {
        guard let redirectURI = callback(of: provider) else { throw DomainError.providerNotEnabled }
        var way = StartAuthorization.Request(
            provider: provider, redirectURI: redirectURI, cookie: browser.cookie ?? browser.newCookie ?? "",
            continuation: continuation, linking: user, hint: hint.contains("@") ? hint : nil,
            fields: fields, isRestoring: isRestoring)
        if user == nil, let asked = waitingRequest {
            // Who has a session there would be sent back without having shown anything.
            way.demandsFreshLogIn = asked.prompts.contains("login")
            way.maximumAgeSeconds = asked.maximumAgeSeconds
        }
        let departure = try await modules.providers.startAuthorization(way, in: application.id)
        var response: Response
        if user != nil || byLink {
            // A form may not lead away from here (CSP `form-action`), a link may.
            let title = user != nil ? "account.identityLink" : "logIn.with"
            response = try message(
                "leave",
                [
                    "title": text(title, ["name": ProviderBrand.of(provider).name]), "back": departure.address.revealed,
                    "backLabel": text("logIn.next"), "cancel": path(user != nil ? "account" : "log-in"),
                ])
        } else {
            response = PageResponse.leave(to: departure.address.revealed, browser)
        }
        if let kept = departure.kept { keepState(kept, &response) }
        return response
    }

    /// The names of the cookies with what is too long for a provider to bring back: no browser keeps all of it in one.
    /// All applications have the same ones, so that addresses of several make no request longer than the server reads.
    private var stateCookies: [String] {
        let name = BrowserCookies.name("state", isSecure: browser.isSecure)
        return [name, "\(name)-2"]
    }

    fileprivate var keptState: String? {
        let cookies = BrowserCookies(browser.request.headers)
        let parts = stateCookies.compactMap { cookies[$0] }
        return parts.isEmpty ? nil : parts.joined()
    }

    /// Cookies that the text does not fill are removed, where the browser has them from a way of before.
    private func keepState(_ text: String, _ response: inout Response) {
        let (cookies, names) = (BrowserCookies(browser.request.headers), stateCookies)
        var rest = text[...]
        for name in names {
            let part = rest.prefix(StartAuthorization.maximumKeptCharacters / names.count)
            rest = rest.dropFirst(part.count)
            guard !part.isEmpty || cookies[name] != nil else { continue }
            response.headers.append(
                BrowserCookies.header(
                    name, String(part), isSecure: browser.isSecure, maximumSeconds: part.isEmpty ? 0 : 600))
        }
    }

    fileprivate func forgetState(_ response: inout Response) { keepState("", &response) }

    /// Asks somebody new for what the application wants to know, on the way to a provider.
    fileprivate func askFields(_ form: FieldForm, _ errors: FormErrors?) throws -> Response {
        let provider = namedProvider
        return try FormPage(
            page: "provider-fields", fields: form.pageFields(self, errors),
            action: "provider/\(provider.rawValue)", errors: errors,
            lead: text("providerFields.lead", ["name": ProviderBrand.of(provider).name])
        ).response(self)
    }

    /// Offers to bring a user back that asked to be deleted, by the same provider once more.
    fileprivate func offerRestore() throws -> Response {
        try FormPage(
            page: "provider-restore", hidden: [("restore", "yes")], action: "provider/\(namedProvider.rawValue)"
        ).response(self)
    }

    /// Whether the person has pressed a button of these pages to get here, where that counts: for an app at an address that
    /// another app may have taken (RFC 8252 §8.6). A provider that knows the person sends them back without a question, and
    /// then nobody would have been asked before the app gets a code.
    fileprivate var isByButton: Bool {
        guard leadsToUncertainApp else { return true }
        return buttonParts.map { browser.isSealed($0, by: browser.query.text(Self.buttonParameter)) } ?? false
    }

    private static let buttonParameter = "button"

    /// Whether an app waits at an address that others than its own may answer.
    private var leadsToUncertainApp: Bool {
        waitingRequest.map { !$0.request.redirect.hasPrefix("https://") } ?? false
    }

    /// What shows that a button was on a page of this browser's: no app and no other site knows its cookie.
    private var buttonParts: [String]? {
        (browser.cookie ?? browser.newCookie).map { ["button of a provider", application.id.rawValue, $0] }
    }

    /// Where a button of a provider leads.
    private func buttonPath(_ provider: Identity.Provider) -> String {
        let path = path("provider/\(provider.rawValue)")
        guard leadsToUncertainApp, let buttonParts else { return path }
        // What waits is a parameter already.
        return "\(path)&\(FormValues.query([(Self.buttonParameter, browser.seal(buttonParts))]))"
    }

    /// The providers that people can be sent to: those whose settings hold this server's address to come back to.
    func providers() async throws(DomainError) -> [Identity.Provider] {
        guard issuer != nil else { return [] }
        return try await modules.providers.findProvider.all(in: application.id)
            .filter { found in
                let settings = found.configured.settings
                return found.provider.takesBrowsers
                    && callback(of: settings.provider).map { settings.redirectURIs.contains($0) } == true
            }
            .map(\.configured.settings.provider)
    }

    /// What the partial `providers` asks for.
    func buttons(for providers: [Identity.Provider]) -> PageTemplates.Model {
        [
            "hasProviders": !providers.isEmpty,
            "providers": providers.map { provider -> PageTemplates.Model in
                let brand = ProviderBrand.of(provider)
                return [
                    "label": text("logIn.with", ["name": brand.name]), "mark": PageMarkup(brand.mark ?? ""),
                    "style": brand.style.map { "provider-\($0)" } ?? "button-outline",
                    "link": buttonPath(provider),
                ]
            },
        ]
    }

    /// The provider in the path.
    fileprivate var namedProvider: Identity.Provider {
        .init(rawValue: browser.context.parameters.get("provider") ?? "")
    }
}
