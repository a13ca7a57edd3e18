package import Foundation
package import Okaeri

/// What all screens with a form share: who is asked when, which reports come too late, and what becomes of failures.
package protocol FormScreen: ScreenModel {
    var form: ScreenForm { get set }
    /// What to ask the server for with what stands in the form.
    func request(at instant: Date) -> ScreenRequest?
    /// What a response comes to as news for the app; `nil` when there is nothing to tell.
    func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome?
    /// The response has arrived while the screen is there.
    mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date) -> [ScreenEffect]
    /// A failure that the screen handles in its own way.
    ///
    /// - Returns: `nil` for all others.
    mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date) -> [ScreenEffect]?
    /// A second has passed.
    ///
    /// - Returns: Whether another one is waited for.
    mutating func tick(at instant: Date) -> Bool
    /// What stands over the text of a failure.
    var failureTitle: ScreenMessage? { get }
    /// The screen is gone: what nobody shall find there is forgotten.
    mutating func forgetSecrets()
}

extension FormScreen {
    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        nil
    }
    package mutating func tick(at instant: Date) -> Bool { form.tick(at: instant) }
    package var failureTitle: ScreenMessage? { nil }
    package mutating func forgetSecrets() {}

    /// Takes an event of the form.
    package mutating func handleForm(_ event: FormEvent) -> [ScreenEffect] {
        let step = form.handle(event)
        if case .disappeared = event { forgetSecrets() }
        return switch step {
        case .nothing: []
        case .submitted: form.ask(from: screen)
        case .dismissed: [.cancel, .close]
        case .again(let request): form.run(request)
        case .missed(let effects): effects
        }
    }

    /// Takes a report.
    package mutating func takeForm(_ report: ScreenReport) -> [ScreenEffect] {
        switch report.kind {
        case .verdict(let verdict, let number):
            guard form.take(verdict, number), let request = request(at: report.instant) else { return [] }
            return form.run(request)
        case .response(let result, let number):
            return conclude(result, number, at: report.instant)
        case .failureReported(let isHandled, let number):
            if isHandled, number == form.attempt { form.banner = nil }
            return []
        // Only the log-in screen offers passkeys.
        case .passkeyChosen: return []
        // Only the screen that gives a code looks for devices that have joined by it.
        case .transfersKnown: return []
        case .woke:
            return tick(at: report.instant) ? [.wake] : []
        }
    }

    private mutating func conclude(
        _ result: Result<ScreenResponse, OkaeriError>, _ number: Int, at instant: Date
    ) -> [ScreenEffect] {
        guard let request = form.latest else { return [] }
        switch form.conclude(number) {
        case .tooLate: return []
        case .abandoned:
            // What has happened has happened: the app learns it. The screen that is gone leads nowhere until it is back.
            guard case .success(let response) = result else { return [] }
            let effects = arrive(response, to: request, at: instant)
            form.missed = effects.filter(\.leadsElsewhere)
            forgetSecrets()
            return news(of: response, to: request) + effects.filter { !$0.leadsElsewhere }
        case .inTime: break
        }
        switch result {
        case .success(let response):
            return news(of: response, to: request) + arrive(response, to: request, at: instant)
        case .failure(.cancelled):
            // A sheet that the person closed is no failure.
            return []
        case .failure(let error):
            if let own = recover(from: error, to: request, at: instant) { return own }
            return fail(error, request, at: instant)
        }
    }

    private func news(of response: ScreenResponse, to request: ScreenRequest) -> [ScreenEffect] {
        outcome(of: response, to: request).map { [.succeed($0)] } ?? []
    }

    private mutating func fail(_ error: OkaeriError, _ request: ScreenRequest, at instant: Date) -> [ScreenEffect] {
        if case .reauthenticationRequired = error, screen != .reauthentication {
            form.awaitingPresence = request
            return [.show(.reauthentication(for: screen))]
        }
        if case .secondFactorNotRecent = error, screen != .secondFactor {
            form.awaitingPresence = request
            return [.show(.secondFactorPresence(for: screen))]
        }
        if let challenge = error.secondFactorChallenge, let method = request.logInMethod {
            if case .secondFactorRequired = error { return [.show(.secondFactor(challenge, by: method))] }
            return [.show(.secondFactorEnrolment(.logIn(challenge, by: method)))]
        }
        form.show(error, title: failureTitle)
        if case .userDeleted = error {
            form.banner = ScreenBanner(.failure, .error(error), offersRestoring: request.restored != nil)
        }
        let pauses = form.wait(after: error, at: instant)
        return [ScreenEffect(.fail(error, attempt: form.attempt))] + (pauses ? [.wake] : [])
    }

    /// The same log-in again, and this time a deleted account comes back.
    package mutating func restore() -> [ScreenEffect] {
        guard form.banner?.offersRestoring == true, let again = form.latest?.restored else { return [] }
        return form.run(again)
    }
}

extension ScreenRequest {
    /// The way of log-in that goes on with a second factor.
    var logInMethod: LogInMethod? {
        switch self {
        case .provider(let provider, .logIn): .provider(provider)
        case .logInWithCode: .code
        case .logInAutomatically, .logInAsNewGuest, .restoreUser: .guest
        case .logInOnPages: .web
        case .logInWithPasskey, .logInWithChosenPasskey: .passkey
        case .logIn, .logInWithSaved: .password
        default: nil
        }
    }

    /// The same log-in with the wish to bring a deleted account back; `nil` for what is no log-in.
    var restored: ScreenRequest? {
        switch self {
        case .logIn(let identifier, let password, let rememberMe, _):
            .logIn(identifier: identifier, password: password, rememberMe, restoring: true)
        case .logInWithCode(let code, let request, let rememberMe, _):
            .logInWithCode(code, request, rememberMe, restoring: true)
        case .logInWithSaved(let rememberMe, _): .logInWithSaved(rememberMe, restoring: true)
        case .provider(let provider, .logIn): .provider(provider, .logIn(restoring: true))
        case .logInWithPasskey: .logInWithPasskey(restoring: true)
        case .logInWithChosenPasskey(let proof, _): .logInWithChosenPasskey(proof, restoring: true)
        case .logInAutomatically: .restoreUser
        default: nil
        }
    }
}
