import Foundation
import OkaeriWire

/// The languages of the person, from the system.
public enum SystemLanguages {
    /// BCP 47 tags, best first.
    public static func preferred() -> [String] { Locale.preferredLanguages }
}

enum LocalizedWords {
    static func text(_ texts: [String: String], in languages: [String]) -> String {
        LocalizedText(texts).text(in: languages) ?? ""
    }
}
