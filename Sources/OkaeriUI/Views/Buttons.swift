#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Okaeri
    import OkaeriWire
    import SwiftUI

    #if canImport(AuthenticationServices)
        import AuthenticationServices
    #endif

    /// A button in two colours of the theme.
    struct ThemedButtonStyle: ButtonStyle {
        let front: Theme.ColourToken
        let back: Theme.ColourToken?
        var minimumHeight: CGFloat = 44

        func makeBody(configuration: Configuration) -> some View {
            ThemedButton(configuration: configuration, front: front, back: back, minimumHeight: minimumHeight)
        }

        /// What the screen is for: 56 points, as ParseUI's.
        static var primary: ThemedButtonStyle {
            ThemedButtonStyle(front: .onPrimary, back: .primary, minimumHeight: 56)
        }
        /// What stands beside it.
        static var secondary: ThemedButtonStyle { ThemedButtonStyle(front: .onSecondary, back: .secondary) }
        /// What leads elsewhere.
        static var link: ThemedButtonStyle { ThemedButtonStyle(front: .link, back: nil) }
        /// What cannot be taken back easily.
        static var danger: ThemedButtonStyle { ThemedButtonStyle(front: .danger, back: nil) }
    }

    private struct ThemedButton: View {
        let configuration: ButtonStyleConfiguration
        let front: Theme.ColourToken
        let back: Theme.ColourToken?
        let minimumHeight: CGFloat
        @Environment(\.isEnabled) private var isEnabled
        private var look = Look()

        init(
            configuration: ButtonStyleConfiguration, front: Theme.ColourToken, back: Theme.ColourToken?,
            minimumHeight: CGFloat
        ) {
            self.configuration = configuration
            self.front = front
            self.back = back
            self.minimumHeight = minimumHeight
        }

        var body: some View {
            configuration.label
                .font(look.font(.headline))
                .multilineTextAlignment(.center)
                .padding(.horizontal, 16)
                .frame(maxWidth: .infinity, minHeight: minimumHeight)
                .foregroundStyle(look[front])
                .background(back.map { look[$0] } ?? Color.clear)
                .clipShape(RoundedRectangle(cornerRadius: look.radius(minimumHeight), style: .continuous))
                .opacity(configuration.isPressed ? 0.7 : isEnabled ? 1 : 0.5)
        }
    }

    /// The button that sends a form; it turns while the server is asked, and tells how long a pause is.
    struct SubmitButton: View {
        let screen: ScreenName
        let form: ScreenForm
        let title: TextKey
        let action: @MainActor () -> Void
        private var look = Look()

        init(_ screen: ScreenName, _ form: ScreenForm, _ title: TextKey, action: @escaping @MainActor () -> Void) {
            self.screen = screen
            self.form = form
            self.title = title
            self.action = action
        }

        var body: some View {
            Button(action: action) {
                if form.isRunning {
                    ProgressView().tint(look[.onPrimary]).accessibilityLabel(look.words(.working))
                } else if let pause = form.pause {
                    Text(look.words(.retryIn, ["seconds": String(pause.secondsLeft)]))
                } else {
                    Text(look.words(title))
                }
            }
            .buttonStyle(ThemedButtonStyle.primary)
            .disabled(!form.canSubmit)
            .accessibilityIdentifier(screen.identifier("submit"))
        }
    }

    /// The buttons of providers: side by side with short titles when there are two, as ParseUI's.
    struct ProviderButtons: View {
        let screen: ScreenName
        let providers: [ProviderOption]
        let title: TextKey
        let lastMethod: LogInMethod?
        let isEnabled: Bool
        let action: @MainActor (Provider) -> Void
        private var look = Look()

        init(
            _ screen: ScreenName, _ providers: [ProviderOption], title: TextKey = .logInWith,
            lastMethod: LogInMethod? = nil, isEnabled: Bool, action: @escaping @MainActor (Provider) -> Void
        ) {
            self.screen = screen
            self.providers = providers
            self.title = title
            self.lastMethod = lastMethod
            self.isEnabled = isEnabled
            self.action = action
        }

        var body: some View {
            if providers.count == 2 {
                HStack(spacing: 12) { ForEach(providers) { button($0, isShort: true) } }
            } else {
                VStack(spacing: 12) { ForEach(providers) { button($0, isShort: false) } }
            }
        }

        @ViewBuilder
        private func button(_ option: ProviderOption, isShort: Bool) -> some View {
            #if canImport(AuthenticationServices) && canImport(UIKit)
                if option.provider == .apple {
                    appleButton
                } else {
                    drawnButton(option, isShort: isShort)
                }
            #else
                drawnButton(option, isShort: isShort)
            #endif
        }

        #if canImport(AuthenticationServices) && canImport(UIKit)
            private var appleButton: some View {
                VStack(spacing: 4) {
                    AppleIDButton(title == .logInWith ? .signIn : .continue) { action(.apple) }
                        .disabled(!isEnabled)
                        .accessibilityIdentifier(screen.identifier("provider.apple"))
                    if lastMethod == .provider(.apple) { LastUsedBadge().foregroundStyle(look[.text]) }
                }
            }
        #endif

        private func drawnButton(_ option: ProviderOption, isShort: Bool) -> some View {
            let name = look.words(option.name)
            let long = look.words(title, ["provider": name])
            return Button {
                action(option.provider)
            } label: {
                HStack(spacing: 8) {
                    if option.provider == .apple { Image(systemName: "apple.logo") }
                    Text(isShort ? name : long)
                    if lastMethod == .provider(option.provider) { LastUsedBadge() }
                }
            }
            .buttonStyle(ProviderButtonStyle(provider: option.provider))
            .disabled(!isEnabled)
            .accessibilityLabel(long)
            .accessibilityIdentifier(screen.identifier("provider.\(option.provider.rawValue)"))
        }
    }

    /// "Last used", beside a way to log in.
    struct LastUsedBadge: View {
        private var look = Look()

        init() {}

        var body: some View {
            Text(look.words(.logInLastUsed))
                .font(look.font(.caption))
                .padding(.horizontal, 8)
                .padding(.vertical, 2)
                .overlay(Capsule().stroke(lineWidth: 1))
        }
    }

    /// A provider's own colours: Apple's are black and white (its guidelines), others take the theme's.
    private struct ProviderButtonStyle: ButtonStyle {
        let provider: Provider
        private var look = Look()

        init(provider: Provider) {
            self.provider = provider
        }

        func makeBody(configuration: Configuration) -> some View {
            configuration.label
                .font(look.font(.headline))
                .padding(.horizontal, 12)
                .frame(maxWidth: .infinity, minHeight: 44)
                .foregroundStyle(front)
                .background(back)
                .clipShape(RoundedRectangle(cornerRadius: look.radius(44), style: .continuous))
                .overlay(
                    RoundedRectangle(cornerRadius: look.radius(44), style: .continuous)
                        .stroke(look[.border], lineWidth: 1)
                )
                .opacity(configuration.isPressed ? 0.7 : 1)
        }

        private var front: Color {
            provider == .apple ? (look.isDark ? .black : .white) : look[.text]
        }

        private var back: Color {
            provider == .apple ? (look.isDark ? .white : .black) : look[.surface]
        }
    }

    /// The button of what a passkey does on a screen.
    struct PasskeyButton: View {
        let screen: ScreenName
        let title: TextKey
        let form: ScreenForm
        let action: @MainActor () -> Void
        private var look = Look()

        init(_ screen: ScreenName, _ title: TextKey, _ form: ScreenForm, action: @escaping @MainActor () -> Void) {
            self.screen = screen
            self.title = title
            self.form = form
            self.action = action
        }

        var body: some View {
            Button(action: action) {
                HStack(spacing: 8) {
                    Image(systemName: "person.badge.key").accessibilityHidden(true)
                    Text(look.words(title))
                }
            }
            .buttonStyle(ThemedButtonStyle.secondary)
            .disabled(!form.isEnabled)
            .accessibilityIdentifier(screen.identifier("passkey"))
        }
    }
#endif
