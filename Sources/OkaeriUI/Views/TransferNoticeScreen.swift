#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    public import SwiftUI

    /// The screen that asks about a device that joined by a transfer code, drawn.
    public struct TransferNoticeScreen: View {
        @StateObject private var runner: ScreenRunner<TransferNoticeModel>
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<TransferNoticeModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: TransferNoticeModel { runner.model }

        private var introduction: ScreenMessage? {
            model.notice.map {
                .key(.transferNoticeIntroduction, ["name": name(of: $0), "time": $0.createdAt.formatted()])
            }
        }

        private var question: String {
            model.notice.map { look.words(.transferNoticeQuestion, ["name": name(of: $0)]) } ?? ""
        }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .transferNotice, model.form, .transferNoticeTitle, introduction: introduction,
                send: { runner.send(.form($0)) }
            ) {
                if model.form.isRunning { ProgressView().accessibilityLabel(look.words(.working)) }
                if model.notice != nil { choices }
                if model.isFinished {
                    Button(look.words(.codeButton)) { runner.send(.finished) }
                        .buttonStyle(ThemedButtonStyle.primary)
                        .accessibilityIdentifier(ScreenName.transferNotice.identifier("finished"))
                }
                if !model.isLoaded, model.form.isEnabled {
                    Button(look.words(.reload)) { runner.send(.reload) }
                        .buttonStyle(ThemedButtonStyle.link)
                        .accessibilityIdentifier(ScreenName.transferNotice.identifier("reload"))
                }
            }
            .confirmationDialog(
                question,
                isPresented: Binding(
                    get: { @MainActor in model.isQuestionOpen },
                    set: { @MainActor in if !$0 { runner.send(.refused) } }),
                titleVisibility: .visible
            ) {
                Button(look.words(.transferNoticeUndo), role: .destructive) { runner.send(.confirmed) }
                Button(look.words(.cancel), role: .cancel) { runner.send(.refused) }
            }
            .task { runner.begin() }
        }

        @ViewBuilder
        private var choices: some View {
            Button(look.words(.transferNoticeMine)) { runner.send(.mine) }
                .buttonStyle(ThemedButtonStyle.primary)
                .disabled(!model.form.isEnabled)
                .accessibilityIdentifier(ScreenName.transferNotice.identifier("mine"))
            if model.canUndo {
                Button(look.words(.transferNoticeNotMine)) { runner.send(.notMine) }
                    .buttonStyle(ThemedButtonStyle.danger)
                    .disabled(!model.form.isEnabled)
                    .accessibilityIdentifier(ScreenName.transferNotice.identifier("notMine"))
            }
        }

        private func name(of notice: Notice) -> String {
            notice.device.name ?? notice.device.model ?? look.words(.sessionsUnknown)
        }
    }

    extension View {
        /// Asks the person in a sheet about each device that joins by a transfer code, as soon as the server speaks of it,
        /// at the next launch of the old device too. A guest's new device waits for that answer, or for a day.
        ///
        /// - Parameters:
        ///   - surroundings: The way to the server, and what else the screen needs.
        ///   - hooks: What the app hears; `show` and `close` are the screen's own.
        /// - Returns: the view with the sheet.
        public func okaeriTransferNotices(
            in surroundings: ScreenSurroundings, hooks: ScreenHooks = ScreenHooks()
        ) -> some View {
            TransferNoticeView(content: self, surroundings: surroundings, hooks: hooks)
        }
    }

    private struct TransferNoticeView<Content: View>: View {
        let content: Content
        let surroundings: ScreenSurroundings
        let hooks: ScreenHooks
        @State private var isAsking = false

        var body: some View {
            content
                .task {
                    for await notice in surroundings.client.notices where notice.kind == .deviceAdded {
                        isAsking = true
                    }
                }
                .sheet(isPresented: $isAsking) {
                    OkaeriScreens(.transferNotice, in: surroundings, hooks: hooks) { isAsking = false }
                }
        }
    }
#endif
