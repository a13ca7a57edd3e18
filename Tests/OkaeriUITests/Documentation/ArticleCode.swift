import Foundation
import Okaeri
import OkaeriUI
import OkaeriWire

// The code of the articles in OkaeriUI.docc, so that it compiles: here, and against the stand-ins for SwiftUI.

/// Screens.md
@MainActor
func signUpByHand(_ okaeri: OkaeriClient) -> ScreenRunner<SignUpModel> {
    let screen = ScreenRunner(SignUpModel(), in: ScreenSurroundings(client: okaeri))
    screen.begin()
    screen.send(.form(.typed(.username, "hana")))
    screen.send(.form(.typed(.password, "wind over the sea 7")))
    screen.send(.form(.typed(.email, "hana@example.com")))
    screen.send(.form(.submit))
    return screen
}

/// Screens.md
func ownHooks() -> ScreenHooks {
    ScreenHooks(
        shouldBegin: { submission in
            guard submission.username != "admin" else { return .refuse([.username: "Not this one."]) }
            return .proceed
        },
        succeeded: { screen, outcome in
            if case .signedUp(let user) = outcome { print("hello", user.id) }
        })
}

/// Screens.md
func optionsFromServer(_ okaeri: OkaeriClient) async throws -> (LogInOptions, SignUpOptions) {
    let profile = try await okaeri.applicationProfile()
    let logIn = LogInOptions(profile, fields: [.default, .rememberMe, .transferCode])
    let signUp = SignUpOptions(profile)
    return (logIn, signUp)
}

/// Themes.md
func readTheme(_ file: URL) throws -> Theme {
    let theme = try JSONDecoder().decode(Theme.self, from: Data(contentsOf: file))
    for fault in theme.contrastFaults() {
        print("\(fault.pair.front) on \(fault.pair.back), \(fault.appearance): \(fault.ratio)")
    }
    return theme
}

#if canImport(SwiftUI)
    import SwiftUI

    /// Screens.md
    struct ProfileView: View {
        let okaeri: OkaeriClient
        let theme: Theme
        @State private var isSaving = false

        var body: some View {
            Button("Save your data") { isSaving = true }
                .sheet(isPresented: $isSaving) {
                    OkaeriScreens(.upgrade, in: ScreenSurroundings(client: okaeri)) { isSaving = false }
                        .okaeriTheme(theme)
                }
        }
    }
#endif

#if canImport(UIKit)
    import UIKit

    /// Screens.md
    @MainActor
    func present(_ okaeri: OkaeriClient, from controller: UIViewController, delegate: any ScreenDelegate) {
        let screens = OkaeriHostingController(
            .logIn(identifier: ""), in: ScreenSurroundings(client: okaeri), delegate: delegate)
        controller.present(screens, animated: true)
    }

    /// Screens.md
    @MainActor
    func pages(_ okaeri: OkaeriClient, in window: UIWindow, backTo redirect: URL) -> ScreenSurroundings {
        ScreenSurroundings(
            client: okaeri,
            web: WebLogInWay(BrowserSheet { window }, redirect: redirect))
    }

    /// Screens.md
    @MainActor
    func saved(_ okaeri: OkaeriClient, in window: UIWindow) -> ScreenSurroundings {
        let providers = AppleProviders { window }
        let surroundings = ScreenSurroundings(client: okaeri, credentials: providers, saved: providers)
        return surroundings
    }
#endif
