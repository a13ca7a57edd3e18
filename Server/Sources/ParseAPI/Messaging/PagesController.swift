import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriWire

/// What a page or form behind a mail's link was asked.
private struct PageCall {
    let request: Request
    let context: ServerContext
    let enabled: EnabledProtocol
    let items: QueryItems
    /// Where the pages are.
    let base: String

    /// Links mailed before 2025 name the user too; the token alone counts.
    var token: String? { items["token"].flatMap { $0.isEmpty ? nil : $0 } }
}

/// The pages to which links in mails lead.
final class PagesController: Sendable {
    private let requests: ParseRequests
    private let accounts: Accounts
    private let requestEmailVerification: RequestEmailVerification

    init(_ requests: ParseRequests, _ modules: Modules) {
        self.requests = requests
        accounts = modules.accounts
        requestEmailVerification = modules.messaging.requestEmailVerification
    }

    /// `…/apps/…`: where the links of mails lead. The segments stand behind `apps`.
    func respond(
        _ segments: [Substring], _ prefix: String, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let base = requests.base(request, context, prefix) + "/apps"
        let texts = PageTexts.in(.best(of: AcceptLanguage.tags(of: request)))
        if segments.count == 1, request.method == .get || request.method == .head {
            if segments[0] == "choose_password" {
                return try form(try await items(of: request, context), base, texts)
            }
            let page = PageTexts.Page(rawValue: String(segments[0].before(".")))
            guard let page, segments[0] == "\(page.rawValue).html" else { throw RequestError.pathUnknown }
            return PageResponse.page(texts.pages[page] ?? "")
        }
        guard segments.count == 2 else { throw RequestError.pathUnknown }
        let call = PageCall(
            request: request, context: context,
            enabled: try await requests.gate.enabled(.parse, publicKey: String(segments[0]), context),
            items: try await items(of: request, context), base: base)
        switch (request.method, segments[1]) {
        case (.get, "verify_email"): return try await verifyEmail(call)
        case (.post, "resend_verification_email"): return await resendVerification(call)
        case (.get, "request_password_reset"):
            guard let token = call.token,
                try await accounts.resetPassword.takes(
                    token, in: call.enabled.application, from: requests.gate.client(of: request, context))
            else { return PageResponse.redirect(to: "\(base)/invalid_link.html") }
            return PageResponse.redirect(
                to: "\(base)/choose_password?token=\(token.percentEncoded)&id=\(segments[0])")
        case (.post, "request_password_reset"): return try await resetPassword(call, String(segments[0]))
        default: throw RequestError.pathUnknown
        }
    }

    /// Of a `GET` the query, of a `POST` the form.
    private func items(of request: Request, _ context: ServerContext) async throws -> QueryItems {
        do throws(QueryItems.Fault) {
            guard request.method == .post else { return try QueryItems(request) }
        } catch {
            throw ParseFault.invalidParameter(error.name)
        }
        let body = try await requests.readBody(request, context)
        if let excess = QueryItems.excess(ofForm: body) { throw RequestError.bodyMalformed(reason: "\(excess).") }
        let text = String(buffer: body)
        do {
            return try QueryItems(parsing: text[...])
        } catch {
            throw ParseFault.invalidParameter(error.name)
        }
    }

    private func verifyEmail(_ call: PageCall) async throws -> Response {
        guard let token = call.token else { return PageResponse.redirect(to: "\(call.base)/invalid_link.html") }
        do {
            // The token names the attempt, so that a link that is followed twice says twice that it is done.
            try await accounts.verifyEmail(
                .token(token, of: nil), in: call.enabled.application,
                from: requests.gate.client(of: call.request, call.context),
                attempt: SecretDigest(of: token.utf8), origin: requests.gate.origin(of: call.request, call.context))
        } catch {
            guard [.codeRefused, .identifiersTaken].contains(error.code) else { throw error }
            return PageResponse.redirect(to: "\(call.base)/invalid_verification_link.html")
        }
        return PageResponse.redirect(to: "\(call.base)/verify_email_success.html")
    }

    private func resendVerification(_ call: PageCall) async -> Response {
        let typed = call.items["username"] ?? call.items["email"] ?? ""
        do {
            try await requestEmailVerification(
                ofUnverified: typed, in: call.enabled.application, languages: AcceptLanguage.tags(of: call.request),
                from: requests.gate.client(of: call.request, call.context))
            return PageResponse.redirect(to: "\(call.base)/link_send_success.html")
        } catch {
            return PageResponse.redirect(to: "\(call.base)/link_send_fail.html")
        }
    }

    private func resetPassword(_ call: PageCall, _ id: String) async throws -> Response {
        let isScript = call.request.headers.value(of: .requestedWith)?.lowercased() == "xmlhttprequest"
        func refused(_ fault: ParseFault, _ word: String) throws -> Response {
            if isScript { throw fault }
            guard let token = call.token else { return PageResponse.redirect(to: "\(call.base)/invalid_link.html") }
            return PageResponse.redirect(
                to: "\(call.base)/choose_password?token=\(token.percentEncoded)&id=\(id)&error=\(word)")
        }
        guard let token = call.token else { return try refused(ParseFault(-1, "Missing token"), "link") }
        guard let password = call.items["new_password"], !password.isEmpty else {
            return try refused(ParseFault(201, "Missing password"), "missing")
        }
        let options = call.enabled.application.settings.foreignOptions(of: .parse)
        do {
            try await accounts.resetPassword(
                ResetPassword.Request(
                    application: call.enabled.application, token: token, newPassword: Secret(password),
                    address: requests.gate.client(of: call.request, call.context),
                    origin: requests.gate.origin(of: call.request, call.context),
                    rules: ProtocolProfile.parse.accountRules(under: options)))
        } catch {
            switch error.code {
            case .codeRefused, .userDisabled, .userDeleted: return try refused(ParseFault(.codeRefused), "link")
            case .fieldsRefused: return try refused(ParseFault(-1, ParseFault.passwordPolicy.message), "weak")
            default: throw error
            }
        }
        if isScript { return try ParseResponse(.value("Password successfully reset")).response() }
        return PageResponse.redirect(to: "\(call.base)/password_reset_success.html")
    }

    private func form(_ items: QueryItems, _ base: String, _ texts: PageTexts) throws -> Response {
        guard let token = items["token"], !token.isEmpty, let id = items["id"],
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"/?#%\"<>&'".utf8.contains($0) })
        else { return PageResponse.redirect(to: "\(base)/invalid_link.html") }
        let error =
            switch items["error"] {
            case nil: ""
            case "weak"?: texts.weak
            case "missing"?: texts.missing
            default: texts.refused
            }
        return PageResponse.form(
            to: "\(base)/\(id)/request_password_reset", token: token, error: error, texts)
    }
}

/// Pages of a few lines, without scripts and without anything from elsewhere.
private enum PageResponse {
    static func redirect(to address: String) -> Response {
        Response(status: .found, headers: [.location: address])
    }

    static func page(_ text: String) -> Response { page(title: text, "<h1>\(HTMLText.escaped(text))</h1>") }

    static func form(to address: String, token: String, error: String, _ texts: PageTexts) -> Response {
        page(
            title: texts.choosePassword,
            """
            <h1>\(HTMLText.escaped(texts.choosePassword))</h1>
            <p role="alert">\(HTMLText.escaped(error))</p>
            <form method="post" action="\(HTMLText.escaped(address))">
            <input type="hidden" name="token" value="\(HTMLText.escaped(token))">
            <label>\(HTMLText.escaped(texts.newPassword))
            <input type="password" name="new_password" autocomplete="new-password" required></label>
            <button>\(HTMLText.escaped(texts.save))</button>
            </form>
            """)
    }

    private static func page(title: String, _ body: String) -> Response {
        let text = """
            <!doctype html>
            <meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(HTMLText.escaped(title))</title>
            <style>body{font:1.1em system-ui;margin:15vh auto;max-width:28em;padding:0 1em}
            h1{font-size:1.2em}label,input,button{display:block;margin:.6em 0;font:inherit}</style>
            \(body)
            """
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8",
                // The token must reach no other page, and the page no frame.
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
                .referrerPolicy: "no-referrer",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name(known: "Referrer-Policy")
}
