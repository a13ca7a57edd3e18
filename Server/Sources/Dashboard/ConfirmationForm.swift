import Domain
import Hummingbird
import PageSupport

/// The question before what cannot be taken back, for browsers without scripts: the button names the action in the form, and
/// nothing beside it says that the person is sure. The script asks by itself, and a form in which something is typed to confirm
/// asks by that.
enum ConfirmationForm {
    /// The button's words.
    static let question = "sure.ask"
    static let answer = "sure"
    static let typed = "confirm"
}

extension DashboardRequest {
    /// The question itself, with what was typed.
    ///
    /// - Returns: the page that asks; `nil` when the form asks for nothing, or has the answer.
    /// - Throws: what the template throws.
    func askWhetherSure() throws -> Response? {
        guard let sent, let question = sent[ConfirmationForm.question], sent[ConfirmationForm.answer] == nil,
            sent[ConfirmationForm.typed] == nil
        else { return nil }
        let kept = sent.all.filter { ![PageRequest.tokenField, ConfirmationForm.question].contains($0.name) }
        let pairs = page.query.all.map { ($0.name, $0.value) }
        let query = pairs.isEmpty ? "" : "?\(FormValues.query(pairs))"
        return try html(
            "sure", title: text("common.sure"),
            [
                "question": question, "link": page.path + query, "back": pagePath + query,
                "kept": kept.map { ["name": $0.name, "value": $0.value] as PageTemplates.Model },
            ])
    }
}
