#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    public import SwiftUI

    /// The screen for two accounts of one person, drawn.
    public struct ConflictScreen: View {
        @StateObject private var runner: ScreenRunner<ConflictModel>
        @Environment(\.okaeriProof) private var proof
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<ConflictModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: ConflictModel { runner.model }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .conflict, model.form, .conflictTitle, introduction: .key(.conflictIntroduction),
                showsDismissButton: model.result == nil, send: { runner.send(.form($0)) }
            ) {
                if let preview = model.preview, model.result == nil {
                    choice(.keep, .conflictKeep, preview.current)
                    choice(.switch, .conflictSwitch, preview.other)
                    if model.choices.contains(.merge) { choice(.merge, .conflictMerge, preview.merged) }
                    SubmitButton(.conflict, model.form, .conflictButton) { runner.send(.confirmed) }
                        .disabled(!model.canConfirm)
                } else if model.result == nil, model.form.isEnabled {
                    Button(look.words(.reload)) { runner.send(.reload) }
                        .buttonStyle(ThemedButtonStyle.link)
                        .accessibilityIdentifier(ScreenName.conflict.identifier("reload"))
                }
                if model.form.isRunning { ProgressView().accessibilityLabel(look.words(.working)) }
                if model.result != nil {
                    Button(look.words(.codeButton)) { runner.send(.finished) }
                        .buttonStyle(ThemedButtonStyle.primary)
                        .disabled(!model.form.isEnabled)
                        .accessibilityIdentifier(ScreenName.conflict.identifier("finished"))
                }
                if model.canUndo {
                    Button(look.words(.conflictUndo)) { runner.send(.undo) }
                        .buttonStyle(ThemedButtonStyle.link)
                        .accessibilityIdentifier(ScreenName.conflict.identifier("undo"))
                }
            }
            .task { runner.begin() }
            .task(id: proof) {
                if proof.screen == .conflict { runner.send(.form(.presenceProved)) }
            }
        }

        private func choice(_ choice: MergeChoice, _ title: TextKey, _ user: User) -> some View {
            let isChosen = model.choice == choice
            return Button {
                runner.send(.chosen(choice))
            } label: {
                HStack(spacing: 12) {
                    Image(systemName: isChosen ? "largecircle.fill.circle" : "circle")
                        .foregroundStyle(look[isChosen ? .focus : .border])
                        .accessibilityHidden(true)
                    VStack(alignment: .leading, spacing: 2) {
                        Text(look.words(title)).font(look.font(.headline)).foregroundStyle(look[.text])
                        Text(user.displayName ?? user.username ?? user.email ?? user.createdAt.formatted())
                            .font(look.font(.footnote))
                            .foregroundStyle(look[.mutedText])
                    }
                    Spacer()
                }
                .padding(12)
                .frame(minHeight: 56)
                .background(look[.surface])
                .clipShape(RoundedRectangle(cornerRadius: look.radius(20), style: .continuous))
            }
            .disabled(!model.form.isEnabled)
            .accessibilityAddTraits(isChosen ? .isSelected : [])
            .accessibilityIdentifier(ScreenName.conflict.identifier(choice.rawValue))
        }
    }

    /// The screen "is it still you?", drawn.
    public struct ReauthenticationScreen: View {
        @StateObject private var runner: ScreenRunner<ReauthenticationModel>
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<ReauthenticationModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: ReauthenticationModel { runner.model }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .reauthentication, model.form, .presenceTitle,
                introduction: .key(model.hasNoProof ? .presenceNothing : .presenceIntroduction),
                showsDismissButton: true, send: { runner.send(.form($0)) }
            ) {
                FieldsView(.reauthentication, model.form) { runner.send(.form($0)) }
                if !model.form.fields.isEmpty {
                    SubmitButton(.reauthentication, model.form, .presenceButton) { runner.send(.form(.submit)) }
                }
                if model.hasPasskey {
                    PasskeyButton(.reauthentication, .presencePasskey, model.form) { runner.send(.passkey) }
                }
                ProviderButtons(
                    .reauthentication, model.providers, title: .presenceWith, isEnabled: model.form.isEnabled
                ) { runner.send(.provider($0)) }
                if model.canMailCode {
                    Button(look.words(.presenceCode)) { runner.send(.mailCode) }
                        .buttonStyle(ThemedButtonStyle.link)
                        .accessibilityIdentifier(ScreenName.reauthentication.identifier("mailCode"))
                }
            }
            .task { runner.begin() }
        }
    }
#endif
