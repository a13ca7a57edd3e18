import Domain
import HTTPSupport
import Hummingbird
import NativeAPI
import OkaeriWire
import PageSupport

/// `POST /a/{application}/log-in/passkey`: logs in with a passkey.
struct SendPasskeyLogIn: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let form = try await request.browser.form()
        guard let credential = try PasskeyForm.credential(PasskeyAuthentication.self, in: form) else {
            _ = try request.modules.passkeys.requestPasskey(in: request.application)
            return try await request.logIn(LogInForm(errors: request.passkeyMissing))
        }
        let assertion = try PasskeyAssertion(credential)
        let isRestoring = form["restore"] != nil
        do {
            let logIn = try await request.pages.metrics.logIn { () async throws(DomainError) in
                try await request.modules.passkeys.logInWithPasskey(
                    LogInWithPasskey.Request(
                        application: request.application, assertion: assertion,
                        client: request.logInClient,
                        attempt: nil, restoringFrom: isRestoring ? request.browser.origin : nil))
            }
            return try await request.enter(logIn)
        } catch let error as DomainError {
            if let asked = try await request.secondFactor(error, isRestoring: isRestoring) { return asked }
            var page = LogInForm(errors: request.errorsAbove(of: error))
            page.offersRestore = error.erasedAt != nil
            var signals: PageTemplates.Model = [:]
            if error.code == .passkeyUnknown { signals = try await request.unknownSignal(assertion.id) }
            return try await request.logIn(page, signals)
        }
    }
}

/// By what the script makes a passkey. An authenticator makes none whose name would be refused afterwards.
struct OwnPasskeyOptions: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        try AddOwnPasskey.requireName(form.text("name").trimmingSpaces)
        let options = try await request.modules.passkeys.addPasskey.options(for: who, by: request.author(who))
        return try PageResponse.json(
            PasskeyCreationResponse(publicKey: PasskeyCreationOptions(options)), for: request.browser)
    }
}

/// Adds the passkey that the browser made. A guest is one no more.
struct AddOwnPasskey: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let named = form.text("name").trimmingSpaces
        do {
            guard let credential = try PasskeyForm.credential(PasskeyRegistration.self, in: form) else {
                // Says why there are no options, if that is the reason.
                try Self.requireName(named)
                _ = try await request.modules.passkeys.addPasskey.options(for: who, by: request.author(who))
                return try await request.account(who, AccountState(errors: request.passkeyMissing))
            }
            let browser = [request.device.name, request.device.system].compactMap { $0 }.joined(separator: " · ")
            let name = named.isEmpty ? browser : named
            _ = try await request.modules.passkeys.addPasskey(
                try AddPasskey.Registration(
                    NewPasskeyBody(name: name.isEmpty ? nil : name, credential: credential)),
                for: who, by: request.author(who))
        } catch let error as DomainError {
            return try await request.refused(who, error) {
                AccountState(errors: request.additionErrors(of: $0), passkeyName: named)
            }
        }
        guard who.user.isAnonymous else { return request.done("passkeyAdded") }
        let user = try await request.modules.directory.readUser(who.user.id, in: who.application.id)
        return try request.goOn(upgraded: user, of: who, doing: "passkeyAdded")
    }

    /// Empty for a name that the page makes.
    fileprivate static func requireName(_ name: String) throws(DomainError) {
        let faults = name.isEmpty ? [] : Passkey.faults(name: name)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
    }
}

/// Gives a passkey another name.
struct RenameOwnPasskey: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        do {
            _ = try await request.modules.passkeys.managePasskeys.rename(
                form.text("passkey"), of: who.user.id, in: who.application, to: form.text("name").trimmingSpaces,
                by: request.author(who))
            return request.done("saved")
        } catch {
            return try await request.refused(who, error) {
                AccountState(errors: request.errors(of: $0), renaming: form)
            }
        }
    }
}

/// Takes a passkey away.
struct RemoveOwnPasskey: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        try await request.modules.passkeys.managePasskeys.remove(
            form.text("passkey"), of: who.user.id, in: who.application, by: request.author(who))
        return request.done("passkeyRemoved")
    }
}

/// A guest shows a passkey of another account, and chooses between the two.
struct ShowOtherPasskey: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        guard let credential = try PasskeyForm.credential(PasskeyAuthentication.self, in: form) else {
            _ = try request.modules.passkeys.requestPasskey(in: request.application)
            return try await request.account(who, AccountState(errors: request.passkeyMissing))
        }
        let assertion = try PasskeyAssertion(credential)
        do {
            try await request.modules.passkeys.offerPasskeyMerge(
                assertion, by: who, request.author(who), from: request.browser.origin)
            // The passkey is the own one.
            return PageResponse.redirect(to: request.path("account"), request.browser)
        } catch {
            if let offer = error.mergeOffer { return try await request.conflict(who, offer) }
            var state = AccountState(errors: request.errorsAbove(of: error))
            if error.code == .passkeyUnknown { state.signals = try await request.unknownSignal(assertion.id) }
            return try await request.refused(who, error) { _ in state }
        }
    }
}
