@_spi(Base64URL) import enum OkaeriWire.Base64URL

/// Base64 for URLs, as `OkaeriWire` reads and writes it. The bytes are handed over as they are in memory, so that nothing is
/// copied between the modules.
package enum Base64URL {
    package static func text(of bytes: some Collection<UInt8>) -> String {
        let whole = bytes.withContiguousStorageIfAvailable { OkaeriWire.Base64URL.text(of: $0) }
        return whole ?? Array(bytes).withUnsafeBufferPointer { OkaeriWire.Base64URL.text(of: $0) }
    }

    /// The bytes of a text; `nil` when it is not the one text that means them.
    package static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
        let whole = text.withContiguousStorageIfAvailable { OkaeriWire.Base64URL.bytes(of: $0) }
        return whole ?? Array(text).withUnsafeBufferPointer { OkaeriWire.Base64URL.bytes(of: $0) }
    }
}
