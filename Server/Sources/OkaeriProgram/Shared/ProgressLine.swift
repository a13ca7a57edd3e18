import Foundation
import Synchronization

/// One line on the terminal that is written over again and again, while a person looks on.
final class ProgressLine: Sendable {
    private let isShown: Bool
    private let hasText = Mutex(false)

    /// - Parameter isWanted: Whether anything is shown on a terminal; a program that reads the output needs none.
    init(isWanted: Bool = true) {
        isShown = isWanted && isatty(STDERR_FILENO) != 0
    }

    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        hasText.withLock { $0 = true }
        Console.show("\r\u{1B}[K" + text())
    }

    /// Takes the line away.
    func end() {
        if hasText.withLock({ $0 }) { Console.show("\r\u{1B}[K") }
    }
}
