#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    public import SwiftUI

    /// The screen of the person's own devices, drawn.
    public struct DeviceKeysScreen: View {
        @StateObject private var runner: ScreenRunner<DeviceKeysModel>
        @Environment(\.okaeriProof) private var proof
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<DeviceKeysModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: DeviceKeysModel { runner.model }

        private var question: String? {
            switch model.question {
            case .remove(let device)?: look.words(.deviceKeysRemoveQuestion, ["name": name(of: device)])
            case .removeOthers?: look.words(.deviceKeysRemoveOthersQuestion)
            case nil: nil
            }
        }

        private static let texts = DeviceListTexts(
            title: .deviceKeysTitle, introduction: .key(.deviceKeysIntroduction), remove: .deviceKeysRemove,
            removeOthers: .deviceKeysRemoveOthers)

        /// The screen.
        public var body: some View {
            DeviceList(
                .deviceKeys, model.form, Self.texts, isLoaded: model.devices != nil, hasOthers: model.hasOthers,
                question: question, send: { runner.send($0) }
            ) {
                ForEach(model.devices ?? []) { row($0) }
            }
            .task { runner.begin() }
            .task(id: proof) {
                if proof.screen == .deviceKeys { runner.send(.form(.presenceProved)) }
            }
        }

        private func name(of device: RegisteredDeviceKey) -> String {
            device.device.name ?? device.device.model ?? look.words(.sessionsUnknown)
        }

        private func detail(of device: RegisteredDeviceKey) -> String {
            if device.isCurrent { return look.words(.sessionsCurrent) }
            guard let last = device.lastUsedAt else {
                return look.words(.deviceKeysAdded, ["time": device.addedAt.formatted()])
            }
            return look.words(.sessionsLastUsed, ["time": last.formatted()])
        }

        private func row(_ device: RegisteredDeviceKey) -> some View {
            DeviceRow(
                .deviceKeys, id: device.id, name: name(of: device), detail: detail(of: device),
                action: device.isCurrent ? nil : .deviceKeysRemove,
                question: look.words(.deviceKeysRemoveQuestion, ["name": name(of: device)]),
                isEnabled: model.form.isEnabled
            ) { runner.send(.remove(device.id)) }
        }
    }
#endif
