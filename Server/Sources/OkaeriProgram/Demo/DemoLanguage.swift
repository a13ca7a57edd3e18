import ArgumentParser

/// A language that the demo speaks.
enum DemoLanguage: String, CaseIterable, ExpressibleByArgument {
    case japanese = "ja"
    case korean = "ko"
    case english = "en"

    /// The language that the environment asks for (POSIX: `LC_ALL` over `LC_MESSAGES` over `LANG`), else English.
    init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        let language = locale?.prefix { $0.isLetter }.lowercased()
        self = language.flatMap(Self.init(rawValue:)) ?? .english
    }
}
