// What Foundation has on Apple's systems only. Compiled together with the SDK's sources for the check, never shipped.

import Foundation

extension ProcessInfo {
    func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}

extension FileManager {
    func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

extension PersonNameComponents {
    func formatted() -> String { "" }
}
