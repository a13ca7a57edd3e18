#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Okaeri
    import OkaeriWire
    public import SwiftUI

    /// The sign-up screen, drawn.
    public struct SignUpScreen: View {
        @StateObject private var runner: ScreenRunner<SignUpModel>

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<SignUpModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        /// The screen.
        public var body: some View {
            AccountFormView(
                screen: .signUp, form: runner.model.form, options: runner.model.options, title: .signUpTitle,
                introduction: nil, button: .signUpButton
            ) { runner.send($0) }
            .task { runner.begin() }
        }
    }

    /// The screen "save your data", drawn.
    public struct UpgradeScreen: View {
        @StateObject private var runner: ScreenRunner<UpgradeModel>

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<UpgradeModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        /// The screen.
        public var body: some View {
            AccountFormView(
                screen: .upgrade, form: runner.model.form, options: runner.model.options, title: .upgradeTitle,
                introduction: .key(.upgradeIntroduction), button: .upgradeButton
            ) { runner.send($0) }
            .task { runner.begin() }
        }
    }

    /// What both of them draw.
    private struct AccountFormView: View {
        let screen: ScreenName
        let form: ScreenForm
        let options: SignUpOptions
        let title: TextKey
        let introduction: ScreenMessage?
        let button: TextKey
        let send: @MainActor (SignUpEvent) -> Void
        private var look = Look()

        init(
            screen: ScreenName, form: ScreenForm, options: SignUpOptions, title: TextKey,
            introduction: ScreenMessage?, button: TextKey, send: @escaping @MainActor (SignUpEvent) -> Void
        ) {
            self.screen = screen
            self.form = form
            self.options = options
            self.title = title
            self.introduction = introduction
            self.button = button
            self.send = send
        }

        var body: some View {
            ScreenFrame(
                screen, form, title, introduction: introduction, showsDismissButton: options.showsDismissButton,
                send: { send(.form($0)) }
            ) {
                if screen == .upgrade, options.offersPasskeys {
                    PasskeyButton(screen, .passkeysAdd, form) { send(.passkey) }
                }
                FieldsView(screen, form) { send(.form($0)) }
                if options.fields.contains(.signUpButton) {
                    SubmitButton(screen, form, button) { send(.form(.submit)) }
                }
                ProviderButtons(
                    screen, options.providers, title: screen == .upgrade ? .upgradeWith : .logInWith,
                    isEnabled: form.isEnabled
                ) { send(.provider($0)) }
                Button(look.words(.logInTitle)) { send(.logIn) }
                    .buttonStyle(ThemedButtonStyle.link)
                    .disabled(!form.isEnabled)
                    .accessibilityIdentifier(screen.identifier("logIn"))
            }
        }
    }
#endif
