import Foundation

/// The parts of `$function$name=value,…$salt$hash`, the form of the Password Hashing Competition, and of what passlib
/// writes for functions that are older than the form.
struct PHCString {
    let function: String
    let salt: [UInt8]
    let hash: [UInt8]
    private let parameters: [Substring: Int]

    /// Takes a text apart; `nil` when it is none, and when a parameter is there twice, of which a library might take the
    /// other one. A part with a version, `v=19`, may follow the function.
    init?(_ text: String) {
        guard text.utf8.count <= 1024 else { return nil }
        var parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count >= 5, parts.removeFirst().isEmpty else { return nil }
        function = String(parts.removeFirst())
        if parts[0].hasPrefix("v=") { parts.removeFirst() }
        guard parts.count == 3, let salt = Self.bytes(parts[1]), let hash = Self.bytes(parts[2]) else { return nil }
        var parameters: [Substring: Int] = [:]
        for parameter in parts[0].split(separator: ",") {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            // passlib writes the rounds of PBKDF2 without a name.
            guard let last = pair.last, let value = Int(last, radix: 10),
                parameters.updateValue(value, forKey: pair.count == 2 ? pair[0] : "i") == nil
            else { return nil }
        }
        self.salt = salt
        self.hash = hash
        self.parameters = parameters
    }

    func number(_ name: Substring) -> Int? { parameters[name] }

    /// Base64 without padding.
    static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString().replacing("=", with: "") }

    /// Base64 without padding; passlib writes a dot for the plus sign.
    private static func bytes(_ text: Substring) -> [UInt8]? {
        let standard = text.replacing(".", with: "+")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map(Array.init)
    }
}
