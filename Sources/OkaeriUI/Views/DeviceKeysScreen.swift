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

        private var question: String {
            switch model.question {
            case .remove(let device)?: look.words(.deviceKeysRemoveQuestion, ["name": name(of: device)])
            case .removeOthers?: look.words(.deviceKeysRemoveOthersQuestion)
            case nil: ""
            }
        }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .deviceKeys, model.form, .deviceKeysTitle, introduction: .key(.deviceKeysIntroduction),
                send: { runner.send(.form($0)) }
            ) {
                if model.form.isRunning { ProgressView().accessibilityLabel(look.words(.working)) }
                ForEach(model.devices ?? []) { row($0) }
                if model.hasOthers {
                    Button(look.words(.deviceKeysRemoveOthers)) { runner.send(.removeOthers) }
                        .buttonStyle(ThemedButtonStyle.danger)
                        .disabled(!model.form.isEnabled)
                        .accessibilityIdentifier(ScreenName.deviceKeys.identifier("removeOthers"))
                }
                if model.devices == nil, model.form.isEnabled {
                    Button(look.words(.reload)) { runner.send(.reload) }
                        .buttonStyle(ThemedButtonStyle.link)
                        .accessibilityIdentifier(ScreenName.deviceKeys.identifier("reload"))
                }
            }
            .refreshable { @MainActor in runner.send(.reload) }
            .confirmationDialog(
                question,
                isPresented: Binding(
                    get: { @MainActor in model.question != nil },
                    set: { @MainActor in if !$0 { runner.send(.refused) } }),
                titleVisibility: .visible
            ) {
                Button(look.words(.deviceKeysRemove), role: .destructive) { runner.send(.confirmed) }
                Button(look.words(.cancel), role: .cancel) { runner.send(.refused) }
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

    /// One device in a list, with what can be done about it.
    struct DeviceRow: View {
        let screen: ScreenName
        let id: String
        let name: String
        let detail: String
        let title: TextKey?
        let question: String
        let isEnabled: Bool
        let action: @MainActor () -> Void
        private var look = Look()

        init(
            _ screen: ScreenName, id: String, name: String, detail: String, action title: TextKey?, question: String,
            isEnabled: Bool, perform action: @escaping @MainActor () -> Void
        ) {
            self.screen = screen
            self.id = id
            self.name = name
            self.detail = detail
            self.title = title
            self.question = question
            self.isEnabled = isEnabled
            self.action = action
        }

        var body: some View {
            HStack(spacing: 12) {
                VStack(alignment: .leading, spacing: 2) {
                    Text(name).font(look.font(.headline)).foregroundStyle(look[.text])
                    Text(detail).font(look.font(.footnote)).foregroundStyle(look[.mutedText])
                }
                Spacer()
                if let title {
                    Button(look.words(title), action: action)
                        .foregroundStyle(look[.danger])
                        .frame(minHeight: 44)
                        .disabled(!isEnabled)
                        .accessibilityLabel(question)
                        .accessibilityIdentifier(screen.identifier("end.\(id)"))
                }
            }
            .padding(12)
            .background(look[.surface])
            .clipShape(RoundedRectangle(cornerRadius: look.radius(20), style: .continuous))
        }
    }
#endif
