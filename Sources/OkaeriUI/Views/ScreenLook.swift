#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    @_spi(TotalConversions) public import OkaeriWire
    public import SwiftUI

    /// How screens look and what they say.
    public struct ScreenLook: Sendable {
        /// Colours, shapes, pictures.
        public var theme: Theme
        /// Words.
        public var texts: ScreenTexts

        /// Makes a look, with the words that the theme brings.
        ///
        /// - Parameters:
        ///   - theme: Colours, shapes, pictures.
        ///   - languages: BCP 47 tags, best first.
        public init(_ theme: Theme = Theme(), languages: [String] = SystemLanguages.preferred()) {
            self.theme = theme
            texts = ScreenTexts(languages: languages, own: theme.texts)
        }
    }

    private struct LookKey: EnvironmentKey {
        static let defaultValue = ScreenLook()
    }

    extension EnvironmentValues {
        /// How Okaeri's screens look and what they say.
        public var okaeriLook: ScreenLook {
            get { self[LookKey.self] }
            set { self[LookKey.self] = newValue }
        }
    }

    extension View {
        /// Gives Okaeri's screens below this view a theme.
        public func okaeriTheme(_ theme: Theme) -> some View {
            environment(\.okaeriLook, ScreenLook(theme))
        }
    }

    extension Color {
        nonisolated init(_ colour: Colour) {
            self.init(
                .sRGB, red: Double(colour.red) / 255, green: Double(colour.green) / 255,
                blue: Double(colour.blue) / 255, opacity: 1)
        }
    }

    /// The look of a view: the theme by day or night, the words, the letters.
    struct Look: DynamicProperty {
        @Environment(\.okaeriLook) private var look
        @Environment(\.colorScheme) private var scheme
        @Environment(\.accessibilityReduceMotion) private var reducesMotion

        var theme: Theme { look.theme }

        var logoAlignment: Alignment {
            switch theme.logoPosition {
            case .leading?: .leading
            case .trailing?: .trailing
            default: .center
            }
        }

        func guide(of screen: ScreenName) -> GuideText? {
            theme.guide(of: screen.rawValue, in: [look.texts.language])
        }

        subscript(_ token: Theme.ColourToken) -> Color {
            Color(theme.colour(token, in: scheme == .dark ? .dark : .light))
        }

        func words(_ message: ScreenMessage) -> String { look.texts(message) }

        func words(_ key: TextKey, _ values: [String: String] = [:]) -> String { look.texts(key, values) }

        /// Letters that grow with the person's choice (Dynamic Type).
        func font(_ style: Font.TextStyle) -> Font {
            let design: Font.Design
            switch theme.font {
            case .serif?: design = .serif
            case .rounded?: design = .rounded
            case .monospaced?: design = .monospaced
            default: design = .default
            }
            return .system(style, design: design)
        }

        /// Motion, unless the person wants little of it.
        var animation: Animation? { reducesMotion ? nil : .easeInOut(duration: 0.2) }
        /// Whether it is night.
        var isDark: Bool { scheme == .dark }

        func radius(_ height: CGFloat) -> CGFloat { CGFloat(theme.buttonRadius(height: Int(clamping: height))) }
    }
#endif
