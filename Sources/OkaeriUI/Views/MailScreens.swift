#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import OkaeriWire
    public import SwiftUI

    /// The screens that wait for a mailed code, drawn: to log in, and to verify an address.
    public struct CodeScreen: View {
        @StateObject private var runner: ScreenRunner<CodeModel>
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<CodeModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: CodeModel { runner.model }
        private var isVerification: Bool { model.purpose == .verification }

        private var introduction: ScreenMessage? {
            if isVerification { return .key(.verificationIntroduction, ["name": model.email]) }
            return model.step == .address ? .key(.codeIntroduction) : nil
        }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                model.screen, model.form, isVerification ? .verificationTitle : .codeTitle, introduction: introduction,
                showsDismissButton: isVerification, restore: { runner.send(.restore) }, send: { runner.send(.form($0)) }
            ) {
                FieldsView(model.screen, model.form) { runner.send(.form($0)) }
                SubmitButton(model.screen, model.form, model.step == .address ? .codeSendButton : .codeButton) {
                    runner.send(.form(.submit))
                }
                if model.step == .code {
                    ResendButton(screen: model.screen, pause: model.resendPause, isEnabled: model.canResend) {
                        runner.send(.resend)
                    }
                    if !isVerification {
                        Button(look.words(.codeOtherAddress)) { runner.send(.otherAddress) }
                            .buttonStyle(ThemedButtonStyle.link)
                            .disabled(!model.form.isEnabled)
                            .accessibilityIdentifier(model.screen.identifier("otherAddress"))
                    }
                }
            }
            .task { runner.begin() }
        }
    }

    /// The screen for a forgotten password, drawn.
    public struct ResetScreen: View {
        @StateObject private var runner: ScreenRunner<ResetModel>
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<ResetModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: ResetModel { runner.model }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .reset, model.form, .resetTitle,
                introduction: model.step == .address ? .key(.resetIntroduction) : nil,
                send: { runner.send(.form($0)) }
            ) {
                if model.step == .done {
                    Button(look.words(.logInTitle)) { runner.send(.logIn) }
                        .buttonStyle(ThemedButtonStyle.primary)
                        .accessibilityIdentifier(ScreenName.reset.identifier("logIn"))
                } else {
                    FieldsView(.reset, model.form) { runner.send(.form($0)) }
                    SubmitButton(.reset, model.form, model.step == .address ? .resetButton : .resetNewButton) {
                        runner.send(.form(.submit))
                    }
                }
                switch model.step {
                case .address: link(.resetHaveCode, "haveCode", .haveCode)
                case .newPassword:
                    if !model.email.isEmpty {
                        ResendButton(screen: .reset, pause: model.resendPause, isEnabled: model.canResend) {
                            runner.send(.resend)
                        }
                    }
                    link(.codeOtherAddress, "otherAddress", .otherAddress)
                case .done: EmptyView()
                }
            }
            .task { runner.begin() }
        }

        private func link(_ title: TextKey, _ name: String, _ event: ResetEvent) -> some View {
            Button(look.words(title)) { runner.send(event) }
                .buttonStyle(ThemedButtonStyle.link)
                .disabled(!model.form.isEnabled)
                .accessibilityIdentifier(ScreenName.reset.identifier(name))
        }
    }

    /// "Send again", with the seconds until then.
    struct ResendButton: View {
        let screen: ScreenName
        let pause: ScreenCountdown?
        let isEnabled: Bool
        let action: @MainActor () -> Void
        private var look = Look()

        init(screen: ScreenName, pause: ScreenCountdown?, isEnabled: Bool, action: @escaping @MainActor () -> Void) {
            self.screen = screen
            self.pause = pause
            self.isEnabled = isEnabled
            self.action = action
        }

        var body: some View {
            Button(action: action) {
                if let pause {
                    Text(look.words(.codeResendIn, ["seconds": String(pause.secondsLeft)]))
                } else {
                    Text(look.words(.codeResend))
                }
            }
            .buttonStyle(ThemedButtonStyle.link)
            .disabled(!isEnabled)
            .accessibilityIdentifier(screen.identifier("resend"))
        }
    }
#endif
