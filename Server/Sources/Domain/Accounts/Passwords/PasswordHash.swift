/// A password as it is stored: a PHC string (`$argon2id$v=19$…`) or another form that names its function and parameters.
/// It never prints itself.
package struct PasswordHash: Hashable, Sendable {
    package let text: String

    package init(text: String) {
        self.text = text
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹password hash›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
