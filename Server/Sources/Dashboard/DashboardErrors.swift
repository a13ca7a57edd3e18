import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import PageSupport

extension DashboardRequest {
    /// An error as a page in the person's language. Who is no admin is asked to log in.
    func answer(to error: any Error) async throws -> Response {
        let code = (error as? DomainError)?.code
        if code == .adminRequired { return redirect(to: "\(Dashboard.root)/log-in") }
        if code == .reauthenticationRequired { return try await askForProof() }
        if let refused = error as? ReauthenticationForm.Refused { return try await askForProof(refused.words) }
        if error as? PageFault == .forged, page.isElsewhere {
            let address = "\(dashboard.publicURL)\(Dashboard.root)"
            return try html(
                "message", title: text("fault.title"), ["lead": text("fault.elsewhere", ["address": address])],
                status: .forbidden)
        }
        guard let words = PageWords(error) else { throw error }
        var model: PageTemplates.Model = ["lead": text("fault.\(words.text)")]
        if code == .changedMeanwhile { model["again"] = pagePath }
        return try html("message", title: text("fault.title"), model, status: words.status)
    }

    /// What a browser reads that drops the cookie of a session, before a form is filled in for nothing.
    ///
    /// - Parameter address: By which the page is opened on the server's own machine.
    /// - Returns: the page.
    /// - Throws: when the template is broken.
    func withoutSession(_ address: String) throws -> Response {
        try html(
            "message", title: text("insecure.title"),
            ["lead": text("insecure.lead", ["address": address]), "isAlone": true], status: .forbidden)
    }
}

extension DashboardRequest {
    /// What stands at a value that breaks a rule, on every page that has no words of its own for it.
    func words(of rule: ValidationError.Rule) -> String {
        switch rule {
        case .empty, .required: text("providers.bad.required")
        case .tooShort(let minimum): text("user.bad.tooShort", ["minimum": String(minimum)])
        case .tooLong(let maximum): text("user.bad.tooLong", ["maximum": String(maximum)])
        case .controlCharacter: text("user.bad.controlCharacter")
        case .outOfRange(let range):
            text("rules.range", ["least": String(range.lowerBound), "most": String(range.upperBound)])
        case .notAnAddress: text("providers.bad.address")
        case .notAKey: text("rules.key")
        case .notABasePath: text("rules.basePath")
        case .notALink: text("rules.link")
        default: text("settings.bad")
        }
    }
}

extension ValidationError {
    /// The field of a form about hooks or endpoints at which it stands: what counts what there is has no field of its own.
    var webhookField: String { ["secrets": "overlapHours", "endpoints": "url"][field] ?? field }
}

/// What a page says of an error.
struct PageWords {
    let status: HTTPResponse.Status
    /// The name of the text behind `fault.`.
    let text: String

    init(_ status: HTTPResponse.Status, _ text: String) {
        self.status = status
        self.text = text
    }

    /// `nil` for what is no fault of the admin: a page for all languages tells it.
    init?(_ error: any Error) {
        switch error {
        case PageFault.forged: (status, text) = (.forbidden, "forged")
        case PageFault.unknown, RequestError.pathUnknown: (status, text) = (.notFound, "notFound")
        case let error as DomainError:
            guard let words = Self.words(for: error) else { return nil }
            (status, text) = words
        default: return nil
        }
    }

    /// As the code has it, or else its kind; `nil` for what comes from no form or link of the dashboard.
    private static func words(for error: DomainError) -> (HTTPResponse.Status, String)? {
        if let words = Self.words[error.code] { return words }
        return switch error.kind {
        case .rateLimited: (.tooManyRequests, "tooMany")
        case .invalid, .unauthenticated, .refused, .forbidden, .notFound, .conflict, .gone, .unavailable, .internal: nil
        }
    }

    private static let words: [DomainError.Code: (HTTPResponse.Status, String)] = [
        .adminResourceUnknown: (.notFound, "notFound"), .userUnknown: (.notFound, "notFound"),
        .sessionUnknown: (.notFound, "notFound"), .mergeUnknown: (.notFound, "notFound"),
        .applicationUnknown: (.notFound, "notFound"), .identityUnknown: (.notFound, "notFound"),
        .secondFactorUnknown: (.notFound, "notFound"),
        .adminNotAllowed: (.forbidden, "notAllowed"), .changedMeanwhile: (.conflict, "changed"),
        .versionRequired: (.conflict, "changed"), .attemptReused: (.conflict, "repeated"),
        .adminLinkRefused: (.forbidden, "link"),
        .adminNameTaken: (.conflict, "nameTaken"), .lastOwner: (.conflict, "lastOwner"),
        .mailExpired: (.conflict, "mailExpired"),
        .adminRequired: (.unauthorized, "notAllowed"),
        .lastWayIn: (.conflict, "lastWayIn"), .sessionInvalid: (.conflict, "notActive"),
        .busy: (.serviceUnavailable, "busy"), .searchTooSlow: (.serviceUnavailable, "busy"),
        .mailUnavailable: (.serviceUnavailable, "noMail"), .fieldsRefused: (.unprocessableContent, "fields"),
        .identifiersTaken: (.unprocessableContent, "fields"), .alreadyRegistered: (.conflict, "registered"),
        .undoTooLate: (.conflict, "tooLate"), .credentialRefused: (.unprocessableContent, "credentials"),
        .codeRefused: (.unprocessableContent, "credentials"),
        .passkeyUnknown: (.unprocessableContent, "passkeyUnknown"),
        .passkeyRefused: (.unprocessableContent, "passkeyRefused"), .passkeysNotEnabled: (.notFound, "notFound"),
    ]
}

/// Errors for which there is no request: a plain page.
struct DashboardErrors: ErrorRenderer {
    let templates: PageTemplates
    let texts: PageTexts
    let assets: PageAssets

    func response(to error: any Error, requestId: String) -> Response {
        let status: HTTPResponse.Status
        var headers = HTTPFields()
        switch error {
        case RequestError.pathUnknown: status = .notFound
        case RequestError.methodNotAllowed(let allow):
            status = .methodNotAllowed
            headers[.allow] = allow
        case RequestError.bodyTooLarge: status = .contentTooLarge
        case RequestError.bodyTooSlow: status = .requestTimeout
        case RequestError.mediaTypeUnsupported: status = .unsupportedMediaType
        case is RequestError: status = .badRequest
        case let error as DomainError where error.kind == .unavailable: status = .serviceUnavailable
        default: status = .internalServerError
        }
        let name =
            switch error {
            case RequestError.pathUnknown, RequestError.methodNotAllowed: "fault.notFound"
            case RequestError.bodyTooLarge: "fault.tooLarge"
            case is RequestError: "fault.unread"
            default: "fault.broken"
            }
        let model: PageTemplates.Model = [
            "language": "en", "title": "\(status.code)", "brand": "Okaeri", "nonce": "",
            "lines": PageLanguage.allCases.map { language -> PageTemplates.Model in
                ["language": language.rawValue, "text": texts.text(name, in: language)]
            },
            "back": [
                "link": Dashboard.root,
                "labels": PageLanguage.allCases.map { language -> PageTemplates.Model in
                    ["language": language.rawValue, "text": texts.text("shell.back", in: language)]
                },
            ] as PageTemplates.Model,
            // The policy runs no script.
            "requestId": requestId, "assets": ["style": assets.path(of: "okaeri.css") ?? ""] as PageTemplates.Model,
        ]
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        // Without a template there is nothing to show.
        let html = (try? templates.render("fault", model)) ?? ""
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}
