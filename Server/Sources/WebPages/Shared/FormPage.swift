import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// A page with one form: the template `form`.
struct FormPage {
    /// What a mail brings is called so in forms and addresses.
    private static let token = "token"
    /// Longer ones are none of ours, and would stand in the page once more for each language.
    private static let maximumTokenBytes = 64

    /// The page's name in paths and texts.
    var page: String
    var fields: [PageField] = []
    /// Values that come back with the form.
    var hidden: [(name: String, value: String)] = []
    /// Where the form goes, when not to the page itself.
    var action: String?
    var errors: FormErrors?
    /// The page leads back to the account instead of the log-in.
    var isOfAccount = false
    /// The page leads also to the one that orders a mail for a new password.
    var offersForgot = false
    var lead: String?
    /// Whose password is asked for: password managers look for it in the form.
    var accountName: String?
    /// A passkey does in the place of the fields.
    var passkey: PasskeyForm?

    func response(_ request: HostedPageRequest) throws -> Response {
        var own: PageTemplates.Model = [
            "fields": fields.map(\.model),
            "hidden": hidden.map { field -> PageTemplates.Model in ["name": field.name, "value": field.value] },
            "button": request.text("\(HostedPageRequest.textName(page)).button"), "toAccount": isOfAccount,
            "offersForgot": offersForgot,
        ]
        if let action { own["action"] = request.path(action) }
        if let lead { own["lead"] = lead }
        if let accountName { own["accountName"] = accountName }
        if let passkey { own.merge(request.passkeyModel(passkey)) { $1 } }
        if let errors { own["summary"] = errors.summary(request) }
        // What a mail brought stands in the form alone: in another language the page would ask for it again.
        let token = hidden.first { $0.name == Self.token && $0.value.utf8.count <= Self.maximumTokenBytes }?.value
        if let token, request.browser.query[Self.token] == nil {
            own["languages"] = request.languageAddresses(of: page, with: [(Self.token, token)])
        }
        return try request.html(
            "form", request.model(page, own), status: errors?.status ?? .ok, formTargets: request.formTargets())
    }
}
