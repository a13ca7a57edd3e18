/// A language that mails are written in.
package enum MailLanguage: String, CaseIterable, Hashable, Sendable {
    case english = "en"
    case japanese = "ja"
    case korean = "ko"

    /// The language for somebody who prefers these.
    ///
    /// - Parameter tags: BCP 47 tags, the most wanted first. Only the first part counts: `ko-KR` is Korean.
    /// - Returns: the first language that mails can be written in; English when there is none.
    package static func best(of tags: [String]) -> MailLanguage {
        for tag in tags {
            let language = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
            if let known = MailLanguage(rawValue: language) { return known }
        }
        return .english
    }
}
