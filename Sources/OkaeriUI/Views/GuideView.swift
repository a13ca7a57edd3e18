#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import OkaeriWire
    import SwiftUI

    /// The operator's text on a screen; its links open in the browser and in the mail program.
    struct GuideView: View {
        let screen: ScreenName
        let guide: GuideText
        private var look = Look()

        init(screen: ScreenName, guide: GuideText) {
            self.screen = screen
            self.guide = guide
        }

        var body: some View {
            Text(text)
                .font(look.font(.body))
                .foregroundStyle(look[.text])
                .tint(look[.link])
                .multilineTextAlignment(.center)
                .accessibilityIdentifier(screen.identifier("guide"))
        }

        private var text: AttributedString {
            guide.parts.reduce(into: AttributedString()) { text, part in
                switch part {
                case .words(let words): text += AttributedString(words)
                case .link(let words, let address):
                    var link = AttributedString(words)
                    link.link = URL(string: address)
                    text += link
                }
            }
        }
    }
#endif
