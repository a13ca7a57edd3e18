public import Foundation
public import Okaeri

/// What a person can do on the screen that takes a code from another device.
public enum TransferEntryEvent: Hashable, Sendable {
    /// Something in the form. A whole code that is pasted is sent when the person says so.
    case form(FormEvent)
    /// What the camera read from a QR code: the code, or a link into the app.
    case scanned(String)
    /// Go on, having read what becomes of what this device had before.
    case finished
}

/// The screen that takes a code from another device. Where this device had a user who is erased now, it stays until the person
/// has read so.
public struct TransferEntryModel: FormScreen {
    /// Its one field.
    public package(set) var form: ScreenForm
    /// How it ended, with the user that this device has left.
    public private(set) var result: TransferResult?
    /// Whether the person has gone on.
    private var isLeft = false

    /// Makes the screen.
    public init() {
        let rule = FieldRule(isRequired: true, [.minimumCharacters(19)])
        form = ScreenForm([FormField(.transferCode, .longCode, label: .key(.transferCodeField), rule: rule)])
    }

    /// Which screen it is.
    public var screen: ScreenName { .transferEntry }
    /// When what this device had before is erased, to be read before the person goes on.
    public var erasedAt: Date? { result?.leftUser?.erasedAt }
    /// Whether the screen stays until the person says so: no gesture takes it away before.
    public var staysUntilRead: Bool { erasedAt != nil && !isLeft }

    /// The screen appears.
    public mutating func begin() -> [ScreenEffect] { [] }

    /// Takes an event.
    public mutating func handle(_ event: TransferEntryEvent) -> [ScreenEffect] {
        switch event {
        case .form(.dismiss) where result != nil, .finished: return leave()
        case .form(let event): return handleForm(event)
        case .scanned(let text):
            guard form.isEnabled else { return [] }
            guard let code = CodeText.scanned(text) else {
                form.show([.transferCode: .notACode])
                return []
            }
            _ = form.handle(.typed(.transferCode, code))
            return form.ask(from: screen)
        }
    }

    private mutating func leave() -> [ScreenEffect] {
        guard let result, !isLeft else { return [] }
        isLeft = true
        return [.show(.home(result.welcome.user))]
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] {
        let effects = takeForm(report)
        // "At least 19 characters" says nothing to a person.
        if case .tooShort? = form[.transferCode]?.fault { form.show([.transferCode: .notACode]) }
        return effects
    }

    package func request(at instant: Date) -> ScreenRequest? {
        .redeemTransferCode(Secret(form.text(of: .transferCode)))
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        guard case .transferred(let result) = response else { return nil }
        return .transferred(result)
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        guard case .transferred(let result) = response else { return [] }
        self.result = result
        _ = form.handle(.typed(.transferCode, ""))
        form.finish()
        guard erasedAt != nil else { return leave() }
        form.fields = []
        return []
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        guard case .transferCodeRefused = error else { return nil }
        form.show(ScreenBanner(.failure, .error(error)), focus: .transferCode)
        return [ScreenEffect(.fail(error, attempt: form.attempt))]
    }
}
