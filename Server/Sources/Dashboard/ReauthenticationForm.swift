import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// The question for password and one-time code before an action that an admin's open session must not be enough for
/// (requirement 18). What was typed comes along in the question, and goes on with the answer.
enum ReauthenticationForm {
    static let password = "proof.password"
    static let code = "proof.code"
    /// What a passkey says, in the place of both. The script finds the field by its id.
    static let passkey = "proof.credential"
    static let fields: Set<String> = [password, code, passkey]

    /// The answer was wrong.
    struct Refused: Error {
        let words: PageWords
    }
}

extension DashboardRequest {
    /// The question itself.
    ///
    /// - Parameter refused: What was wrong with the answer before.
    /// - Returns: the page that asks.
    /// - Throws: what the template throws.
    func askForProof(_ refused: PageWords? = nil) async throws -> Response {
        // What an authenticator said was for an earlier question.
        let kept = (sent ?? .none).all.filter { ![PageRequest.tokenField, "credential"].contains($0.name) }
        let pairs = page.query.all.map { ($0.name, $0.value) }
        let query = pairs.isEmpty ? "" : "?\(FormValues.query(pairs))"
        let refusesPasswords = try await rules.logIns.signOn.refusesPasswords()
        let hasPassword = access?.admin?.passwordHash != nil && !refusesPasswords
        // A file is fetched from a list: there is nothing at its own address to go back to.
        let back = isPost ? pagePath + query : path("users")
        var model: PageTemplates.Model = [
            "lead": text(hasPassword ? "proof.lead" : "proof.leadOther"), "link": page.path + query,
            "back": back, "hasPassword": hasPassword, "proof": true,
            "kept": kept.map { ["name": $0.name, "value": $0.value] as PageTemplates.Model },
            "fields": [
                PageField(
                    ReauthenticationForm.password, label: text("enter.password"), kind: .password,
                    autocomplete: "current-password"
                ).focused(refused == nil).model,
                codeField(ReauthenticationForm.code, isRequired: access?.admin?.lacksAuthenticator != true),
            ],
        ]
        if let access { model["accountName"] = access.name }
        if let form = passkeyForm(.get, action: page.path + query, label: "proof.passkey") { model.merge(form) { $1 } }
        if rules.logIns.signOn.isOffered {
            model["signOn"] = "\(OwnSignOnPage.path)/prove?\(FormValues.query([("back", back)]))"
        }
        if let refused {
            let words = refused.text == "credentials" ? text("proof.refused") : text("fault.\(refused.text)")
            model["summary"] = summary([(nil, words)])
        }
        return try html("proof", title: text("proof.title"), model, status: refused?.status ?? .forbidden)
    }
}
