package import Domain
import Synchronization

/// Takes mails instead of a mail server, and fails when the test wants it.
package final class TestCarrier: MailCarrier {
    private let state = Mutex(State())

    private struct State: Sendable {
        var delivered: [MailMessage] = []
        var outcomes: [MailOutcome] = []
        var tries = 0
    }

    package init() {}

    package func deliver(_ message: MailMessage) async -> MailOutcome {
        state.withLock { state in
            state.tries += 1
            let outcome = state.outcomes.isEmpty ? .delivered : state.outcomes.removeFirst()
            if outcome == .delivered { state.delivered.append(message) }
            return outcome
        }
    }

    /// Answers the next tries so; later ones succeed.
    package func plan(_ outcomes: MailOutcome...) {
        state.withLock { $0.outcomes = outcomes }
    }

    package var delivered: [MailMessage] { state.withLock { $0.delivered } }
    package var tries: Int { state.withLock { $0.tries } }
}

extension MailMessage {
    /// The code of digits that stands on a line of its own.
    package var code: String? {
        text.split(separator: "\n").first { line in
            line.contains { $0.isNumber } && line.allSatisfy { $0.isNumber || $0 == " " }
        }.map(String.init)
    }

    /// The token, alone or behind a link.
    package var token: String? {
        text.split { $0.isWhitespace || $0 == "=" }.first { $0.split(separator: "-").count == 7 }.map(String.init)
    }
}

/// Draws mails without a layout: the text with its values.
struct PlainMailRenderer: MailRenderer {
    func page(of template: MailTemplate, in language: MailLanguage, _ values: [MailValue: String]) -> String {
        MailTemplate.fill(template.text) { values[$0] ?? "" }
    }
}
