/// Why a database cannot be used, in words for the person who runs the server.
package struct SQLiteOpenFault: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
