import Foundation

/// The passwords that everybody tries first (requirement 4): a list of our own making, and what needs no list.
package enum CommonPasswords {
    private static let list: Set<String> = Set(
        String(decoding: PackageResources.common_passwords_txt, as: UTF8.self)
            .pieces(at: "\n").lazy.map(String.init))

    /// How many the list holds.
    package static var count: Int { list.count }

    /// Whether a folded password is on the list, one sign repeated, or a run such as `34567890`.
    package static func contains(_ folded: String) -> Bool {
        list.contains(folded) || isRun(folded)
    }

    private static func isRun(_ text: String) -> Bool {
        let signs = text.unicodeScalars.map { Int(truncatingIfNeeded: $0.value) }
        guard signs.count > 2 else { return true }
        let steps = zip(signs, signs.dropFirst()).map { $1 - $0 }
        // From 9 a run of digits goes on with 0, and back.
        let isStep = { (step: Int, wrapped: Int) in steps.allSatisfy { $0 == step || $0 == wrapped } }
        return isStep(0, 0) || isStep(1, -9) || isStep(-1, 9)
    }
}
