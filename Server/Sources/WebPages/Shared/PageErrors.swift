import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriWire
import PageSupport

/// Errors for which there is no application and no language: a plain page in all of them.
struct PageErrors: ErrorRenderer {
    let templates: PageTemplates
    let assets: PageAssets

    func response(to error: any Error, requestId: String) -> Response {
        let (status, words, headers) = Self.words(for: error)
        let model: PageTemplates.Model = [
            "language": "en", "title": status.code == 404 ? "404" : "\(status.code)", "brand": "Okaeri", "nonce": "",
            "lines": words.map { language, text -> PageTemplates.Model in
                ["language": language.rawValue, "text": text]
            },
            "requestId": requestId, "assets": ["style": assets.path(of: "okaeri.css") ?? ""] as PageTemplates.Model,
        ]
        // Without a template there is nothing to show.
        let html = (try? templates.render("fault", model)) ?? ""
        var fields = headers
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private typealias Words = KeyValuePairs<PageLanguage, String>

    private static let unknown: Words = [
        .english: "There is no such page.", .japanese: "ページが見つかりません。", .korean: "페이지를 찾을 수 없습니다.",
    ]
    private static let broken: Words = [
        .english: "Something went wrong. Please try again.", .japanese: "問題が発生しました。もう一度お試しください。",
        .korean: "문제가 발생했습니다. 다시 시도해 주세요.",
    ]
    private static let unread: Words = [
        .english: "The request cannot be read.", .japanese: "リクエストを読み取れません。", .korean: "요청을 읽을 수 없습니다.",
    ]

    private static func words(for error: any Error) -> (HTTPResponse.Status, Words, HTTPFields) {
        switch error {
        case PageFault.unknown, RequestError.pathUnknown: (.notFound, unknown, [:])
        case RequestError.methodNotAllowed(let allow): (.methodNotAllowed, unknown, [.allow: allow])
        case let fault as RequestError: (fault.status, unread, [:])
        case PageFault.forged: (.forbidden, unread, [:])
        case let error as DomainError: (error.pageWords.status, broken, [:])
        default: (.internalServerError, broken, [:])
        }
    }
}

extension RequestError {
    /// The status of a page that tells the fault.
    var status: HTTPResponse.Status {
        switch self {
        case .headMalformed, .headerInvalid, .bodyMalformed, .membersInvalid: .badRequest
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .pathUnknown: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .mediaTypeUnsupported: .unsupportedMediaType
        case .bodyTooLarge: .contentTooLarge
        case .bodyTooSlow: .requestTimeout
        }
    }
}
