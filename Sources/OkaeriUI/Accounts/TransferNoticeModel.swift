package import Foundation
public import Okaeri

/// What a person can do on the screen that asks about a device that joined by a transfer code.
public enum TransferNoticeEvent: Hashable, Sendable {
    /// The dismiss button, and what else all screens know.
    case form(FormEvent)
    /// Ask the server once more which devices wait, after a failure.
    case reload
    /// "That was me."
    case mine
    /// "That was not me": it is said first what happens then.
    case notMine
    /// "Take it out."
    case confirmed
    /// "No, don't."
    case refused
    /// Go on, having read how it ended.
    case finished
}

/// The old device's screen for a device that joined by a transfer code: "Was that you?" Until "That was me" a guest's new device
/// waits, and for a day "That was not me" takes it out again. Of several devices the oldest is asked about first.
public struct TransferNoticeModel: FormScreen {
    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    /// Whether it is asked if the device shall be taken out.
    public private(set) var isQuestionOpen = false
    private var notices: [Notice]?

    /// Makes the screen.
    public init() {}

    /// Which screen it is.
    public var screen: ScreenName { .transferNotice }
    /// The device that the person is asked about; `nil` when none waits, or the server has not responded.
    public var notice: Notice? { notices?.first }
    /// Whether the server has responded.
    public var isLoaded: Bool { notices != nil }
    /// Whether the last device was answered for: there is nothing left but to go on.
    public var isFinished: Bool { notices?.isEmpty == true }
    /// Whether "That was not me" is offered: what cannot be undone is removed among the devices.
    public var canUndo: Bool { notice?.undoUntil != nil }

    /// The screen appears: it asks which devices wait.
    public mutating func begin() -> [ScreenEffect] { form.run(.transferNotices) }

    /// Takes an event.
    public mutating func handle(_ event: TransferNoticeEvent) -> [ScreenEffect] {
        if case .form(let event) = event {
            if case .disappeared = event { isQuestionOpen = false }
            return handleForm(event)
        }
        guard form.isEnabled else { return [] }
        switch event {
        case .form: break
        case .reload: return isLoaded ? [] : form.run(.transferNotices)
        case .mine:
            guard let notice, !isQuestionOpen else { break }
            return form.run(.acknowledgeTransfer(notice.id))
        case .notMine: isQuestionOpen = canUndo
        case .refused: isQuestionOpen = false
        case .confirmed:
            guard let notice, isQuestionOpen else { break }
            isQuestionOpen = false
            return form.run(.undoTransfer(notice.id))
        case .finished: return isFinished ? [.close] : []
        }
        return []
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? { nil }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        guard case .done = response else { return nil }
        return switch request {
        case .acknowledgeTransfer: .transferConfirmed
        case .undoTransfer: .transferUndone
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch (response, request) {
        case (.transferNotices(let notices), _):
            self.notices = notices
            // Another device of the person's was faster, or it is asked again elsewhere: nothing waits.
            return notices.isEmpty ? [.close] : []
        case (.done, .acknowledgeTransfer(let id)): conclude(id, .key(.transferNoticeConfirmed))
        case (.done, .undoTransfer(let id)): conclude(id, .key(.transferNoticeUndone))
        default: break
        }
        return []
    }

    private mutating func conclude(_ id: Notice.ID, _ message: ScreenMessage) {
        notices?.removeAll { $0.id == id }
        form.show(ScreenBanner(.success, message))
    }
}
