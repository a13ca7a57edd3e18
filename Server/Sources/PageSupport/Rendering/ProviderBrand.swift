package import Domain
import Foundation

/// How a provider is shown: its name, and on buttons the colours and the sign that its own rules want (LINE Login button
/// guidelines; Kakao Login design guide; 네이버 로그인 button guide; Yahoo! JAPAN ID button guidelines).
package struct ProviderBrand: Sendable {
    package let name: String
    /// The part of a class in the style sheet; `nil` for a button in the page's own colours.
    package let style: String?
    /// The sign as SVG, drawn for these pages.
    package let mark: String?

    private init(_ provider: Identity.Provider, style: String? = nil, mark: String? = nil) {
        name = provider.isOpenIDConnect ? provider.brandName.capitalized : provider.brandName
        self.style = style
        self.mark = mark.map {
            #"<svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">\#($0)</svg>"#
        }
    }

    /// The brand of a provider.
    package static func of(_ provider: Identity.Provider) -> ProviderBrand {
        if let known = known[provider] { return known }
        return ProviderBrand(provider)
    }

    /// The providers that have settings of their own, in the order of the dashboard.
    package static let all: [Identity.Provider] = [
        .apple, .google, .line, .yahooJapan, .kakao, .naver, .facebook, .twitter, .gameCenter,
    ]

    private static let known: [Identity.Provider: ProviderBrand] = [
        .apple: ProviderBrand(.apple), .google: ProviderBrand(.google), .facebook: ProviderBrand(.facebook),
        .twitter: ProviderBrand(.twitter), .gameCenter: ProviderBrand(.gameCenter),
        .line: ProviderBrand(
            .line, style: "line",
            mark: #"<path fill="currentColor" d="M12 3C6.5 3 2 6.6 2 11c0 4 3.6 7.3 8.4 7.9.7.1.6.6.4 1.9 0 "#
                + #".4.2.6.6.4 3.8-2.1 10.6-5.7 10.6-10.2C22 6.6 17.5 3 12 3z"/>"#),
        .kakao: ProviderBrand(
            .kakao, style: "kakao",
            mark: #"<path fill="currentColor" d="M12 4C6.5 4 2 7.4 2 11.6c0 2.7 1.9 5.1 4.7 6.4l-1 3.6 "#
                + #"4.2-2.8c.7.1 1.4.1 2.1.1 5.5 0 10-3.4 10-7.5S17.5 4 12 4z"/>"#),
        .naver: ProviderBrand(
            .naver, style: "naver", mark: #"<path fill="currentColor" d="M5 5h4.5l5 7.2V5H19v14h-4.5l-5-7.2V19H5z"/>"#),
        .yahooJapan: ProviderBrand(
            .yahooJapan, style: "yahoojapan",
            mark: #"<path fill="currentColor" d="M2 6h4l2.5 5L11 6h4l-4.7 9v4H6.6v-4zM17.5 5h3.5l-1 9h-1.5z"/> "#
                + #"<circle fill="currentColor" cx="19.2" cy="17.2" r="1.8"/>"#),
    ]
}
