package import Foundation
package import Okaeri

/// The screen "save your data": a permanent account for the anonymous user, who keeps everything.
public struct UpgradeModel: FormScreen {
    /// Its fields.
    public package(set) var form: ScreenForm
    /// Its parts.
    public let options: SignUpOptions
    /// Which screen it is.
    public var screen: ScreenName { .upgrade }

    /// Makes the screen.
    public init(_ options: SignUpOptions = SignUpOptions()) {
        self.options = options
        form = options.form(identifier: "")
    }

    package var failureTitle: ScreenMessage? { .key(.signUpFailed) }

    /// The screen appears.
    public mutating func begin() -> [ScreenEffect] { [] }

    /// Takes an event.
    public mutating func handle(_ event: SignUpEvent) -> [ScreenEffect] {
        switch event {
        case .form(let event): return handleForm(event)
        case .provider(let provider):
            guard form.isEnabled, options.providers.contains(where: { $0.provider == provider }) else { return [] }
            return form.run(.provider(provider, .link))
        case .passkey:
            guard form.isEnabled, options.offersPasskeys else { return [] }
            return form.run(.addPasskey)
        case .logIn:
            guard form.isEnabled else { return [] }
            return [.show(.logIn(identifier: form.text(of: .username)))]
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? { .upgrade(options.values(of: form, at: instant)) }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch response {
        case .user(let user): .upgraded(user)
        case .passkeyAdded(let passkey, _): .passkeyAdded(passkey)
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch response {
        case .user(let user), .passkeyAdded(_, let user?):
            form.finish()
            return [.show(user.nextScreen)]
        // Somebody logged out meanwhile: there is nowhere to go.
        case .passkeyAdded(_, nil): return [.close]
        default: return []
        }
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        // The person has proved to be the owner of the other account too: that is a choice, not a failure.
        guard case .conflict(let conflict) = error else { return nil }
        return [.show(.conflict(conflict))]
    }
}
