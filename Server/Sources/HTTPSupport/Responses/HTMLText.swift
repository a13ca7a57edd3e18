/// Text within HTML, in elements and in quoted attributes (WHATWG HTML §13.2.5).
package enum HTMLText {
    /// A text in which every sign is escaped that means something in HTML.
    ///
    /// Byte by byte, as browsers read it. Swift's characters are none of these signs once they are joined with another one: a
    /// quotation mark under an accent would end an attribute, and an angle bracket behind U+0600 would begin an element.
    ///
    /// - Parameter text: Anything.
    /// - Returns: the same text, for a browser that reads HTML.
    package static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
