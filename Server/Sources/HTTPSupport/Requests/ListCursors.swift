package import Domain

/// Where pages of lists begin, as addresses have it. Imported ids may hold points; the keys of lists and the ids of sessions hold
/// none.
extension UserCursor {
    /// `ID`, or `ID.KEY` with what is behind the last point.
    package init(wire text: String) {
        let parts = text.cut(atLast: ".")
        self.init(
            id: Identifier(rawValue: parts.map { String($0.before) } ?? text),
            key: parts.map { String($0.after) } ?? "")
    }

    package var wire: String {
        key.isEmpty && !id.rawValue.utf8.contains(UInt8(ascii: ".")) ? id.rawValue : "\(id.rawValue).\(key)"
    }
}

extension SessionCursor {
    /// `USER.SESSION`.
    package init(wire text: String) {
        let parts = text.cut(atLast: ".")
        self.init(
            user: Identifier(rawValue: parts.map { String($0.before) } ?? text),
            session: Identifier(rawValue: parts.map { String($0.after) } ?? ""))
    }

    package var wire: String { "\(user.rawValue).\(session.rawValue)" }
}
