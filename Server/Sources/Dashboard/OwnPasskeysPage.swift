import Domain
import HTTPSupport
import Hummingbird
import NIOCore
import NativeAPI
import OkaeriWire
import PageSupport

/// `/dashboard/passkeys`: the passkeys of the admin who looks, and whether a password still leads in.
enum OwnPasskeysPage {
    private static let page = DashboardRoute.Page("/passkeys", .listOwnPasskeys)
    private static let notices: Set<String> = ["added", "renamed", "removed", "passwordRemoved"]
    /// The fault of a name that may not be, and of too many passkeys.
    private static let refused = "refused"

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) },
        // Asked by the script. An authenticator makes no passkey whose name would be refused afterwards.
        DashboardRoute(page, post: "options", .addOwnPasskey) { request in
            guard isAllowed(try await request.form().text("name")) else {
                return try await draw(request, fault: refused)
            }
            let options = try await request.rules.admins.ownPasskeys.options(for: try request.caller())
            return try PageResponse.json(
                PasskeyCreationResponse(publicKey: PasskeyCreationOptions(options)), for: request.page)
        },
        DashboardRoute(page, post: "", .addOwnPasskey, add),
        DashboardRoute(page, post: "{passkey}/rename", .renameOwnPasskey) { request in
            try await change(request, done: "renamed") { form, passkey in
                _ = try await request.rules.admins.ownPasskeys.rename(
                    passkey, of: try request.caller(), to: form.text("name"), from: request.page.origin)
            }
        },
        DashboardRoute(page, post: "{passkey}/remove", .removeOwnPasskey) { request in
            try await change(request, done: "removed") { _, passkey in
                try await request.rules.admins.ownPasskeys.remove(
                    passkey, of: try request.caller(), from: request.page.origin)
            }
        },
        DashboardRoute(page, post: "password", .removeOwnPassword) { request in
            try await change(request, done: "passwordRemoved") { _, _ in
                guard let token = request.page.cookie else { throw DomainError.administration(.adminRequired) }
                try await request.rules.admins.ownPasskeys.removePassword(
                    of: try request.caller(), keeping: Secret(token), from: request.page.origin)
            }
        },
    ]

    @Sendable private static func add(_ request: DashboardRequest) async throws -> Response {
        let form = try await request.form()
        let name = form.text("name")
        guard let credential = try DashboardPasskey.credential(PasskeyRegistration.self, in: form) else {
            // The question for password and code may have stood between: the browser has to be asked again.
            return try await draw(request, fault: isAllowed(name) ? "again" : refused, typed: name)
        }
        return try await change(request, done: "added") { _, _ in
            _ = try await request.rules.admins.ownPasskeys.add(
                try AddPasskey.Registration(NewPasskeyBody(name: name.isEmpty ? nil : name, credential: credential)),
                to: try request.caller(), from: request.page.origin)
        }
    }

    /// Whether a new passkey may have a name; one without a name gets one.
    private static func isAllowed(_ name: String) -> Bool { name.isEmpty || Passkey.faults(name: name).isEmpty }

    private static func change(
        _ request: DashboardRequest, done: String, _ work: (FormValues, String) async throws -> Void
    ) async throws -> Response {
        let form = try await request.form()
        do {
            try await work(form, request.id("passkey", maximumCharacters: Passkey.maximumIdCharacters))
            return request.redirect(to: "\(request.pagePath)?done=\(done)")
        } catch let error as DomainError {
            switch error.code {
            case .lastWayIn: return try await draw(request, fault: "lastWayIn")
            case .fieldsRefused: return try await draw(request, fault: refused, typed: form.text("name"))
            case .passkeyRefused: return try await draw(request, fault: "invalid")
            default: throw error
            }
        }
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - request: Whose.
    ///   - fault: What is wrong with the name.
    ///   - typed: The name that was sent: of the passkey in the path, or of a new one.
    /// - Returns: the page.
    /// - Throws: `DomainError`.
    private static func draw(
        _ request: DashboardRequest, fault: String? = nil, typed: String = ""
    ) async throws -> Response {
        let access = try request.caller()
        let passkeys = try await request.rules.admins.ownPasskeys.list(of: access)
        let renamed = passkeys.firstIndex {
            $0.id == request.id("passkey", maximumCharacters: Passkey.maximumIdCharacters)
        }
        let refusal = fault == refused ? Refusal(name: typed, text: request.text("passkeys.\(refused)")) : nil
        let hasPassword = access.admin?.passwordHash != nil
        var model: PageTemplates.Model = [
            "lead": request.text("passkeys.lead"), "hasPasskeys": !passkeys.isEmpty,
            "passkeys": passkeys.enumerated().map { index, passkey in
                row(passkey, number: index, request, index == renamed ? refusal : nil)
            },
            "givesUpPassword": hasPassword && !passkeys.isEmpty,
            "hasNoPassword": access.admin?.usesPasskeysOnly == true,
            "passwordLink": "\(request.pagePath)/password",
        ]
        var name = PageField(
            "name", label: request.text("passkeys.name"), value: renamed == nil ? typed : "",
            error: renamed == nil ? refusal?.text : nil, isRequired: false)
        name.idName = newName
        if let form = request.passkeyForm(.create, action: request.pagePath, label: "passkeys.add") {
            model.merge(form) { $1 }
            model["name"] = name.model
        } else if let address = request.passkeysElsewhere {
            model["elsewhere"] = address
        } else {
            model["note"] = request.text("passkeys.notOffered")
        }
        if let fault {
            let field = refusal.map { _ in renamed.map(fieldName) ?? newName }
            model["summary"] = request.summary([(field, request.text("passkeys.\(fault)"))])
        }
        model["notice"] = request.notice(of: notices, in: "passkeys.done")
        return try request.html(
            "passkeys", title: request.text("nav.passkeys"), model,
            status: fault == nil ? .ok : .unprocessableContent)
    }

    private struct Refusal {
        let name: String
        let text: String
    }

    /// What the field for a new passkey's name is called among those of the page.
    private static let newName = "passkeyName"

    /// The same of the field for another name of a passkey that there is.
    private static func fieldName(_ number: Int) -> String { "passkey\(number)" }

    private static func row(
        _ passkey: Passkey, number: Int, _ request: DashboardRequest, _ refusal: Refusal?
    ) -> PageTemplates.Model {
        var field = PageField(
            "name", label: request.text("passkeys.newName"), value: refusal?.name ?? passkey.name,
            error: refusal?.text)
        field.idName = fieldName(number)
        var row: PageTemplates.Model = [
            "label": passkey.name, "added": passkey.createdAt.text, "newName": field.model,
            "link": "\(request.pagePath)/\(passkey.id)",
        ]
        if let used = passkey.lastUsedAt { row["used"] = used.text }
        return row
    }
}

/// A form that the script sends with what an authenticator says: the partial `passkey`.
enum DashboardPasskey {
    enum Ceremony: String {
        case create, get
    }

    /// What the script sent of an authenticator; `nil` when it could not.
    ///
    /// - Throws: `RequestError`.
    static func credential<Credential: Decodable>(
        _ type: Credential.Type, in form: FormValues, at name: String = "credential"
    ) throws -> Credential? {
        let text = form.text(name)
        return text.isEmpty ? nil : try JSONReader.decode(type, from: ByteBuffer(string: text))
    }
}

extension DashboardRequest {
    /// What a page with the partial `passkey` needs.
    ///
    /// - Parameters:
    ///   - ceremony: Whether a passkey is made or shown.
    ///   - action: Where the form goes.
    ///   - label: The name of the button's text.
    ///   - isConditional: Whether passkeys stand among the suggestions of the field for the name.
    /// - Returns: `nil` when the server's address, or the one that the browser came by, can have no passkeys.
    func passkeyForm(
        _ ceremony: DashboardPasskey.Ceremony, action: String, label: String, isConditional: Bool = false
    ) -> PageTemplates.Model? {
        guard rules.admins.ownPasskeys.origin != nil, !page.isAtIPAddress,
            let script = dashboard.assets.path(of: PageAssets.passkeyScript)
        else {
            return nil
        }
        let options = ceremony == .create ? "passkeys/options" : "log-in/passkey/options"
        return [
            "passkeyScript": script,
            "passkey": [
                "ceremony": ceremony.rawValue, "action": action, "options": "\(Dashboard.root)/\(options)",
                "label": text(label), "conditional": isConditional,
            ] as PageTemplates.Model,
        ]
    }

    /// Where this page takes passkeys, for a browser that came by an address of numbers; `nil` for others, and when no
    /// address of the server can have passkeys. Forms of a public address of numbers count there alone, and single sign-on that
    /// comes back to an address of numbers works there alone.
    var passkeysElsewhere: String? {
        guard page.isAtIPAddress, !page.hasPublicAddress, !(rules.logIns.signOn.isOffered && dashboard.isAtIPAddress)
        else { return nil }
        return rules.admins.ownPasskeys.origin.map { "\($0)\(pagePath)" }
    }
}
