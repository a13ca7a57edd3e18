@_spi(TotalConversions) import enum OkaeriWire.JSONValue

/// How far an import is.
package struct ImportPace: Sendable {
    /// `nil` for a pipe.
    private let fileBytes: Int?

    /// - Parameter fileBytes: The size of the file; `nil` for a pipe.
    package init(fileBytes: Int?) {
        self.fileBytes = fileBytes
    }

    /// - Parameters:
    ///   - readBytes: What was read of the file.
    ///   - span: For how long the import runs.
    /// - Returns: what was read, and how long the rest takes at the same pace.
    package func text(readBytes: Int, after span: Duration) -> String {
        let read = "\(readBytes / 1_048_576) MiB read"
        guard let fileBytes, readBytes > 0, readBytes < fileBytes else { return read }
        let share = Double(readBytes) / Double(fileBytes)
        let left = Int64(clamping: Double(span.wholeMilliseconds) / 1000 * (1 - share) / share)
        let time = left < 60 ? "less than a minute" : "about \(left / 60) minutes"
        return "\(read) of \(fileBytes / 1_048_576), \(time) left"
    }
}
