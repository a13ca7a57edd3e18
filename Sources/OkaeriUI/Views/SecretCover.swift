#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import SwiftUI

    #if canImport(UIKit)
        import UIKit
    #endif

    extension View {
        /// Marks a secret, and hides it while the app is not in front: the system then takes the picture that the app
        /// switcher shows, where the mark changes nothing.
        ///
        /// - Parameters:
        ///   - isSecret: Whether it is one.
        ///   - isLegible: Whether it can be read as it stands; dots need no cover.
        /// - Returns: What shows it.
        func coveredSecret(_ isSecret: Bool = true, isLegible: Bool = true) -> some View {
            #if canImport(UIKit)
                SecretCover(content: privacySensitive(isSecret), covers: isSecret && isLegible)
            #else
                privacySensitive(isSecret)
            #endif
        }
    }

    #if canImport(UIKit)
        /// What listens to the system rather than to the scene's phase, which is no active one where UIKit shows a screen.
        private struct SecretCover<Content: View>: View {
            let content: Content
            let covers: Bool
            @State private var isAway = false

            init(content: Content, covers: Bool) {
                self.content = content
                self.covers = covers
            }

            var body: some View {
                content
                    .opacity(isAway && covers ? 0 : 1)
                    .onReceive(
                        NotificationCenter.default.publisher(for: UIApplication.willResignActiveNotification)
                    ) { _ in isAway = true }
                    .onReceive(
                        NotificationCenter.default.publisher(for: UIApplication.didBecomeActiveNotification)
                    ) { _ in isAway = false }
            }
        }
    #endif
#endif
