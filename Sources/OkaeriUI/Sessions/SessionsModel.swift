package import Foundation
public import Okaeri

/// What a person can do on the screen that shows where they are logged in.
public enum SessionsEvent: Hashable, Sendable {
    /// The dismiss button, and what else all screens know.
    case form(FormEvent)
    /// Ask the server once more.
    case reload
    /// Log out there: it is asked first.
    case end(DeviceSession.ID)
    /// Log out everywhere else: it is asked first.
    case endOthers
    /// "Yes, log out."
    case confirmed
    /// "No, don't."
    case refused
}

/// The screen that shows where the person is logged in.
public struct SessionsModel: FormScreen {
    /// A question that is open.
    public enum Question: Hashable, Sendable {
        /// Log out on this device?
        case end(DeviceSession)
        /// Log out on all others?
        case endOthers
    }

    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    /// The log-ins, this device first, then those last used first; `nil` until the server has responded.
    public private(set) var sessions: [DeviceSession]?
    /// The question that is open.
    public private(set) var question: Question?

    /// Makes the screen.
    public init() {}

    /// Which screen it is.
    public var screen: ScreenName { .sessions }
    /// Whether there is another device to log out.
    public var hasOthers: Bool { sessions?.contains { !$0.isCurrent } ?? false }

    /// The screen appears: it asks for the list.
    public mutating func begin() -> [ScreenEffect] { form.run(.sessions) }

    /// Takes an event.
    public mutating func handle(_ event: SessionsEvent) -> [ScreenEffect] {
        if case .form(let event) = event { return handleForm(event) }
        guard form.isEnabled else { return [] }
        switch event {
        case .form: break
        case .reload: return form.run(.sessions)
        case .end(let id): question = sessions?.first { $0.id == id }.map(Question.end)
        case .endOthers: question = hasOthers ? .endOthers : nil
        case .refused: question = nil
        case .confirmed:
            defer { question = nil }
            switch question {
            case .end(let session)?: return form.run(.endSession(session.id))
            case .endOthers?: return form.run(.endOtherSessions)
            case nil: break
            }
        }
        return []
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? { nil }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch response {
        case .ended(let count): .sessionsEnded(count: count)
        case .done: .sessionsEnded(count: 1)
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch (response, request) {
        case (.sessions(let list), _):
            sessions = list.sorted { ($0.isCurrent ? 1 : 0, $0.lastUsedAt) > ($1.isCurrent ? 1 : 0, $1.lastUsedAt) }
        case (.ended(let count), _):
            sessions?.removeAll { !$0.isCurrent }
            form.show(ScreenBanner(.success, .key(.sessionsEnded, ["count": String(count)])))
        case (.done, .endSession(let id)): return remove(id)
        default: break
        }
        return []
    }

    private mutating func remove(_ id: DeviceSession.ID) -> [ScreenEffect] {
        let isCurrent = sessions?.first { $0.id == id }?.isCurrent ?? false
        sessions?.removeAll { $0.id == id }
        return isCurrent ? [.show(.logIn(identifier: ""))] : []
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        // Somebody was faster: what was wanted is so.
        guard case .sessionUnknown = error, case .endSession(let id) = request else { return nil }
        return remove(id)
    }
}
