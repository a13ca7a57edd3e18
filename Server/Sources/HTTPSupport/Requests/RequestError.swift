/// What can be wrong with a request before any rule is asked. Each protocol has its own words for each.
package enum RequestError: Error, Hashable, Sendable {
    /// The request line or a header cannot be read.
    case headMalformed
    /// The headers are too many or too long.
    case headTooLarge
    /// No route has this path.
    case pathUnknown
    /// The path has other methods, listed as the header `Allow` wants them.
    case methodNotAllowed(allow: String)
    /// A header is missing or malformed; the rule says what it must be.
    case headerInvalid(name: String, rule: String)
    /// The body has another media type than one of these.
    case mediaTypeUnsupported(accepted: [String])
    /// The body is too long.
    case bodyTooLarge(maximumBytes: Int)
    /// The body did not arrive in time.
    case bodyTooSlow
    /// The body is no JSON text in UTF-8, or its framing is broken.
    case bodyMalformed(reason: String)
    /// Members of the body have the wrong type or form.
    case membersInvalid([MemberFault])
}

/// A member of a JSON body that cannot be read.
package struct MemberFault: Hashable, Sendable {
    /// The path from the body's root: `user.fields.score`. Empty for the body itself.
    package var path: String
    package var rule: Rule

    package init(path: String, rule: Rule) {
        self.path = path
        self.rule = rule
    }

    package enum Rule: Hashable, Sendable {
        /// The value has another JSON type.
        case wrongType
        /// The member must be there.
        case required
        /// The value has the right type and the wrong form.
        case malformed
        /// The same, with the form that it must have in a sentence.
        case form(String)
        /// None of these members is there.
        case noneOf([String])

        /// A text that is none of a set's.
        package static func oneOf<Word: CaseIterable & RawRepresentable>(
            _ words: Word.Type
        ) -> Rule where Word.RawValue == String {
            .form("One of \(words.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
    }

    /// The part of a path that can be repeated to its sender, who chose the names: 200 printable ASCII characters.
    package static func printable(_ path: String) -> String {
        let scalars = path.unicodeScalars.lazy.filter { (0x20..<0x7f).contains($0.value) }.prefix(200)
        return String(String.UnicodeScalarView(scalars))
    }
}
