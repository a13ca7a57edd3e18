package import Foundation
public import Okaeri
import OkaeriWire

/// The screen of the person's own devices: which of them log in by themselves, and the way to remove one that is lost.
public struct DeviceKeysModel: RemovalScreen {
    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    package var list = RemovalList<RegisteredDeviceKey>()

    /// Makes the screen.
    public init() {}

    /// Which screen it is.
    public var screen: ScreenName { .deviceKeys }
    /// The devices, this one first, then those last used first; `nil` until the server has responded.
    public var devices: [RegisteredDeviceKey]? { list.items }
    /// The question that is open.
    public var question: Removal<RegisteredDeviceKey>? { list.question }
    /// Whether there is another device to remove.
    public var hasOthers: Bool { listHasOthers }

    package var listRequest: ScreenRequest { .deviceKeys }

    /// The device in hand is not removed: its way out is to log out.
    package func isRemovable(_ device: RegisteredDeviceKey) -> Bool { !device.isCurrent }
    package func isOther(_ device: RegisteredDeviceKey) -> Bool { !device.isCurrent }

    package func request(for removal: Removal<RegisteredDeviceKey>) -> ScreenRequest {
        switch removal {
        case .remove(let device): .removeDeviceKey(device.id)
        case .removeOthers: .removeOtherDeviceKeys
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
        case .ended(let count): .devicesRemoved(count: count)
        case .done: .devicesRemoved(count: 1)
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch (response, request) {
        case (.deviceKeys(let keys), _):
            list.items = keys.sorted { Self.rank($0) > Self.rank($1) }
        case (.ended(let count), _):
            list.items?.removeAll { !$0.isCurrent }
            form.show(ScreenBanner(.success, .key(.deviceKeysRemoved, ["count": String(count)])))
        case (.done, .removeDeviceKey(let id)):
            list.drop(id)
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
        list.drop(id)
        return []
    }
}
