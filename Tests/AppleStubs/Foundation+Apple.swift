// What Foundation has on Apple's systems only. Compiled together with the SDK's sources for the check, never shipped.

import Combine
import Foundation

extension ProcessInfo {
    func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}

extension FileManager {
    func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

extension NotificationCenter {
    struct Publisher: Combine.Publisher {
        typealias Output = Notification
        typealias Failure = Never
    }

    func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher { Publisher() }
}

extension PersonNameComponents {
    func formatted() -> String { "" }
}
