import Domain
import Foundation

/// JSON in a column of text.
enum JSONText {
    /// - Throws: `storageUnavailable` when a value cannot be JSON, which the rules exclude.
    static func encode(_ value: some Encodable) throws(DomainError) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw .storageUnavailable
        }
    }

    /// - Throws: `storageUnavailable` when the text is no such JSON, which only damage explains.
    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws(DomainError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw .storageUnavailable
        }
    }
}
