#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import OkaeriWire
    public import SwiftUI

    /// The log-in screen, drawn. Take it as it is, give it a theme, or draw the model yourself.
    public struct LogInScreen: View {
        @StateObject private var runner: ScreenRunner<LogInModel>
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<LogInModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: LogInModel { runner.model }
        private var fields: LogInFields { model.options.fields }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .logIn, model.form, .logInTitle, showsDismissButton: model.showsDismissButton,
                restore: { runner.send(.restore) }, send: { runner.send(.form($0)) }
            ) {
                FieldsView(.logIn, model.form) { runner.send(.form($0)) }
                if fields.contains(.logInButton) {
                    SubmitButton(.logIn, model.form, .logInButton) { runner.send(.form(.submit)) }
                }
                if fields.contains(.passwordForgotten) { link(.logInForgot, "forgot", .passwordForgotten) }
                if fields.contains(.passkey) {
                    PasskeyButton(.logIn, .logInPasskey, model.form) { runner.send(.passkey) }
                }
                ProviderButtons(
                    .logIn, model.options.allProviders, lastMethod: model.lastMethod, isEnabled: model.form.isEnabled
                ) { runner.send(.provider($0)) }
                if fields.contains(.webLogIn) { link(.logInWeb, "web", .web, .web) }
                if fields.contains(.mailedCode) { link(.logInCode, "code", .mailedCode, .code) }
                if fields.contains(.transferCode) { link(.logInTransfer, "transfer", .transferCode, .transferCode) }
                if fields.contains(.signUpButton) {
                    Button(look.words(.logInSignUp)) { runner.send(.signUp) }
                        .buttonStyle(ThemedButtonStyle.secondary)
                        .disabled(!model.form.isEnabled)
                        .accessibilityIdentifier(ScreenName.logIn.identifier("signUp"))
                }
                if fields.contains(.guestButton) { link(model.guestTitle, "guest", .guest, .guest) }
            }
            .task { runner.begin() }
        }

        private func link(
            _ title: TextKey, _ name: String, _ event: LogInEvent, _ method: LogInMethod? = nil
        ) -> some View {
            Button {
                runner.send(event)
            } label: {
                HStack(spacing: 8) {
                    Text(look.words(title))
                    if let method, method == model.lastMethod { LastUsedBadge() }
                }
            }
            .buttonStyle(ThemedButtonStyle.link)
            .disabled(!model.form.isEnabled)
            .accessibilityIdentifier(ScreenName.logIn.identifier(name))
        }
    }
#endif
