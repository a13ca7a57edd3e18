#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Okaeri
    public import SwiftUI

    /// All screens, one leading to the other, from one to begin with: what an app shows in a sheet.
    ///
    /// ```swift
    /// .sheet(isPresented: $isLoggingIn) {
    ///     OkaeriScreens(.logIn(identifier: ""), in: ScreenSurroundings(client: okaeri)) { isLoggingIn = false }
    /// }
    /// ```
    public struct OkaeriScreens: View {
        @State private var stack: ScreenStack
        private let surroundings: ScreenSurroundings
        private let logIn: LogInOptions
        private let signUp: SignUpOptions
        private let hooks: ScreenHooks
        private let finish: @MainActor () -> Void
        private var look = Look()

        /// Makes the screens.
        ///
        /// - Parameters:
        ///   - root: The screen to begin with.
        ///   - surroundings: The way to the server, and what else they need.
        ///   - logIn: The parts of the log-in screen. Parts that make no screen become ParseUI's standard.
        ///   - signUp: The parts of the screens that make an account.
        ///   - hooks: What the app hears and decides; `show` and `close` are the screens' own.
        ///   - finish: Takes the screens away: somebody is logged in, or the person left.
        public init(
            _ root: ScreenDestination, in surroundings: ScreenSurroundings, logIn: LogInOptions = LogInOptions(),
            signUp: SignUpOptions = SignUpOptions(), hooks: ScreenHooks = ScreenHooks(),
            finish: @escaping @MainActor () -> Void
        ) {
            _stack = State(initialValue: ScreenStack(root: root))
            self.surroundings = surroundings
            self.logIn = logIn
            self.signUp = signUp
            self.hooks = hooks
            self.finish = finish
        }

        /// The screens.
        public var body: some View {
            NavigationStack(path: $stack.path) {
                screen(stack.root, isRoot: true)
                    .environment(\.okaeriHasDismissButton, true)
                    .navigationDestination(for: ScreenDestination.self) { screen($0, isRoot: false) }
            }
            .environment(\.okaeriProof, stack.proof)
        }

        @ViewBuilder
        private func screen(_ destination: ScreenDestination, isRoot: Bool) -> some View {
            switch destination {
            case .logIn(let identifier): logInScreen(identifier, isRoot: isRoot)
            case .signUp(let identifier):
                SignUpScreen(runner(SignUpModel(signUpOptions(isRoot: isRoot), identifier: identifier)))
            case .upgrade: UpgradeScreen(runner(UpgradeModel(signUpOptions(isRoot: isRoot))))
            case .reset(let email): ResetScreen(runner(ResetModel(email: email, rules: signUp.rules)))
            case .code(let email): CodeScreen(runner(CodeModel(email: email)))
            case .verification(let email): CodeScreen(runner(CodeModel(.verification, email: email)))
            case .conflict(let conflict): ConflictScreen(runner(ConflictModel(conflict)))
            case .transferEntry: TransferEntryScreen(runner(TransferEntryModel()))
            case .reauthentication(let reason):
                PresenceView(reason: reason, client: surroundings.client, leave: leaveScreen) {
                    ReauthenticationScreen(runner(ReauthenticationModel($0, for: reason)))
                }
            case .transferCode: TransferCodeScreen(runner(TransferCodeModel()))
            case .transferNotice: TransferNoticeScreen(runner(TransferNoticeModel()))
            case .sessions: SessionsScreen(runner(SessionsModel()))
            case .deviceKeys: DeviceKeysScreen(runner(DeviceKeysModel()))
            case .passkeys: PasskeysScreen(runner(PasskeysModel()))
            case .secondFactor(let challenge, let method):
                SecondFactorScreen(runner(secondFactorModel(.logIn(challenge, by: method))))
            case .secondFactorPresence(let reason):
                SecondFactorScreen(runner(secondFactorModel(.presence(for: reason))))
            case .secondFactorEnrolment(let purpose):
                SecondFactorEnrolmentScreen(runner(SecondFactorEnrolmentModel(purpose)))
            case .recoveryCodes(let codes, let purpose):
                RecoveryCodesScreen(runner(RecoveryCodesModel(codes, after: purpose)))
            case .secondFactors: SecondFactorsScreen(runner(SecondFactorsModel()))
            case .deletion: DeletionScreen(runner(DeletionModel(word: look.words(.deletionWord))))
            case .home: EmptyView()
            }
        }

        @ViewBuilder
        private func logInScreen(_ identifier: String, isRoot: Bool) -> some View {
            if let model = logInModel(identifier, isRoot: isRoot) { LogInScreen(runner(model)) }
        }

        private func secondFactorModel(_ purpose: SecondFactorPurpose) -> SecondFactorModel {
            SecondFactorModel(purpose, offersPasskey: logIn.fields.contains(.passkey))
        }

        private func logInModel(_ identifier: String, isRoot: Bool) -> LogInModel? {
            var options = logIn
            // A screen on top of another one has a way back already.
            if !isRoot { options.isInNavigation = true }
            // Parts that make no screen are no reason to keep anybody out.
            return (try? LogInModel(options, identifier: identifier)) ?? (try? LogInModel())
        }

        private func signUpOptions(isRoot: Bool) -> SignUpOptions {
            var options = signUp
            if !isRoot { options.isInNavigation = true }
            return options
        }

        private func runner<Model: ScreenModel>(_ model: Model) -> ScreenRunner<Model> {
            var hooks = hooks
            let (show, succeeded) = (hooks.show, hooks.succeeded)
            hooks.show = { destination in
                show?(destination)
                stack.go(to: destination)
                if case .home = destination { finish() }
            }
            hooks.close = { leaveScreen() }
            hooks.succeeded = { screen, outcome in
                stack.hear(outcome, from: screen)
                await succeeded?(screen, outcome)
            }
            return ScreenRunner(model, in: surroundings, hooks: hooks)
        }

        private func leaveScreen() {
            if !stack.close() { finish() }
        }
    }

    private struct DismissButtonKey: EnvironmentKey {
        static let defaultValue = false
    }

    extension EnvironmentValues {
        /// Whether a screen has a dismiss button, whatever its own parts say: nothing else leads out of it.
        var okaeriHasDismissButton: Bool {
            get { self[DismissButtonKey.self] }
            set { self[DismissButtonKey.self] = newValue }
        }
    }

    /// Looks up who shall prove to be there. Where nobody is logged in any more, there is nobody to ask.
    private struct PresenceView<Content: View>: View {
        let reason: ScreenName
        let client: OkaeriClient
        let leave: @MainActor () -> Void
        let content: (User) -> Content
        @State private var user: User?
        private var look = Look()

        init(
            reason: ScreenName, client: OkaeriClient, leave: @escaping @MainActor () -> Void,
            @ViewBuilder content: @escaping (User) -> Content
        ) {
            self.reason = reason
            self.client = client
            self.leave = leave
            self.content = content
        }

        var body: some View {
            Group {
                if let user {
                    content(user)
                } else {
                    ProgressView().accessibilityLabel(look.words(.working))
                }
            }
            .task {
                guard user == nil else { return }
                user = await client.currentUser
                if user == nil { leave() }
            }
        }
    }
#endif
