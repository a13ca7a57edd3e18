package import Foundation
public import Okaeri
import OkaeriWire

/// What a person can do on the screen of their own devices.
public enum DeviceKeysEvent: Hashable, Sendable {
    /// The dismiss button, and what else all screens know.
    case form(FormEvent)
    /// Ask the server once more.
    case reload
    /// Remove that device: it is asked first. Nothing happens for the device in hand, whose way out is to log out.
    case remove(RegisteredDeviceKey.ID)
    /// Remove all other devices: it is asked first.
    case removeOthers
    /// "Yes, remove."
    case confirmed
    /// "No, don't."
    case refused
}

/// The screen of the person's own devices: which of them log in by themselves, and the way to remove one that is lost.
public struct DeviceKeysModel: FormScreen {
    /// A question that is open.
    public enum Question: Hashable, Sendable {
        /// Remove this device?
        case remove(RegisteredDeviceKey)
        /// Remove all others?
        case removeOthers
    }

    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    /// The devices, this one first, then those last used first; `nil` until the server has responded.
    public private(set) var devices: [RegisteredDeviceKey]?
    /// The question that is open.
    public private(set) var question: Question?

    /// Makes the screen.
    public init() {}

    /// Which screen it is.
    public var screen: ScreenName { .deviceKeys }
    /// Whether there is another device to remove.
    public var hasOthers: Bool { devices?.contains { !$0.isCurrent } ?? false }

    /// The screen appears: it asks for the list.
    public mutating func begin() -> [ScreenEffect] { form.run(.deviceKeys) }

    /// Takes an event.
    public mutating func handle(_ event: DeviceKeysEvent) -> [ScreenEffect] {
        if case .form(let event) = event { return handleForm(event) }
        guard form.isEnabled else { return [] }
        switch event {
        case .form: break
        case .reload: return form.run(.deviceKeys)
        case .remove(let id): question = devices?.first { $0.id == id && !$0.isCurrent }.map(Question.remove)
        case .removeOthers: question = hasOthers ? .removeOthers : nil
        case .refused: question = nil
        case .confirmed:
            defer { question = nil }
            switch question {
            case .remove(let device)?: return form.run(.removeDeviceKey(device.id))
            case .removeOthers?: return form.run(.removeOtherDeviceKeys)
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
        case .ended(let count): .devicesRemoved(count: count)
        case .done: .devicesRemoved(count: 1)
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch (response, request) {
        case (.deviceKeys(let list), _):
            devices = list.sorted { Self.rank($0) > Self.rank($1) }
        case (.ended(let count), _):
            devices?.removeAll { !$0.isCurrent }
            form.show(ScreenBanner(.success, .key(.deviceKeysRemoved, ["count": String(count)])))
        case (.done, .removeDeviceKey(let id)):
            devices?.removeAll { $0.id == id }
            form.show(ScreenBanner(.success, .key(.deviceKeysRemoved, ["count": "1"])))
        default: break
        }
        return []
    }

    private static func rank(_ device: RegisteredDeviceKey) -> (Int, Date) {
        (device.isCurrent ? 1 : 0, device.lastUsedAt ?? device.addedAt)
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        // Another device was faster: the key is removed already.
        guard case .providerRefused(.identityUnknown) = error, case .removeDeviceKey(let id) = request else {
            return nil
        }
        devices?.removeAll { $0.id == id }
        return []
    }
}
