#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    public import SwiftUI

    /// The screen of the person's passkeys, drawn.
    public struct PasskeysScreen: View {
        @StateObject private var runner: ScreenRunner<PasskeysModel>
        @Environment(\.okaeriProof) private var proof
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<PasskeysModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: PasskeysModel { runner.model }

        private var question: String? {
            guard case .remove(let passkey)? = model.question else { return nil }
            return removal(of: passkey)
        }

        private static let texts = DeviceListTexts(
            title: .passkeysTitle, introduction: .key(.passkeysIntroduction), remove: .deviceKeysRemove)

        /// The screen.
        public var body: some View {
            DeviceList(
                .passkeys, model.form, Self.texts, isLoaded: model.passkeys != nil, hasOthers: false,
                question: question, send: { runner.send(.list($0)) }
            ) {
                ForEach(model.passkeys ?? []) { row($0) }
                Button(look.words(.passkeysAdd)) { runner.send(.add) }
                    .buttonStyle(ThemedButtonStyle.primary)
                    .disabled(!model.form.isEnabled)
                    .accessibilityIdentifier(ScreenName.passkeys.identifier("add"))
            }
            .task { runner.begin() }
            .task(id: proof) {
                if proof.screen == .passkeys { runner.send(.list(.form(.presenceProved))) }
            }
        }

        private func removal(of passkey: Passkey) -> String {
            look.words(.passkeysRemoveQuestion, ["name": passkey.name])
        }

        private func detail(of passkey: Passkey) -> String {
            guard let last = passkey.lastUsedAt else {
                return look.words(.deviceKeysAdded, ["time": passkey.createdAt.formatted()])
            }
            return look.words(.sessionsLastUsed, ["time": last.formatted()])
        }

        private func row(_ passkey: Passkey) -> some View {
            VStack(alignment: .leading, spacing: 8) {
                DeviceRow(
                    .passkeys, id: passkey.id, name: passkey.name, detail: detail(of: passkey),
                    action: .deviceKeysRemove, question: removal(of: passkey), isEnabled: model.form.isEnabled
                ) { runner.send(.list(.remove(passkey.id))) }
                if model.renamed?.id == passkey.id {
                    FieldsView(.passkeys, model.form) { runner.send(.list(.form($0))) }
                    SubmitButton(.passkeys, model.form, .upgradeButton) { runner.send(.list(.form(.submit))) }
                    link(.cancel, "cancel", .renameCancelled)
                } else {
                    link(.passkeysRename, "rename.\(passkey.id)", .rename(passkey.id))
                }
            }
        }

        private func link(_ title: TextKey, _ name: String, _ event: PasskeysEvent) -> some View {
            Button(look.words(title)) { runner.send(event) }
                .buttonStyle(ThemedButtonStyle.link)
                .disabled(!model.form.isEnabled)
                .accessibilityIdentifier(ScreenName.passkeys.identifier(name))
        }
    }
#endif
