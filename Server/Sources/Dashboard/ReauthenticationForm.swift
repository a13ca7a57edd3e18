import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// The question for password and one-time code before a deed that an admin's open session must not be enough for
/// (requirement 18). What was typed comes along in the question, and goes on with the answer.
enum ReauthenticationForm {
    static let password = "proof.password"
    static let code = "proof.code"
    static let fields: Set<String> = [password, code]

    /// The answer was wrong.
    struct Refused: Error {
        let words: PageWords
    }
}

extension DashboardRequest {
    /// - Throws: `reauthenticationRequired`, which the visit turns into a question; after its answer the page is asked again.
    func requireRecentLogIn() throws(DomainError) { try rules.requireRecentLogIn(try caller()) }

    /// Who does it, for what needs more than an open session.
    func requireStepUp(_ permission: AdminPermission) throws(DomainError) -> Operator {
        let who = try auditActor(permission)
        try requireRecentLogIn()
        return who
    }

    /// The question itself.
    ///
    /// - Parameter refused: What was wrong with the answer before.
    /// - Returns: the page that asks.
    /// - Throws: what the template throws.
    func askForProof(_ refused: PageWords? = nil) throws -> Response {
        let kept = (sent ?? .none).all.filter { $0.name != PageRequest.tokenField }
        let query = visit.query.all.map { ($0.name, $0.value) }
        let own = query.isEmpty ? visit.path : "\(visit.path)?\(FormValues.query(query))"
        var model: PageTemplates.Model = [
            "lead": text("proof.lead"), "link": own,
            // A file is fetched from a list: there is nothing at its own address to go back to.
            "back": isPost ? own : path("users"),
            "kept": kept.map { ["name": $0.name, "value": $0.value] as PageTemplates.Model },
            "fields": [
                PageField(
                    ReauthenticationForm.password, label: text("enter.password"), kind: .password,
                    autocomplete: "current-password", isFocused: refused == nil
                ).model,
                PageField(
                    ReauthenticationForm.code, label: text("enter.code"), kind: .code, hint: text("enter.codeHint"),
                    autocomplete: "one-time-code"
                ).model,
            ],
        ]
        if let refused {
            let words = refused.text == "credentials" ? text("proof.refused") : text("fault.\(refused.text)")
            model["summary"] =
                PageSummary(title: text("fault.title"), errors: [(ReauthenticationForm.password, words)]).model
        }
        return try html("proof", title: text("proof.title"), model, status: refused?.status ?? .forbidden)
    }
}
