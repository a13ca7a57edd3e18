#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    public import SwiftUI

    /// The screen that shows where the person is logged in, drawn.
    public struct SessionsScreen: View {
        @StateObject private var runner: ScreenRunner<SessionsModel>
        @Environment(\.okaeriProof) private var proof
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<SessionsModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: SessionsModel { runner.model }

        private var question: String? {
            switch model.question {
            case .remove(let session)?: look.words(.sessionsEndQuestion, ["name": name(of: session)])
            case .removeOthers?: look.words(.sessionsEndOthersQuestion)
            case nil: nil
            }
        }

        private static let texts = DeviceListTexts(
            title: .sessionsTitle, remove: .sessionsEnd, removeOthers: .sessionsEndOthers, othersName: "endOthers")

        /// The screen.
        public var body: some View {
            DeviceList(
                .sessions, model.form, Self.texts, isLoaded: model.sessions != nil, hasOthers: model.hasOthers,
                question: question, send: { runner.send($0) }
            ) {
                ForEach(model.sessions ?? []) { row($0) }
            }
            .task { runner.begin() }
            .task(id: proof) {
                if proof.screen == .sessions { runner.send(.form(.presenceProved)) }
            }
        }

        private func name(of session: DeviceSession) -> String {
            session.device.name ?? session.device.model ?? look.words(.sessionsUnknown)
        }

        private func row(_ session: DeviceSession) -> some View {
            DeviceRow(
                .sessions, id: session.id, name: name(of: session),
                detail: session.isCurrent
                    ? look.words(.sessionsCurrent)
                    : look.words(.sessionsLastUsed, ["time": session.lastUsedAt.formatted()]),
                action: .sessionsEnd, question: look.words(.sessionsEndQuestion, ["name": name(of: session)]),
                isEnabled: model.form.isEnabled
            ) { runner.send(.remove(session.id)) }
        }
    }

    /// The screen that ends an account, drawn.
    public struct DeletionScreen: View {
        @StateObject private var runner: ScreenRunner<DeletionModel>
        @Environment(\.okaeriProof) private var proof
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<DeletionModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: DeletionModel { runner.model }

        private var introduction: ScreenMessage {
            guard let end = model.erasedAt else { return .key(.deletionIntroduction) }
            return model.isRestored ? .key(.deletionRestored) : .key(.deletionDone, ["time": end.formatted()])
        }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .deletion, model.form, .deletionTitle, introduction: introduction, send: { runner.send(.form($0)) }
            ) {
                if model.erasedAt == nil {
                    if let data = model.exported {
                        ShareLink(item: String(decoding: data, as: UTF8.self))
                    } else {
                        Button(look.words(.deletionExport)) { runner.send(.export) }
                            .buttonStyle(ThemedButtonStyle.link)
                            .disabled(!model.form.isEnabled)
                            .accessibilityIdentifier(ScreenName.deletion.identifier("export"))
                    }
                    FieldsView(.deletion, model.form) { runner.send(.form($0)) }
                    Button(look.words(.deletionButton), role: .destructive) { runner.send(.form(.submit)) }
                        .buttonStyle(ThemedButtonStyle.danger)
                        .disabled(!model.form.canSubmit || !model.isConfirmed)
                        .accessibilityIdentifier(ScreenName.deletion.identifier("submit"))
                } else if !model.isRestored {
                    Button(look.words(.deletionRestore)) { runner.send(.restore) }
                        .buttonStyle(ThemedButtonStyle.primary)
                        .disabled(!model.form.isEnabled)
                        .accessibilityIdentifier(ScreenName.deletion.identifier("restore"))
                }
            }
            .task { runner.begin() }
            .task(id: proof) {
                if proof.screen == .deletion { runner.send(.form(.presenceProved)) }
            }
        }
    }

    private struct ProofKey: EnvironmentKey {
        static let defaultValue = ScreenStack.Proof()
    }

    extension EnvironmentValues {
        /// The latest proof of presence, for the screen that asked for it.
        var okaeriProof: ScreenStack.Proof {
            get { self[ProofKey.self] }
            set { self[ProofKey.self] = newValue }
        }
    }
#endif
