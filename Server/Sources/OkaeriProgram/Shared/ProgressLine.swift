import Foundation
import Synchronization

/// One line on the terminal that is written over again and again, while a person looks on.
final class ProgressLine: Sendable {
    private let isShown: Bool
    private let hasText = Mutex(false)

    /// - Parameter isWanted: Whether anything is shown on a terminal; a program that reads the output needs none.
    init(isWanted: Bool = true) {
        isShown = isWanted && isatty(FileHandle.standardError.fileDescriptor) != 0
    }

    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        hasText.withLock { $0 = true }
        write("\r\u{1B}[K" + text())
    }

    /// Takes the line away.
    func end() {
        if hasText.withLock({ $0 }) { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        // Nobody is left to tell when the terminal has gone.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
