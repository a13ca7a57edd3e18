import CQRencode
import Foundation

/// A text as a QR code (ISO/IEC 18004), made by libqrencode.
package struct QRPicture: Sendable {
    /// The light border that the standard asks for, in modules.
    private static let border = 4

    private let width: Int
    private let isDark: [Bool]

    /// `nil` for a text that is empty, holds a null character, or is longer than a QR code holds: about 2,300 bytes.
    ///
    /// - Parameter text: What the code says; it is not stored anywhere.
    package init?(_ text: String) {
        // Medium error correction: a quarter smaller than the next level, and enough for a clean screen.
        guard !text.utf8.contains(0), let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        guard let modules = code.pointee.data else { return nil }
        isDark = (0..<width * width).map { modules[$0] & 1 == 1 }
    }

    /// The picture as an SVG document: dark modules on white, without a size of its own, so that it fills its element.
    package var svg: String {
        let side = width + 2 * Self.border
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                guard isDark[row * width + column] else {
                    column += 1
                    continue
                }
                let start = column
                while column < width, isDark[row * width + column] { column += 1 }
                path += "M\(start + Self.border) \(row + Self.border)h\(column - start)v1h-\(column - start)z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path d="\(path)"/></svg>
            """
    }
}
