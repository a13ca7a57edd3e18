/// Where a code or a link may stand in a template: as a word of its own in the text, and a link as the whole `href` of an
/// `<a>`. Elsewhere it could become a part of an address, and go to whom the address belongs to as soon as the mail is
/// looked at.
extension MailTemplate {
    /// The parts in which a secret stands where it may not.
    func partsThatGiveSecretsAway() -> [String] {
        var parts: [String] = []
        if !MailTextWords(Self.marked(text)).areSafe { parts.append("text") }
        if let html {
            var markup = MailMarkup(Self.marked(html))
            if !markup.isSafe() { parts.append("html") }
        }
        return parts
    }

    /// A template with a sign for each name in braces. A template that holds such signs itself is judged as if it held
    /// the names.
    private static func marked(_ template: String) -> [Unicode.Scalar] {
        let filled = fill(template) { value in
            switch value {
            case .code: "\u{E000}"
            case .link: "\u{E001}"
            case .application, .email: "\u{E002}"
            case .minutes, .duration: "0"
            }
        }
        return Array(filled.unicodeScalars)
    }
}

extension Unicode.Scalar {
    fileprivate static let code: Unicode.Scalar = "\u{E000}"
    fileprivate static let link: Unicode.Scalar = "\u{E001}"
    fileprivate static let words: Unicode.Scalar = "\u{E002}"

    fileprivate var isSecret: Bool { self == .code || self == .link }
    fileprivate var isSpace: Bool { self == " " || self == "\n" || self == "\r" || self == "\t" || self == "\u{C}" }
    fileprivate var isAlphabetic: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}

/// A text as programs for mail look for addresses in it. A word with a secret must not look like one.
private struct MailTextWords {
    /// What addresses have and words need not: a word that ends with some of them is none.
    private static let signs: Set<Unicode.Scalar> = ["/", "\\", ".", "@", "?", "=", "&", "%"]

    let areSafe: Bool

    init(_ text: some Sequence<Unicode.Scalar>) {
        var isSafe = true
        var word: [Unicode.Scalar] = []
        for scalar in text {
            if scalar.isSpace {
                isSafe = isSafe && Self.isSafe(word)
                word = []
            } else {
                word.append(scalar)
            }
        }
        areSafe = isSafe && Self.isSafe(word)
    }

    private static func isSafe(_ word: [Unicode.Scalar]) -> Bool {
        let secrets = word.count(where: \.isSecret)
        guard secrets > 0 else { return true }
        // A link is an address already, to which nothing may be added but what ends a sentence.
        if word.contains(.link), secrets > 1 { return false }
        let end = word.lastIndex { $0.isSecret || $0.properties.isAlphabetic || $0.properties.numericType != nil } ?? 0
        guard !word[...end].contains(where: signs.contains) else { return false }
        // A name can be an address too. Letters of other scripts end it.
        return !word.split { !$0.isASCII && $0 != .words && !$0.isSecret }.contains {
            $0.contains(.words) && $0.contains(where: \.isSecret)
        }
    }
}

/// A page, read as browsers do as far as all of them read it alike. What they may read in two ways is refused.
private struct MailMarkup {
    /// What is inside is no text, or goes where a form goes, or is a style sheet from elsewhere.
    private static let refused: Set<String> = [
        "form", "iframe", "link", "math", "noembed", "noframes", "noscript", "plaintext", "svg", "template", "xmp",
    ]
    /// What makes a style fetch something, in every spelling. A selector can ask how a link begins, and each answer would
    /// fetch another picture. A backslash hides letters.
    private static let fetching = [
        "\\", "@import", "url(", "src(", "image(", "image-set(", "expression(", "behavior", "-moz-binding",
    ]
    /// What is inside ends with the element's own end alone (HTML §13.2.5.2 and .4).
    private static let raw: Set<String> = ["script", "style", "textarea", "title"]
    /// What begins a line or a cell, so that the words before and behind are not one.
    private static let blocks: Set<String> = [
        "address", "article", "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "footer", "h1", "h2", "h3",
        "h4", "h5", "h6", "head", "header", "hr", "html", "img", "li", "main", "ol", "p", "pre", "section", "table",
        "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    ]

    private static let endsOfNames: Set<Unicode.Scalar> = ["/", ">", "=", "<", "\"", "'", "`"]
    private static let refusedInWords: Set<Unicode.Scalar> = ["\"", "'", "`", "=", "<"]

    private let page: [Unicode.Scalar]
    private var position = 0
    private var text: [Unicode.Scalar] = []

    init(_ page: [Unicode.Scalar]) {
        self.page = page
    }

    mutating func isSafe() -> Bool {
        guard page.contains(where: \.isSecret) else { return true }
        while position < page.count {
            if page[position] != "<" {
                text.append(page[position])
                position += 1
            } else {
                guard skipMarkup() else { return false }
            }
        }
        return MailTextWords(text).areSafe
    }

    /// Passes over what a `<` begins.
    ///
    /// - Returns: whether it may stand there.
    private mutating func skipMarkup() -> Bool {
        if starts(with: "<!--") { return skipComment() }
        guard position + 1 < page.count else { return false }
        switch page[position + 1] {
        case "!", "?": return skip(behind: ">")
        case "/": return skipTag(from: position + 2, isEnd: true)
        case let next where next.isAlphabetic: return skipTag(from: position + 1, isEnd: false)
        case let next where next.isSpace || next == "=" || ("0"..."9").contains(next):
            // A lone sign is text.
            text.append(page[position])
            position += 1
            return true
        default: return false
        }
    }

    private mutating func skipComment() -> Bool {
        let start = position
        position += 2
        guard skip(behind: "-->") else { return false }
        // Another end of a comment, which not every browser knows.
        return !holds("--!>", in: start..<position)
    }

    /// - Returns: whether there is such an end, and no secret before it.
    private mutating func skip(behind end: String) -> Bool {
        let start = position
        while position < page.count, !starts(with: end) { position += 1 }
        guard position < page.count else { return false }
        position += end.unicodeScalars.count
        return !page[start..<position].contains(where: \.isSecret)
    }

    private mutating func skipTag(from start: Int, isEnd: Bool) -> Bool {
        position = start
        let name = takeName().lowercased()
        guard !name.isEmpty, !Self.refused.contains(name) else { return false }
        var names: Set<String> = []
        var hasSecret = false
        while true {
            skipSpaces()
            guard position < page.count else { return false }
            if page[position] == "/" {
                position += 1
                continue
            }
            if page[position] == ">" { break }
            let attribute = takeName().lowercased()
            guard !attribute.isEmpty else { return false }
            names.insert(attribute)
            skipSpaces()
            guard position < page.count, page[position] == "=" else { continue }
            position += 1
            guard let value = takeValue() else { return false }
            guard attribute != "style" || !Self.fetches(inAttribute: value) else { return false }
            guard value.contains(where: \.isSecret) else { continue }
            guard name == "a", !isEnd, attribute == "href", value == [.link] else { return false }
            hasSecret = true
        }
        position += 1
        // The page of a ping gets the address that the link leads to.
        if hasSecret, names.contains("ping") { return false }
        if Self.blocks.contains(name) { text.append(" ") }
        return isEnd || !Self.raw.contains(name) || skipRaw(name)
    }

    /// Passes over what stands in an element that holds no markup.
    private mutating func skipRaw(_ name: String) -> Bool {
        let start = position
        while position < page.count {
            let end = position + 2 + name.unicodeScalars.count
            if starts(with: "</"), end < page.count,
                String(String.UnicodeScalarView(page[(position + 2)..<end])).lowercased() == name,
                page[end] == ">" || page[end] == "/" || page[end].isSpace
            {
                let inside = start..<position
                // Scripts have comments in which their end is none.
                guard !page[inside].contains(where: \.isSecret), !holds("<!--", in: inside) else { return false }
                return name != "style" || !Self.fetches(page[inside])
            }
            position += 1
        }
        return false
    }

    /// Whether a style sheet may fetch something from another server.
    private static func fetches(_ sheet: ArraySlice<Unicode.Scalar>) -> Bool {
        let text = Array(String(String.UnicodeScalarView(sheet)).lowercased().unicodeScalars)
        return fetching.contains { word in
            text.indices.contains { text[$0...].starts(with: word.unicodeScalars) }
        }
    }

    /// The same of the attribute `style`, in which references stand for signs: those for quotes alone are read.
    private static func fetches(inAttribute value: [Unicode.Scalar]) -> Bool {
        let text = ["&quot;", "&#34;", "&apos;", "&#39;"].reduce(String(String.UnicodeScalarView(value))) {
            $0.replacing($1, with: "'")
        }
        return text.unicodeScalars.contains("&") || fetches(Array(text.unicodeScalars)[...])
    }

    /// A name of a tag or an attribute: without signs that browsers read in ways of their own.
    private mutating func takeName() -> String {
        var name = String.UnicodeScalarView()
        while position < page.count, !page[position].isSpace, page[position].isASCII,
            !Self.endsOfNames.contains(page[position])
        {
            name.append(page[position])
            position += 1
        }
        return String(name)
    }

    /// A value: in quotes and without `<` and `>`, or a plain word.
    private mutating func takeValue() -> [Unicode.Scalar]? {
        skipSpaces()
        guard position < page.count else { return nil }
        let quote = page[position]
        var value: [Unicode.Scalar] = []
        guard quote == "\"" || quote == "'" else {
            while position < page.count, !page[position].isSpace, page[position] != ">" {
                guard !Self.refusedInWords.contains(page[position]), !page[position].isSecret else { return nil }
                value.append(page[position])
                position += 1
            }
            return value.isEmpty ? nil : value
        }
        position += 1
        while position < page.count, page[position] != quote {
            guard page[position] != "<", page[position] != ">" else { return nil }
            value.append(page[position])
            position += 1
        }
        guard position < page.count else { return nil }
        position += 1
        return value
    }

    private mutating func skipSpaces() {
        while position < page.count, page[position].isSpace { position += 1 }
    }

    private func starts(with text: String) -> Bool { page[position...].starts(with: text.unicodeScalars) }

    private func holds(_ text: String, in range: Range<Int>) -> Bool {
        range.contains { page[$0..<range.upperBound].starts(with: text.unicodeScalars) }
    }
}
