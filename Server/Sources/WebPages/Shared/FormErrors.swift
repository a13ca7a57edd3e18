import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// What is wrong with a form that was sent: what stands above it, and what stands at each field.
struct FormErrors: Sendable {
    var status: HTTPResponse.Status
    /// Errors by field, in the order in which they were found.
    var fields: [(name: String, text: String)] = []
    /// Errors of no field.
    var others: [String] = []
    /// How long to wait before the next try.
    var retryAfter: Duration?

    /// The first error of a field.
    subscript(field: String) -> String? { fields.first { $0.name == field }?.text }

    /// The same with everything above the form but what is wrong with one field.
    func above(but field: String? = nil) -> FormErrors {
        var errors = self
        errors.others += fields.filter { $0.name != field }.map(\.text)
        errors.fields = fields.filter { $0.name == field }
        return errors
    }

    func summary(_ request: HostedPageRequest) -> PageTemplates.Model {
        PageSummary(
            title: request.text("common.checkFields"),
            errors: others.map { (nil, $0) } + fields.map { ($0.name, request.named($0.text, $0.name)) }
        ).model
    }
}

extension HostedPageRequest {
    /// An error with the name of its field in front: above a form nobody sees which field it stands at.
    func named(_ text: String, _ name: String) -> String {
        var label: String?
        if let mark = name.firstRange(of: "fields.") {
            label = application.settings.fieldRules[String(name[mark.upperBound...])].map { self.label(of: $0) }
        } else {
            label =
                theme.texts.tables[browser.language]?["field.\(name)"] ?? Self.labels[name].map { self.text($0) }
                ?? (AccountState.isNewName(name) ? self.text("passkey.newName") : nil)
        }
        return label.map { self.text("common.fieldError", ["label": $0, "text": text]) } ?? text
    }

    /// What stands beside boxes that have to be ticked, and at the field for a new passkey's name, by their names.
    private static let labels = [
        "sure": "account.deleteSure", "kept": "recoveryCodes.kept", PasskeyForm.nameField: "passkey.name",
    ]

    /// What a person reads of an error of a rule.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - names: What the form calls the domain's fields, where the names differ.
    /// - Returns: the errors with their fields.
    func errors(of error: DomainError, names: [String: String] = [:]) -> FormErrors {
        var errors = FormErrors(status: error.pageWords.status)
        switch error.detail {
        case .fields(let faults):
            for fault in faults {
                let (name, values) = fault.rule.pageWords
                let text = text("rule.\(name)", values)
                if fault.field.isEmpty {
                    errors.others.append(text)
                } else {
                    errors.fields.append((names[fault.field] ?? fault.field, text))
                }
            }
        case .identifiers(let kinds):
            for kind in kinds { errors.fields.append((kind.rawValue, text("taken.\(kind.rawValue)"))) }
        case .retryAfter(let span):
            errors.others.append(text("fault.\(error.pageWords.name)", ["wait": waiting(span)]))
        case .undoUntil(let until):
            let wait = waiting(until - modules.now)
            errors.others.append(text("fault.\(error.pageWords.name)", ["wait": wait]))
        case .message(let text): errors.others.append(text)
        // The same one would be refused again.
        case .passkey(let fault) where fault.isOfSomebodyElse: errors.others.append(text("fault.passkeyUnknown"))
        case .none, .erasedAt, .serverTime, .mergeOffer, .proof, .providerToken, .passkey, .secondFactor,
            .removedDeviceKey, .firstLaunch, .attestation, .permission, .serverPermission:
            errors.others.append(text("fault.\(error.pageWords.name)"))
        }
        return errors
    }

    /// A span of time to wait, in words.
    func waiting(_ span: Duration) -> String {
        max(span, .seconds(1)).text(in: browser.language)
    }

    /// The page for an error that no form answers.
    func answer(to error: any Error) throws -> Response {
        switch error {
        case PageFault.forged:
            // The form is offered again: most often the browser kept no cookie, or the page was open for long.
            var own: PageTemplates.Model = ["back": path("log-in")]
            if let asked = requestOfApp {
                own = ["back": asked, "backLabel": text("logIn.next")]
            } else if hasSessionCookie, continuation == nil {
                // Another page has changed the cookie, by a log-in, a proof or a password: nobody has to log in again.
                own = ["back": path("account"), "backLabel": text("common.toAccount")]
            }
            if browser.isElsewhere, let server = pages.publicURL {
                own = ["lead": text("forged.elsewhere", ["address": "\(server)\(path("log-in"))"])]
            }
            return try message("forged", status: .forbidden, own)
        case let error as DomainError: return try page(of: error)
        default:
            throw error
        }
    }

    private func page(of error: DomainError) throws -> Response {
        let (name, status) = error.pageWords
        if status == .unauthorized { return PageResponse.redirect(to: path("log-in"), browser) }
        let wait = error.retryAfter ?? error.undoUntil.map { $0 - modules.now }
        var lead = text("fault.\(name)", ["wait": wait.map(waiting) ?? ""])
        if case .message(let text) = error.detail { lead = text }
        var response = try message("fault", status: status, ["lead": lead, "back": path("log-in")])
        if let wait = error.retryAfter { response.headers[.retryAfter] = String(max(1, wait.secondsRoundedUp)) }
        return response
    }

    /// The address of this page, where an app sent the person to it; pages behind it carry the app's request in theirs.
    private var requestOfApp: String? {
        guard browser.path == "/a/\(application.id.rawValue)/authorize", let query = browser.request.uri.query else {
            return nil
        }
        return "\(browser.path)?\(query)"
    }
}
