import Foundation
import OkaeriWire

/// The one file that makes this app another one: which server, which application, which brand.
struct Settings: Decodable {
    let server: URL
    let application: String
    /// The name of a theme file beside it.
    let theme: String
    /// Where the hosted pages come back to; without it the app does not offer them.
    let redirect: URL?

    static func read<Value: Decodable>(_ type: Value.Type, _ name: String, in bundle: Bundle) throws -> Value {
        guard let url = bundle.url(forResource: name, withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try JSONDecoder().decode(type, from: Data(contentsOf: url))
    }
}
