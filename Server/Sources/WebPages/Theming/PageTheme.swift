import Crypto
import Domain
import Foundation
import OkaeriWire
import PageSupport
import Synchronization

/// How one application's pages look: its theme as style, texts and pictures, and the pages that were drawn with it.
final class PageTheme: Sendable {
    let application: Application
    let brand: String
    /// The first letter of the brand, in place of a logo.
    let mark: String
    /// Custom properties for both appearances.
    let style: String
    /// The same for apps that show themselves in one appearance alone.
    let styles: [String: String]
    let texts: PageTexts
    let logo: Picture?
    let background: Picture?
    private let drawn = Mutex<[String: KeptPage]>([:])
    /// More are drawn anew each time.
    private static let maximumDrawn = 64

    /// A picture that is part of the theme.
    struct Picture: Sendable {
        let bytes: [UInt8]
        let mediaType: String
        let path: String
    }

    init(_ application: Application, texts: PageTexts) {
        let theme = application.settings.theme.flatMap { Theme(stored: $0) } ?? Theme()
        self.application = application
        brand = theme.brand ?? application.name
        mark = brand.first.map { String($0).uppercased() } ?? ""
        logo = Picture(theme.logo, named: "logo", of: application)
        background = Picture(theme.backgroundImage, named: "background", of: application)
        let picture = background?.path
        style = theme.style(backgroundPath: picture)
        styles = Dictionary(
            uniqueKeysWithValues: Theme.Appearance.allCases.map {
                ($0.rawValue, theme.style(backgroundPath: picture, only: $0))
            })
        var own: [PageLanguage: [String: String]] = [:]
        for (tag, words) in theme.texts {
            if let language = PageLanguage.first(of: [tag]) { own[language, default: [:]].merge(words) { $1 } }
        }
        self.texts = texts.replacing(own)
    }

    var hasPicture: Bool { background != nil }
    var logoPath: String? { logo?.path }

    /// A page, drawn when it was not before.
    func kept(_ key: String, orDraw draw: () throws -> KeptPage) rethrows -> KeptPage {
        if let page = drawn.withLock({ $0[key] }) { return page }
        let page = try draw()
        drawn.withLock { drawn in
            if drawn.count < Self.maximumDrawn { drawn[key] = page }
        }
        return page
    }
}

/// The themes of all applications that were asked for, until they change.
final class PageThemes: Sendable {
    private let known = Mutex<[Identifier<Application>: PageTheme]>([:])
    private static let maximum = 1000

    func theme(of application: Application, texts: PageTexts) -> PageTheme {
        if let theme = known.withLock({ $0[application.id] }), theme.application == application { return theme }
        let theme = PageTheme(application, texts: texts)
        known.withLock { known in
            if known.count >= Self.maximum { known.removeAll() }
            known[application.id] = theme
        }
        return theme
    }
}

extension PageTheme.Picture {
    /// `nil` for a picture that the theme does not hold itself: pages load nothing from elsewhere.
    init?(_ picture: ThemePicture?, named name: String, of application: Application) {
        guard case .inline(let mediaType, let base64)? = picture?.place, let data = Data(base64Encoded: base64) else {
            return nil
        }
        bytes = Array(data)
        self.mediaType = mediaType
        let digest = Base64URL.text(of: Array(SHA256.hash(data: bytes).prefix(9)))
        path = "/a/\(application.id.rawValue)/theme/\(name)-\(digest)"
    }
}

extension Theme {
    /// Reads what is stored; `nil` for what is no theme, which only an older or newer program can have stored.
    init?(stored: JSONValue) {
        guard let theme = try? stored.decoded(as: Theme.self) else { return nil }  // Then the standard one is shown.
        self = theme
    }

    /// The theme as custom properties. Colours are hexadecimal digits and shapes are numbers: nothing can end the style.
    func style(backgroundPath: String?, only appearance: Appearance? = nil) -> String {
        func colours(_ appearance: Appearance) -> String {
            ColourToken.allCases.map { "\($0.cssName):\(colour($0, in: appearance).hex)" }.joined(separator: ";")
        }
        let radius = cornerRadius ?? Theme.standardCornerRadius
        let letters =
            switch font {
            case .serif?: #""Hiragino Mincho ProN","Noto Serif CJK JP",ui-serif,Georgia,serif"#
            case .rounded?: #"ui-rounded,"Hiragino Maru Gothic ProN","SF Pro Rounded",system-ui,sans-serif"#
            case .monospaced?: #"ui-monospace,"SFMono-Regular",Menlo,monospace"#
            default:
                #"system-ui,-apple-system,"Segoe UI","Hiragino Sans","Noto Sans CJK JP","Noto Sans KR",sans-serif"#
            }
        let dark = "@media (prefers-color-scheme:dark){:root{\(colours(.dark))}}"
        let picture = backgroundPath.map { #";--okaeri-picture:url("\#($0)")"# } ?? ""
        return """
            :root{\(colours(appearance ?? .light));--okaeri-radius:\(radius)px;\
            --okaeri-button-radius:\(buttonRadius(height: 48))px;--okaeri-font:\(letters)\(picture)}\
            \(appearance.map { ":root{color-scheme:\($0.rawValue)}" } ?? dark)
            """
    }
}
