import Foundation

/// What a field's text must keep to, as a value: replace it by one of your own.
public struct FieldRule: Hashable, Sendable {
    /// One rule.
    public enum Check: Hashable, Sendable {
        /// At least so many characters (Unicode scalars of the NFKC form, as the server counts).
        case minimumCharacters(Int)
        /// At most so many characters.
        case maximumCharacters(Int)
        /// At most so many bytes of UTF-8.
        case maximumBytes(Int)
        /// The form of a mail address.
        case mailForm
        /// Visible signs, spaces only between others, no `@`, no `+` in front.
        case userNameForm
        /// A number in international form (E.164), with what people write between the digits.
        case phoneForm
        /// A number.
        case numberForm
        /// A day as `2026-11-21`.
        case dateForm
        /// The https address of a page.
        case addressForm
        /// One of these.
        case oneOf([String])
        /// No line breaks and other controls.
        case noControlCharacters
    }

    /// Whether there must be a text at all.
    public var isRequired: Bool
    /// The rules of a text, in the order in which faults are reported.
    public var checks: [Check]

    /// Makes a rule.
    public init(isRequired: Bool, _ checks: [Check] = []) {
        self.isRequired = isRequired
        self.checks = checks
    }

    /// The first rule that a text breaks.
    public func fault(of text: String) -> ValidationError? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if trimmed.isEmpty, text.isEmpty || checks.contains(where: \.ignoresSpaces) || checks.isEmpty {
            return isRequired ? .required : nil
        }
        for check in checks {
            if let fault = check.fault(of: check.ignoresSpaces ? trimmed : text) { return fault }
        }
        return nil
    }
}

/// Why a field's text cannot be taken.
public enum ValidationError: Hashable, Sendable {
    /// There must be one.
    case required
    /// Fewer characters than that.
    case tooShort(minimum: Int)
    /// More characters than that.
    case tooLong(maximum: Int)
    /// No mail address.
    case notAMailAddress
    /// No user name.
    case notAUserName
    /// No phone number.
    case notAPhoneNumber
    /// No number.
    case notANumber
    /// No day.
    case notADate
    /// No https address.
    case notAnAddress
    /// None of the choices.
    case notAChoice
    /// Line breaks or other controls.
    case controlCharacter
    /// A box that must be ticked.
    case notAccepted
    /// A password that everybody tries first.
    case tooCommon
    /// A password of a list of leaked ones; only the server knows the list.
    case breached
    /// A password that is little more than the person's own name.
    case containsContext
    /// Letters of several alphabets that look alike.
    case mixedScripts
    /// Somebody else has it.
    case taken
    /// No code of that kind.
    case notACode
    /// A text that the app gave.
    case told(String)
    /// Something that this version has no words for.
    case refused
}

extension FieldRule.Check {
    /// Whether spaces around the text do not count. In passwords and free texts they do.
    var ignoresSpaces: Bool {
        switch self {
        case .mailForm, .userNameForm, .phoneForm, .numberForm, .dateForm, .addressForm, .oneOf: true
        case .minimumCharacters, .maximumCharacters, .maximumBytes, .noControlCharacters: false
        }
    }

    func fault(of text: String) -> ValidationError? {
        switch self {
        case .minimumCharacters(let minimum):
            text.countAtServer < minimum ? .tooShort(minimum: minimum) : nil
        case .maximumCharacters(let maximum): text.countAtServer > maximum ? .tooLong(maximum: maximum) : nil
        case .maximumBytes(let maximum): text.utf8.count > maximum ? .tooLong(maximum: maximum) : nil
        case .mailForm: MailForm.fits(text) ? nil : .notAMailAddress
        case .userNameForm: isUserName(text) ? nil : .notAUserName
        case .phoneForm: isPhoneNumber(text) ? nil : .notAPhoneNumber
        case .numberForm: NumberForm.value(of: text) == nil ? .notANumber : nil
        case .dateForm: isDate(text) ? nil : .notADate
        case .addressForm:
            text.hasPrefix("https://") && URL(string: text)?.host?.isEmpty == false ? nil : .notAnAddress
        case .oneOf(let choices): choices.contains(text) ? nil : .notAChoice
        case .noControlCharacters:
            text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? .controlCharacter : nil
        }
    }

    private func isUserName(_ text: String) -> Bool {
        let compatible = text.compatible
        let words = compatible.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false)
        return !compatible.hasPrefix("+")
            && words.allSatisfy { word in !word.isEmpty && word.allSatisfy { $0.isVisible && $0 != "@" } }
    }

    private func isPhoneNumber(_ text: String) -> Bool {
        let compatible = text.compatible
        guard compatible.hasPrefix("+") else { return false }
        let rest = compatible.dropFirst().filter { !" -().".contains($0) }
        return (7...15).contains(rest.count) && rest.utf8.allSatisfy { (0x30...0x39).contains($0) } && rest.first != "0"
    }

    private func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let year = Int(parts[0], radix: 10), let month = Int(parts[1], radix: 10),
            let day = Int(parts[2], radix: 10), (1...12).contains(month), year > 0, day > 0
        else { return false }
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return day <= lengths[month - 1]
    }
}

/// Mail addresses in short: the server looks closer (RFC 5321 §4.1.2).
enum MailForm {
    static func fits(_ text: String) -> Bool {
        guard text.utf8.count <= 254, text.unicodeScalars.allSatisfy(\.isVisible),
            let sign = text.lastIndex(where: { $0 == "@" || $0 == "＠" })
        else { return false }
        let (local, domain) = (text[..<sign], text[text.index(after: sign)...])
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        let words = local.split(separator: ".", omittingEmptySubsequences: false)
        let mayBeEmpty = words.first?.isEmpty == false && carriers.contains(domain.lowercased())
        return (1...64).contains(local.utf8.count)
            && words.allSatisfy { (mayBeEmpty || !$0.isEmpty) && !$0.contains(where: isSign) } && labels.count > 1
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
            }
            && labels.last?.allSatisfy(\.isNumber) == false
    }

    /// Carriers of Japan that gave out addresses with dots behind each other, and before the `@`.
    private static let carriers: Set<String> = ["docomo.ne.jp", "ezweb.ne.jp", "au.com"]

    private static func isSign(_ character: Character) -> Bool {
        #"@＠,;:<>()[]"\"#.contains(character)
    }
}

/// Numbers as people type them.
enum NumberForm {
    static func value(of text: String) -> Double? {
        let plain = text.compatible
        guard plain.utf8.allSatisfy({ "+-0123456789.eE".utf8.contains($0) }), let value = Double(plain),
            value.isFinite
        else { return nil }
        return value
    }
}

extension String {
    /// The length as the server counts it.
    var countAtServer: Int { compatible.unicodeScalars.count }

    /// NFKC. Not `precomposedStringWithCompatibilityMapping`, which leaves half-width kana in pieces on Linux.
    var compatible: String { decomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping }
}

extension Unicode.Scalar {
    /// Whether it is something to see.
    var isVisible: Bool {
        if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return false }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default:
            return true
        }
    }
}
