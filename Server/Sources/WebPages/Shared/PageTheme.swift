import Crypto
import Domain
import Foundation
import HTTPSupport
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
            Theme.Appearance.allCases.map {
                ($0.rawValue, theme.style(backgroundPath: picture, only: $0))
            }, uniquingKeysWith: { $1 })
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
