#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import Foundation
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

extension ScreenSurroundings {
    /// Puts a text on the system's pasteboard; `nil` on systems that have none. What the screens copy are secrets: they stay
    /// on this device, where phones and tablets forget them after an hour. An app that wants something else gives a function
    /// of its own.
    public static var systemCopy: (@MainActor @Sendable (String) -> Void)? {
        #if (canImport(UIKit) && !os(watchOS) && !os(tvOS)) || canImport(AppKit)
            putOnPasteboard
        #else
            nil
        #endif
    }

    #if (canImport(UIKit) && !os(watchOS) && !os(tvOS)) || canImport(AppKit)
        @MainActor
        private static func putOnPasteboard(_ text: String) {
            #if canImport(UIKit)
                UIPasteboard.general.setItems(
                    [["public.utf8-plain-text": text]],
                    options: [.localOnly: true, .expirationDate: Date(timeIntervalSinceNow: 3600)])
            #else
                NSPasteboard.general.prepareForNewContents(with: .currentHostOnly)
                NSPasteboard.general.setString(text, forType: .string)
            #endif
        }
    #endif
}
