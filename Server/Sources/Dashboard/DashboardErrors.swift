import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import PageSupport

extension DashboardRequest {
    /// An error as a page in the person's language. Who is no admin is asked to log in.
    func answer(to error: any Error) throws -> Response {
        if case DomainError.administration(.adminRequired) = error {
            return redirect(to: "\(Dashboard.root)/log-in")
        }
        if case DomainError.reauthenticationRequired = error { return try askForProof() }
        if let refused = error as? ReauthenticationForm.Refused { return try askForProof(refused.words) }
        guard let words = PageWords(error) else { throw error }
        return try html(
            "message", title: text("fault.title"), ["lead": text("fault.\(words.text)")], status: words.status)
    }
}

/// What a page says of an error.
struct PageWords {
    let status: HTTPResponse.Status
    /// The name of the text behind `fault.`.
    let text: String

    /// `nil` for what is no fault of the visitor: a page for all languages tells it.
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

    private static func words(for error: DomainError) -> (HTTPResponse.Status, String)? {
        switch error {
        case .administration(let fault):
            switch fault {
            case .notFound: (.notFound, "notFound")
            case .notAllowed: (.forbidden, "notAllowed")
            case .changedMeanwhile, .versionRequired: (.conflict, "changed")
            case .linkRefused: (.forbidden, "link")
            case .nameTaken: (.conflict, "nameTaken")
            case .lastOwner: (.conflict, "lastOwner")
            case .adminRequired: (.unauthorized, "notAllowed")
            }
        case .userUnknown, .sessionUnknown, .mergeUnknown, .applicationUnknown, .identityUnknown:
            (.notFound, "notFound")
        case .lastWayIn: (.conflict, "lastWayIn")
        case .sessionInvalid: (.conflict, "notActive")
        case .rateLimited: (.tooManyRequests, "tooMany")
        case .busy, .searchTooSlow: (.serviceUnavailable, "busy")
        case .mailUnavailable: (.serviceUnavailable, "noMail")
        case .fieldsRefused, .identifiersTaken: (.unprocessableContent, "fields")
        case .alreadyRegistered: (.conflict, "registered")
        case .undoTooLate: (.conflict, "tooLate")
        case .credentialRefused, .codeRefused: (.unprocessableContent, "credentials")
        default: nil
        }
    }
}

/// Errors for which there is no request: a plain page.
struct DashboardErrors: ErrorRenderer {
    let templates: PageTemplates
    let texts: PageTexts
    let assets: PageAssets

    func answer(to error: any Error, requestId: String) -> Response {
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
        case DomainError.storageUnavailable: status = .serviceUnavailable
        default: status = .internalServerError
        }
        let name = status.code < 500 ? "fault.notFound" : "fault.broken"
        let model: PageTemplates.Model = [
            "language": "en", "title": "\(status.code)", "brand": "Okaeri", "nonce": "", "themeStyle": "",
            "lines": PageLanguage.allCases.map { language -> PageTemplates.Model in
                ["language": language.rawValue, "text": texts.text(name, in: language)]
            },
            "requestId": requestId, "assets": assets.model,
        ]
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        // Without a template there is nothing to show.
        let html = (try? templates.render("fault", model)) ?? ""
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}
