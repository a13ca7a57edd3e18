import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/provider/{provider}`: leads to a provider. It changes nothing, and so needs no form.
struct ShowProvider: HostedPage {
    func respond(to visit: HostedVisit) async throws -> Response {
        try await visit.leave(for: visit.namedProvider, isLink: false)
    }
}

/// `GET /a/{application}/provider/{provider}/callback`: the provider sent the person back.
struct ShowProviderCallback: HostedPage {
    func respond(to visit: HostedVisit) async throws -> Response {
        let provider = visit.namedProvider
        let query = visit.visit.query
        guard let cookie = visit.visit.cookie,
            let returned = visit.useCases.readProviderVisit(
                query.text("state"), cookie: cookie, in: visit.application.id),
            returned.provider == provider
        else { throw PageFault.forged }
        var visit = visit
        visit.restored = returned.continuation
        guard query["error"] == nil, let code = query["code"], !code.isEmpty else {
            // Most often the person pressed “cancel” there.
            return PageAnswer.redirect(to: visit.path(returned.isLink ? "account" : "log-in"), visit.visit)
        }
        let credential = ProviderCredential(
            nonce: returned.nonce,
            code: ProviderCredential.AuthorizationCode(
                code: Secret(code), verifier: returned.verifier, redirectURI: visit.callback(of: provider),
                audience: returned.audience))
        return returned.isLink
            ? try await link(provider, credential, visit) : try await logIn(provider, credential, visit)
    }

    private func logIn(
        _ provider: Identity.Provider, _ credential: ProviderCredential, _ visit: HostedVisit
    ) async throws -> Response {
        let logIn = try await visit.pages.metrics.logIn { () async throws(DomainError) in
            try await visit.useCases.logInWithProvider(
                LogInWithProvider.Request(
                    application: visit.application, provider: provider, credential: credential, joinsDevice: false,
                    device: visit.device,
                    newUser: .init(displayName: nil, locale: visit.visit.language.rawValue, fields: [:]),
                    address: visit.visit.client, origin: visit.visit.origin, protocolName: .pages))
        }
        return try await visit.enter(logIn)
    }

    private func link(
        _ provider: Identity.Provider, _ credential: ProviderCredential, _ visit: HostedVisit
    ) async throws -> Response {
        guard let who = try await visit.session() else {
            return PageAnswer.redirect(to: visit.path("log-in"), visit.visit)
        }
        do {
            try visit.useCases.requirePresence(who, isProven: false)
            _ = try await visit.useCases.linkProvider(
                provider, credential, displayName: nil, by: who, from: visit.visit.origin)
            return visit.done("identityLinked")
        } catch {
            if case .mergeOffered(let offer) = error { return try await visit.conflict(who, offer) }
            if case .reauthenticationRequired = error { return try visit.confirm(who) }
            return try await visit.account(
                who, AccountState(errors: visit.errors(of: error, visit.profileFields(of: who.user))))
        }
    }
}

/// Leads from the account page to a provider, whose identity shall lead to this account from then on.
struct LinkIdentity: AccountAction {
    func run(_ visit: HostedVisit, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        try await visit.leave(for: .init(rawValue: form.text("provider")), isLink: true)
    }
}

extension HostedVisit {
    /// Where a provider sends people back to: an address of its own, so that no provider can answer for another (RFC 9700
    /// §4.4.2.2).
    func callback(of provider: Identity.Provider) -> String? {
        issuer.map { "\($0)/provider/\(provider.rawValue)/callback" }
    }

    func leave(for provider: Identity.Provider, isLink: Bool) async throws -> Response {
        guard let redirectURI = callback(of: provider) else { throw DomainError.providerNotEnabled }
        let address = try await useCases.beginProviderVisit(
            BeginProviderVisit.Request(
                provider: provider, redirectURI: redirectURI, cookie: visit.cookie ?? visit.newCookie ?? "",
                continuation: continuation, isLink: isLink, hint: hint.contains("@") ? hint : nil),
            in: application.id)
        guard isLink else { return PageAnswer.leave(to: address.revealed, visit) }
        // A form may not lead away from here (CSP `form-action`), a link may.
        return try message(
            "leave",
            [
                "title": text("account.identityLink", ["name": ProviderName.shown(provider)]),
                "back": address.revealed, "backLabel": text("logIn.next"),
            ])
    }

    /// The providers that people can be sent to: those whose settings hold this server's address to come back to.
    func providers() async throws(DomainError) -> [Identity.Provider] {
        guard issuer != nil else { return [] }
        return try await useCases.findProvider.all(in: application.id)
            .filter { found in
                let settings = found.configured.settings
                return found.provider.takesBrowsers
                    && callback(of: settings.provider).map { settings.redirectURIs.contains($0) } == true
            }
            .map(\.configured.settings.provider)
    }

    /// The provider in the path.
    fileprivate var namedProvider: Identity.Provider {
        .init(rawValue: visit.context.parameters.get("provider") ?? "")
    }
}
