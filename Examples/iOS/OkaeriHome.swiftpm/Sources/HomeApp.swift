#if canImport(SwiftUI)
    import Foundation
    import Okaeri
    import OkaeriUI
    import OkaeriWire
    import SwiftUI
    import UIKit

    @main
    struct HomeApp: App {
        private let start = Start()

        var body: some Scene {
            WindowGroup {
                if let okaeri = start.okaeri {
                    HomeView(okaeri: okaeri, application: start.application, redirect: start.redirect)
                        .okaeriTheme(start.theme)
                } else {
                    Text("Resources/settings.json cannot be read: \(start.fault)")
                }
            }
        }
    }

    /// What the settings file comes to.
    @MainActor
    private struct Start {
        var okaeri: OkaeriClient?
        var application = ""
        var redirect: URL?
        var theme = Theme()
        var fault = ""

        init() {
            do {
                let settings = try Settings.read(Settings.self, "settings", in: .main)
                theme = try Settings.read(Theme.self, settings.theme, in: .main)
                application = settings.application
                redirect = settings.redirect
                okaeri = OkaeriClient(server: settings.server, application: settings.application)
            } catch {
                fault = "\(error)"
            }
        }
    }

    struct HomeView: View {
        let okaeri: OkaeriClient
        let application: String
        let redirect: URL?
        @State private var home = Home.waiting
        @State private var isShowing = false
        @State private var destination = ScreenDestination.upgrade
        @State private var profile: ApplicationProfile?
        @Environment(\.okaeriLook) private var look

        var body: some View {
            VStack(spacing: 24) {
                Text(home.guide(in: look.texts.language)).multilineTextAlignment(.center)
                if let title = home.button(look.texts), let destination = home.destination {
                    Button(title) { show(destination) }
                }
                if case .next = home { NextView(okaeri: okaeri, show: show) }
            }
            .padding(24)
            .task {
                for await state in okaeri.states {
                    home = Home(state)
                    guard case .loggedOut(.firstLaunch) = state else { continue }
                    // A guest from the first launch on. Without a network the log-in screen has a button for it.
                    _ = try? await okaeri.logInAutomatically()
                }
            }
            .task {
                // Without the server's rules the standard ones count.
                profile = try? await okaeri.applicationProfile()
            }
            // Listed, so that the sheet has the present values, and not those with which this view was drawn.
            .sheet(isPresented: $isShowing) { [destination, profile] in screens(destination, profile) }
            // A guest's new phone waits for the answer.
            .okaeriTransferNotices(in: surroundings)
        }

        private func show(_ destination: ScreenDestination) {
            self.destination = destination
            isShowing = true
        }

        private func screens(_ destination: ScreenDestination, _ profile: ApplicationProfile?) -> some View {
            OkaeriScreens(
                destination, in: surroundings,
                logIn: profile.map { LogInOptions($0, fields: fields) }
                    ?? LogInOptions(fields: [.default, .guestButton]),
                signUp: profile.map(SignUpOptions.init(_:)) ?? SignUpOptions()
            ) { isShowing = false }
        }

        private var fields: LogInFields {
            redirect == nil
                ? [.default, .rememberMe, .transferCode, .guestButton]
                : [.default, .rememberMe, .transferCode, .guestButton, .webLogIn]
        }

        private var surroundings: ScreenSurroundings {
            ScreenSurroundings(
                client: okaeri, credentials: AppleProviders { Self.window },
                memory: DefaultsMethodMemory(application: application),
                web: redirect.map { WebLogInWay(BrowserSheet { Self.window }, redirect: $0) })
        }

        private static var window: UIWindow? {
            UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.flatMap(\.windows)
                .first { $0.isKeyWindow }
        }
    }

    /// The next screen: for people with an account of their own.
    struct NextView: View {
        let okaeri: OkaeriClient
        let show: @MainActor (ScreenDestination) -> Void
        @State private var isLeaving = false
        @Environment(\.okaeriLook) private var look

        var body: some View {
            VStack(spacing: 16) {
                Button(look.texts(.transferTitle)) { show(.transferCode) }
                Button(look.texts(.sessionsTitle)) { show(.sessions) }
                Button(look.texts(.deletionTitle)) { show(.deletion) }
                Button(look.texts(.sessionsEnd)) { isLeaving = true }
                    .confirmationDialog(
                        look.texts(.logOutRegistered), isPresented: $isLeaving, titleVisibility: .visible
                    ) {
                        Button(look.texts(.sessionsEnd)) { Task { await okaeri.logOut() } }
                    }
            }
        }
    }
#endif
