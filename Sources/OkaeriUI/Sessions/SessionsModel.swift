package import Foundation
public import Okaeri

/// The screen that shows where the person is logged in.
public struct SessionsModel: RemovalScreen {
    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    package var list = RemovalList<DeviceSession>()

    /// Makes the screen.
    public init() {}

    /// Which screen it is.
    public var screen: ScreenName { .sessions }
    /// The log-ins, this device first, then those last used first; `nil` until the server has responded.
    public var sessions: [DeviceSession]? { list.items }
    /// The question that is open.
    public var question: Removal<DeviceSession>? { list.question }
    /// Whether there is another device to log out.
    public var hasOthers: Bool { listHasOthers }

    package var listRequest: ScreenRequest { .sessions }

    package func isRemovable(_ session: DeviceSession) -> Bool { true }
    package func isOther(_ session: DeviceSession) -> Bool { !session.isCurrent }

    package func request(for removal: Removal<DeviceSession>) -> ScreenRequest {
        switch removal {
        case .remove(let session): .endSession(session.id)
        case .removeOthers: .endOtherSessions
        }
    }

    /// The screen appears: it asks for the list.
    public mutating func begin() -> [ScreenEffect] { form.run(listRequest) }

    /// Takes an event.
    public mutating func handle(_ event: RemovalEvent) -> [ScreenEffect] { handleList(event) }

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
        case (.sessions(let sessions), _):
            list.items = sessions.sorted {
                ($0.isCurrent ? 1 : 0, $0.lastUsedAt) > ($1.isCurrent ? 1 : 0, $1.lastUsedAt)
            }
        case (.ended(let count), _):
            list.items?.removeAll { !$0.isCurrent }
            form.show(ScreenBanner(.success, .key(.sessionsEnded, ["count": String(count)])))
        case (.done, .endSession(let id)): return remove(id)
        default: break
        }
        return []
    }

    private mutating func remove(_ id: DeviceSession.ID) -> [ScreenEffect] {
        let isCurrent = sessions?.first { $0.id == id }?.isCurrent ?? false
        list.drop(id)
        guard isCurrent else { return [] }
        // Nobody who comes back to this screen sees anything of who has left.
        list = RemovalList()
        return [.show(.logIn(identifier: ""))]
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        // Another device was faster: the session has ended already.
        guard case .sessionUnknown = error, case .endSession(let id) = request else { return nil }
        return remove(id)
    }
}
