import Domain
import Foundation

/// A file with a secret, in place of an option: every user of the machine can read the list of processes.
enum SecretFile {
    /// - Parameter path: The file.
    /// - Returns: what stands in it, without blanks and line ends around it.
    /// - Throws: `CommandFault` when it cannot be read.
    static func secret(_ path: String) throws(CommandFault) -> Secret {
        do {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            return Secret(text.withoutBlanksAndLineEnds)
        } catch {
            throw .failed("The secret file \(path) cannot be read: \(error.systemReason).")
        }
    }
}
