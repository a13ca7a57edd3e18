import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let application = "applications/{application}"

    /// What an application has decided.
    static let settings: [AdminRoute] = [
        AdminRoute(.get, application, .readSettings) { call in try call.answer(settingsOf: try call.targetApplication())
        },
        AdminRoute(.patch, application, .changeSettings, also: [.changeLogInAddresses, .eraseSooner]) { call in
            let version = try call.versionText()
            let patch = try await call.api.native.readJSON(
                AdminSettingsPatch.self, of: call.request, call.context,
                mediaTypes: ["application/merge-patch+json", "application/json"])
            let playApps = try patch?.playApps(
                in: try call.targetApplication().id, sealed: call.modules.applications.sealPlayKeys)
            let changed = try await call.modules.applications.changeApplication(
                try call.targetApplication().id, isCurrent: try call.isCurrent(version), by: try call.auditActor()
            ) { patch?.apply(to: &$0, playApps) }
            return try call.answer(settingsOf: changed)
        },
        AdminRoute(.get, "\(application)/redirects", .readSettings) { call in
            let application = try call.targetApplication()
            return try call.answer(
                RedirectsBody(redirects: application.settings.redirectAddresses), versionOf: application)
        },
        AdminRoute(.put, "\(application)/redirects", .changeRedirects) { call in
            let (version, body) = (try call.versionIfSent(), try await call.body(RedirectsBody.self))
            let changed = try await call.modules.applications.changeRedirects(
                of: try call.targetApplication().id, isCurrent: try call.isCurrent(version), by: try call.auditActor()
            ) {
                $0 = body.redirects
            }
            return try call.answer(RedirectsBody(redirects: changed.settings.redirectAddresses), versionOf: changed)
        },
        AdminRoute(.get, "\(application)/theme", .readSettings) { call in
            let application = try call.targetApplication()
            return try call.answer(ThemeBody(application.settings.theme), versionOf: application)
        },
        AdminRoute(.put, "\(application)/theme", .changeTheme) { call in
            let version = try call.versionIfSent()
            let sent = JSONValue.object(try await call.body([String: JSONValue].self))
            let draft = try ThemeDraft(sent)
            if let unknown = ThemeDraft.unknownMember(of: sent, beside: draft.value) { throw unknown }
            let changed = try await call.modules.applications.changeTheme(
                of: try call.targetApplication().id, to: draft.value, isCurrent: try call.isCurrent(version),
                by: try call.auditActor())
            return try call.answer(ThemeBody(draft.value), versionOf: changed)
        },
        AdminRoute(.delete, "\(application)/theme", .changeTheme) { call in
            try await call.modules.applications.changeTheme(
                of: try call.targetApplication().id, to: nil, isCurrent: try call.isCurrent(try call.versionIfSent()),
                by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.get, "\(application)/export", .exportUsers) { call in
            let query = try AdminQuery(
                call, "form", "kind", "disabled", "leaving", "weak", "provider", "protocol", "seenSince",
                "notSeenSince", "search")
            guard let form = UserFile.Form(rawValue: query.text("form") ?? "csv") else {
                throw AdminQuery.malformed("form", .oneOf(UserFile.Form.self))
            }
            let pages = try await call.rules.users.export(
                of: try call.targetApplication().id, try BrowseUsers.Filter(query), by: try call.auditActor())
            return UserFile(form, pages: pages) { try await call.stillAllows(.exportUsers) }.response()
        },
    ]

    /// What the server sees of itself.
    static let server: [AdminRoute] = [
        AdminRoute(.get, "health", .readHealth) { call in
            let sessions = call.modules.sessions.cachedSessions
            return try call.answer(HealthBody(try await call.rules.statistics.readHealth(), cachedSessions: sessions))
        },
        AdminRoute(.post, "signing-keys", .rotateSigningKeys) { call in
            let key = try await call.modules.sessions.rotateSigningKeys(by: try call.auditActor())
            return try call.answer(NewSigningKeyBody(id: key.id), status: .created)
        },
    ]
}

extension AdminCall {
    fileprivate func answer(settingsOf application: Domain.Application) throws -> Response {
        try answer(AdminSettingsBody(application), versionOf: application)
    }
}

struct AdminSettingsBody: Encodable {
    let id: String
    let name: String
    let createdAt: WireTime
    let proofRequired: Bool
    let sessionIdleSeconds: Int64
    let sessionSeconds: Int64
    let deletionGraceSeconds: Int64
    let anonymousIdleSeconds: Int64?
    let passwordMinimumCharacters: Int
    /// The same where the password is the only factor.
    let passwordOnlyMinimumCharacters: Int
    let audiences: [String]
    let transferLink: String?
    /// What becomes of fields that both of two merged users have.
    let mergeRules: [String: String]
    let mail: AdminMailLinksBody
    /// What registration demands, and what sign-up forms ask for.
    let signUp: AdminSignUpBody
    let passkeys: PasskeyRulesBody
    let secondFactors: SecondFactorRulesBody
    let attestation: AttestationRulesBody

    init(_ application: Domain.Application) {
        let settings = application.settings
        id = application.id.rawValue
        name = application.name
        createdAt = application.createdAt.wire
        proofRequired = settings.proofRequired
        sessionIdleSeconds = settings.sessionIdleLifetime.components.seconds
        sessionSeconds = settings.sessionLifetime.components.seconds
        deletionGraceSeconds = settings.deletionGrace.components.seconds
        anonymousIdleSeconds = settings.anonymousIdleLimit?.components.seconds
        passwordMinimumCharacters = settings.passwordMinimumCharacters
        passwordOnlyMinimumCharacters = settings.passwordOnlyMinimumCharacters
        audiences = settings.audiences
        transferLink = settings.transferLink
        mergeRules = settings.mergeRules.mapValues(\.rawValue)
        mail = AdminMailLinksBody(settings.mail)
        signUp = AdminSignUpBody(settings.signUp)
        passkeys = PasskeyRulesBody(settings.passkeys)
        secondFactors = SecondFactorRulesBody(settings.secondFactors)
        attestation = AttestationRulesBody(settings.attestation)
    }
}

struct AdminSignUpBody: Encodable {
    let usernameMinimumCharacters: Int
    let emailRequired: Bool
    let asksPhone: Bool
    let asksDisplayName: Bool
    let oldProtocols: Bool

    init(_ rules: SignUpRules) {
        usernameMinimumCharacters = rules.usernameMinimumCharacters
        emailRequired = rules.isEmailRequired
        asksPhone = rules.asksPhone
        asksDisplayName = rules.asksDisplayName
        oldProtocols = rules.holdsOldProtocols
    }
}

struct AdminMailLinksBody: Encodable {
    let senderName: String?
    let verificationURL: String?
    let resetURL: String?

    init(_ mail: MailSettings) {
        senderName = mail.senderName
        verificationURL = mail.verificationURL
        resetURL = mail.resetURL
    }
}

/// A JSON merge patch (RFC 7396): what is absent stays, what is null goes.
struct AdminSettingsPatch: Decodable, Sendable {
    private let name: String?
    private let proofRequired: Bool?
    private let sessionIdleSeconds: Int64?
    private let sessionSeconds: Int64?
    private let deletionGraceSeconds: Int64?
    private let anonymousIdleSeconds: UserPatchBody.Change<Int64>
    private let passwordMinimumCharacters: Int?
    private let passwordOnlyMinimumCharacters: Int?
    private let audiences: [String]?
    private let transferLink: UserPatchBody.Change<String>
    private let mergeRules: [String: MergeRule]?
    private let mail: Mail?
    private let signUp: SignUp?
    private let passkeys: AdminPasskeysPatch?
    private let secondFactors: AdminSecondFactorsPatch?
    private let attestation: AdminAttestationPatch?

    private struct SignUp: Decodable {
        let usernameMinimumCharacters: Int?
        let emailRequired: Bool?
        let asksPhone: Bool?
        let asksDisplayName: Bool?
        let oldProtocols: Bool?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case usernameMinimumCharacters, emailRequired, asksPhone, asksDisplayName, oldProtocols
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
            usernameMinimumCharacters = try members.decodeIfSent(Int.self, forKey: .usernameMinimumCharacters)
            emailRequired = try members.decodeIfSent(Bool.self, forKey: .emailRequired)
            asksPhone = try members.decodeIfSent(Bool.self, forKey: .asksPhone)
            asksDisplayName = try members.decodeIfSent(Bool.self, forKey: .asksDisplayName)
            oldProtocols = try members.decodeIfSent(Bool.self, forKey: .oldProtocols)
        }

        func apply(to rules: inout SignUpRules) {
            if let usernameMinimumCharacters { rules.usernameMinimumCharacters = usernameMinimumCharacters }
            if let emailRequired { rules.isEmailRequired = emailRequired }
            if let asksPhone { rules.asksPhone = asksPhone }
            if let asksDisplayName { rules.asksDisplayName = asksDisplayName }
            if let oldProtocols { rules.holdsOldProtocols = oldProtocols }
        }
    }

    private struct Mail: Decodable {
        let senderName: UserPatchBody.Change<String>
        let verificationURL: UserPatchBody.Change<String>
        let resetURL: UserPatchBody.Change<String>

        private enum CodingKeys: String, CodingKey, CaseIterable { case senderName, verificationURL, resetURL }

        init(from decoder: any Decoder) throws {
            let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
            senderName = try members.patch(forKey: .senderName)
            verificationURL = try members.patch(forKey: .verificationURL)
            resetURL = try members.patch(forKey: .resetURL)
        }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, proofRequired, sessionIdleSeconds, sessionSeconds, deletionGraceSeconds, anonymousIdleSeconds
        case passwordMinimumCharacters, audiences, transferLink, mergeRules, mail, signUp, passkeys, secondFactors
        case attestation, passwordOnlyMinimumCharacters
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        name = try members.decodeIfSent(String.self, forKey: .name)
        proofRequired = try members.decodeIfSent(Bool.self, forKey: .proofRequired)
        sessionIdleSeconds = try members.decodeIfSent(Int64.self, forKey: .sessionIdleSeconds)
        sessionSeconds = try members.decodeIfSent(Int64.self, forKey: .sessionSeconds)
        deletionGraceSeconds = try members.decodeIfSent(Int64.self, forKey: .deletionGraceSeconds)
        anonymousIdleSeconds = try members.patch(forKey: .anonymousIdleSeconds)
        passwordMinimumCharacters = try members.decodeIfSent(Int.self, forKey: .passwordMinimumCharacters)
        passwordOnlyMinimumCharacters = try members.decodeIfSent(Int.self, forKey: .passwordOnlyMinimumCharacters)
        audiences = try members.decodeIfSent([String].self, forKey: .audiences)
        transferLink = try members.patch(forKey: .transferLink)
        mergeRules = try members.decodeIfSent([String: String].self, forKey: .mergeRules)?.mapValues { word in
            guard let rule = MergeRule(rawValue: word) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .mergeRules, in: members, debugDescription: "There is no such rule.")
            }
            return rule
        }
        mail = try members.decodeIfSent(Mail.self, forKey: .mail)
        signUp = try members.decodeIfSent(SignUp.self, forKey: .signUp)
        passkeys = try members.decodeIfSent(AdminPasskeysPatch.self, forKey: .passkeys)
        secondFactors = try members.decodeIfSent(AdminSecondFactorsPatch.self, forKey: .secondFactors)
        attestation = try members.decodeIfSent(AdminAttestationPatch.self, forKey: .attestation)
    }

    /// The apps of Google Play with their keys sealed, for `apply`, which may run twice.
    func playApps(
        in application: Identifier<Domain.Application>, sealed seal: SealPlayKeys
    ) throws(DomainError) -> [AttestationRules.PlayApp]? {
        try attestation?.playApps(in: application, sealed: seal)
    }

    func apply(to application: inout Domain.Application, _ playApps: [AttestationRules.PlayApp]?) {
        if let name { application.name = name }
        if let proofRequired { application.settings.proofRequired = proofRequired }
        if let sessionIdleSeconds { application.settings.sessionIdleLifetime = .seconds(sessionIdleSeconds) }
        if let sessionSeconds { application.settings.sessionLifetime = .seconds(sessionSeconds) }
        if let deletionGraceSeconds { application.settings.deletionGrace = .seconds(deletionGraceSeconds) }
        switch anonymousIdleSeconds {
        case .unchanged: break
        case .removed: application.settings.anonymousIdleLimit = nil
        case .set(let seconds): application.settings.anonymousIdleLimit = .seconds(seconds)
        }
        if let passwordMinimumCharacters {
            application.settings.passwordMinimumCharacters = passwordMinimumCharacters
        }
        if let passwordOnlyMinimumCharacters {
            application.settings.passwordOnlyMinimumCharacters = passwordOnlyMinimumCharacters
        }
        if let audiences { application.settings.audiences = audiences }
        transferLink.apply(to: &application.settings.transferLink)
        if let mergeRules { application.settings.mergeRules = mergeRules }
        mail?.senderName.apply(to: &application.settings.mail.senderName)
        mail?.verificationURL.apply(to: &application.settings.mail.verificationURL)
        mail?.resetURL.apply(to: &application.settings.mail.resetURL)
        signUp?.apply(to: &application.settings.signUp)
        passkeys?.apply(to: &application.settings.passkeys)
        secondFactors?.apply(to: &application.settings.secondFactors)
        attestation?.apply(to: &application.settings.attestation, playApps)
    }
}

extension UserPatchBody.Change where Value == String {
    /// An empty text is none.
    func apply(to text: inout String?) {
        switch self {
        case .unchanged: break
        case .removed: text = nil
        case .set(let value): text = value.isEmpty ? nil : value
        }
    }
}

extension KeyedDecodingContainer {
    func patch<Value>(forKey key: Key) throws -> UserPatchBody.Change<Value> {
        guard contains(key) else { return .unchanged }
        return try decodeNil(forKey: key) ? .removed : .set(try decode(Value.self, forKey: key))
    }

    /// The value of a member of a patch that can only be another one; `nil` where it was not sent. Null is refused: it would be
    /// answered as done, and what it was to take away would still count.
    func decodeIfSent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard contains(key) else { return nil }
        return try decode(type, forKey: key)
    }
}
