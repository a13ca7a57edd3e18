#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

extension ScreenSurroundings {
    /// Puts a text on the system's pasteboard, where it stays; `nil` on systems that have none. An app that lets it expire
    /// gives a function of its own.
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
                UIPasteboard.general.string = text
            #else
                NSPasteboard.general.clearContents()
                NSPasteboard.general.setString(text, forType: .string)
            #endif
        }
    #endif
}
