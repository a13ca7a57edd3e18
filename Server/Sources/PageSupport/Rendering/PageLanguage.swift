import Domain
import HTTPSupport
import Hummingbird

/// A language that pages are written in.
package enum PageLanguage: String, CaseIterable, Hashable, Sendable {
    case english = "en"
    case japanese = "ja"
    case korean = "ko"

    /// The language's own name for itself.
    package var ownName: String {
        switch self {
        case .english: "English"
        case .japanese: "日本語"
        case .korean: "한국어"
        }
    }

    /// The first language of a list that pages are written in. Only the first part of a tag counts: `ko-KR` is Korean.
    ///
    /// - Parameter tags: BCP 47 tags, the most wanted first.
    /// - Returns: `nil` when there is none.
    package static func first(of tags: [String]) -> PageLanguage? {
        tags.lazy.compactMap { tag in
            PageLanguage(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
        }.first
    }
}

extension PageRequest {
    /// What the partial `languages` shows: links to the same page in each language.
    ///
    /// - Parameter path: The page's path.
    /// - Returns: a model for each language.
    package func languageLinks(to path: String) -> [PageTemplates.Model] {
        languageLinks(to: path, with: query.all.map { ($0.name, $0.value) })
    }

    /// The same for another page.
    ///
    /// - Parameters:
    ///   - path: The page's path.
    ///   - query: What its address has beside the language.
    /// - Returns: a model for each language.
    package func languageLinks(to path: String, with query: [(String, String)]) -> [PageTemplates.Model] {
        PageLanguage.allCases.map { language in
            let pairs =
                query.filter { $0.0 != Self.languageParameter && $0.0 != "ui_locales" }
                + [(Self.languageParameter, language.rawValue)]
            return [
                "code": language.rawValue, "name": language.ownName, "isCurrent": language == self.language,
                "link": "\(path)?\(FormValues.query(pairs))",
            ]
        }
    }
}

extension Duration {
    /// The span in words, as mails say it.
    package func text(in language: PageLanguage) -> String {
        DurationText(self).text(in: MailLanguage(rawValue: language.rawValue) ?? .english)
    }
}
