public import Okaeri

/// What a person is about to send, as typed: nothing is trimmed but a mail address at sign-up, and what is empty is "". It
/// hides itself when printed.
public struct Submission: Hashable, Sendable {
    /// From which screen.
    public let screen: ScreenName
    /// The texts by field. A check box that is ticked holds "true".
    public let values: [FieldID: String]

    package init(screen: ScreenName, values: [FieldID: String]) {
        self.screen = screen
        self.values = values
    }

    /// The text of a field, "" when there is none.
    public subscript(_ field: FieldID) -> String { values[field] ?? "" }
    /// What was typed as name: at log-in a user name, mail address or phone number.
    public var username: String { self[.username] }
    /// The password.
    public var password: String { self[.password] }
    /// The mail address.
    public var email: String { self[.email] }
    /// ParseUI's one additional field.
    public var additional: String { self[.custom("additional")] }
}

extension Submission: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The screen alone.
    public var description: String { "submission of \(screen.rawValue)" }
    /// The screen alone.
    public var debugDescription: String { description }
    /// The screen alone.
    public var customMirror: Mirror { Mirror(self, children: ["screen": screen.rawValue]) }
}

/// What the app says to a submission before it is sent.
public enum Verdict: Hashable, Sendable {
    /// Go on: the screen's own rules are looked at next.
    case proceed
    /// Stop without a word.
    case stop
    /// Stop, with a text beside each of these fields.
    case refuse([FieldID: String])
}

/// What an app hears from a screen, and what it can decide: closures that are all optional, called in ParseUI's order.
///
/// Before something typed is sent, ``shouldBegin``; then the screen's own rules; then ``succeeded`` or ``failed``. A person
/// leaving is reported by ``cancelled``. For providers ``shouldBegin`` is not asked, and a sheet that the person closed
/// tells nothing.
public struct ScreenHooks: Sendable {
    /// Asked before something typed is sent, and before the screen's own rules. Never twice at a time.
    public var shouldBegin: (@MainActor @Sendable (Submission) async -> Verdict)?
    /// It went well. The app takes the screen away, or lets it go on by itself.
    public var succeeded: (@MainActor @Sendable (ScreenName, ScreenOutcome) async -> Void)?
    /// It failed. Whether the app has shown that itself; otherwise the screen does, beside the fields where it can.
    public var failed: (@MainActor @Sendable (ScreenName, OkaeriError) async -> Bool)?
    /// The person left with the dismiss button.
    public var cancelled: (@MainActor @Sendable (ScreenName) async -> Void)?
    /// The screen leads elsewhere.
    public var show: (@MainActor @Sendable (ScreenDestination) -> Void)?
    /// The screen wants to be taken away.
    public var close: (@MainActor @Sendable () -> Void)?

    /// Makes hooks.
    public init(
        shouldBegin: (@MainActor @Sendable (Submission) async -> Verdict)? = nil,
        succeeded: (@MainActor @Sendable (ScreenName, ScreenOutcome) async -> Void)? = nil,
        failed: (@MainActor @Sendable (ScreenName, OkaeriError) async -> Bool)? = nil,
        cancelled: (@MainActor @Sendable (ScreenName) async -> Void)? = nil,
        show: (@MainActor @Sendable (ScreenDestination) -> Void)? = nil, close: (@MainActor @Sendable () -> Void)? = nil
    ) {
        self.shouldBegin = shouldBegin
        self.succeeded = succeeded
        self.failed = failed
        self.cancelled = cancelled
        self.show = show
        self.close = close
    }

    /// Hooks that ask a delegate, which is not kept alive.
    @MainActor
    public init(_ delegate: any ScreenDelegate) {
        self.init(
            shouldBegin: { [weak delegate] submission in await delegate?.shouldBegin(submission) ?? .proceed },
            succeeded: { [weak delegate] screen, outcome in await delegate?.didSucceed(screen, with: outcome) },
            failed: { [weak delegate] screen, error in await delegate?.didFail(screen, with: error) ?? false },
            cancelled: { [weak delegate] screen in await delegate?.didCancel(screen) })
    }
}

/// ScreenHooks as a delegate, for apps that had ParseUI's. Every method is optional.
@MainActor
public protocol ScreenDelegate: AnyObject {
    /// ``ScreenHooks/shouldBegin``; the standard is to proceed.
    func shouldBegin(_ submission: Submission) async -> Verdict
    /// ``ScreenHooks/succeeded``.
    func didSucceed(_ screen: ScreenName, with outcome: ScreenOutcome) async
    /// ``ScreenHooks/failed``; the standard leaves showing it to the screen.
    func didFail(_ screen: ScreenName, with error: OkaeriError) async -> Bool
    /// ``ScreenHooks/cancelled``.
    func didCancel(_ screen: ScreenName) async
}

extension ScreenDelegate {
    /// Proceeds.
    public func shouldBegin(_ submission: Submission) async -> Verdict { .proceed }
    /// Does nothing.
    public func didSucceed(_ screen: ScreenName, with outcome: ScreenOutcome) async {}
    /// Leaves showing it to the screen.
    public func didFail(_ screen: ScreenName, with error: OkaeriError) async -> Bool { false }
    /// Does nothing.
    public func didCancel(_ screen: ScreenName) async {}
}
