import Domain
import Hummingbird
import PageSupport

/// The question before what cannot be taken back, for browsers without scripts: the button names the action in the form, and
/// nothing beside it says that the person is sure. The form also says what the action is about and what cannot be undone, for
/// this question and for that of the script. A form in which something is typed to confirm asks by that.
enum ConfirmationForm {
    /// The button's words.
    static let question = "sure.ask"
    static let answer = "sure"
    static let typed = "confirm"
    /// The name of what the action is done to.
    static let about = "sure.about"
    /// What follows from it.
    static let note = "sure.note"
    static let words: Set<String> = [question, about, note]
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
        let kept = sent.without(ConfirmationForm.words.union([PageRequest.tokenField])).all
        let pairs = page.query.all.map { ($0.name, $0.value) }
        let query = pairs.isEmpty ? "" : "?\(FormValues.query(pairs))"
        var model: PageTemplates.Model = [
            "question": question, "link": page.path + query, "back": pagePath + query,
            "kept": kept.map { ["name": $0.name, "value": $0.value] as PageTemplates.Model },
        ]
        for (name, field) in [("about", ConfirmationForm.about), ("note", ConfirmationForm.note)] {
            if let words = sent[field], !words.isEmpty { model[name] = words }
        }
        return try html("sure", title: text("common.sure"), model)
    }
}
