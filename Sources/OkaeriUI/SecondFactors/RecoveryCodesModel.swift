package import Foundation
public import Okaeri

/// What a person can do on the screen that shows recovery codes.
public enum RecoveryCodesEvent: Hashable, Sendable {
    /// The dismiss button, and what else all screens know.
    case form(FormEvent)
    /// Put the codes where they can be pasted.
    case copy
    /// "I have kept them."
    case kept
}

/// What recovery codes were made for.
public enum RecoveryCodesPurpose: Hashable, Sendable {
    /// On the way of a log-in, which has ended by now.
    case logIn(Welcome, by: LogInMethod)
    /// For the account of the person who is logged in.
    case account
}

/// The screen that shows recovery codes, once: until the person says that they are kept, or leaves it. They are still there
/// when it was out of sight for a moment, for example while the person saved them in another tab.
public struct RecoveryCodesModel: FormScreen {
    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    /// The codes; none once the person has left the screen.
    public private(set) var codes: [String]
    /// What they were made for.
    public let purpose: RecoveryCodesPurpose

    /// Makes the screen.
    ///
    /// - Parameters:
    ///   - codes: What the server gave.
    ///   - purpose: What they were made for.
    public init(_ codes: RecoveryCodes, after purpose: RecoveryCodesPurpose) {
        self.codes = codes.codes
        self.purpose = purpose
    }

    /// The codes as one text, each in a line.
    public var text: String { codes.joined(separator: "\n") }
    /// Whether the screen stays until the person says so: no gesture takes it away before.
    public var staysUntilRead: Bool { !codes.isEmpty }
    /// Which screen it is.
    public var screen: ScreenName { .recoveryCodes }

    /// The screen appears.
    public mutating func begin() -> [ScreenEffect] { [] }

    /// Takes an event.
    public mutating func handle(_ event: RecoveryCodesEvent) -> [ScreenEffect] {
        switch event {
        case .form(.dismiss), .kept: return leave()
        case .form(let event): return handleForm(event)
        case .copy: return codes.isEmpty ? [] : [ScreenEffect(.copy(text))]
        }
    }

    private mutating func leave() -> [ScreenEffect] {
        guard form.isEnabled else { return [] }
        form.finish()
        codes = []
        switch purpose {
        case .logIn(let welcome, let method):
            return [.succeed(.loggedIn(welcome, by: method)), .show(.home(welcome.user))]
        case .account: return [.close]
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? { nil }
    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? { nil }
    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        []
    }
}
