import Foundation

extension StringProtocol {
    /// The text in NFKC (UAX #15). Not `precomposedStringWithCompatibilityMapping`, which leaves half-width kana in
    /// pieces on Linux: there `ｶﾞ` and `ガ` would be two user names and two passwords.
    var compatible: String { decomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping }
}
