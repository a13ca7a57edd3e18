#if canImport(UIKit) && canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Okaeri
    public import OkaeriWire
    public import SwiftUI
    import UIKit

    /// All screens for apps that present them from UIKit, as ParseUI's controllers were: a form sheet that comes from below
    /// and takes itself away.
    ///
    /// ```swift
    /// present(OkaeriHostingController(.logIn(identifier: ""), in: surroundings), animated: true)
    /// ```
    public final class OkaeriHostingController: UIHostingController<AnyView> {
        /// Makes a controller.
        ///
        /// - Parameters:
        ///   - root: The screen to begin with.
        ///   - surroundings: The way to the server, and what else the screens need.
        ///   - theme: Colours, shapes, pictures, words.
        ///   - logIn: The parts of the log-in screen.
        ///   - signUp: The parts of the screens that make an account.
        ///   - delegate: Who hears and decides; it is not kept alive.
        public init(
            _ root: ScreenDestination, in surroundings: ScreenSurroundings, theme: Theme = Theme(),
            logIn: LogInOptions = LogInOptions(), signUp: SignUpOptions = SignUpOptions(),
            delegate: (any ScreenDelegate)? = nil
        ) {
            let closer = Closer()
            super.init(
                rootView: AnyView(
                    OkaeriScreens(
                        root, in: surroundings, logIn: logIn, signUp: signUp,
                        hooks: delegate.map(ScreenHooks.init(_:)) ?? ScreenHooks(), finish: { closer.close() }
                    )
                    .okaeriTheme(theme)))
            closer.controller = self
            modalPresentationStyle = .formSheet
            modalTransitionStyle = .coverVertical
        }

        /// Not made from an archive.
        public required init?(coder: NSCoder) {
            return nil
        }
    }

    /// Takes the controller away, which does not exist yet when its view is made.
    @MainActor
    private final class Closer {
        weak var controller: UIViewController?

        func close() {
            controller?.dismiss(animated: true, completion: nil)
        }
    }
#endif
