import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let application = "applications/{application}"

    /// Identity providers and foreign protocols.
    static let providers: [AdminRoute] = [
        AdminRoute(.get, "\(application)/providers", .readSettings) { call in
            let entries = try await call.modules.providers.listProviders(of: try call.targetApplication().id)
            return try call.answer(
                AdminProvidersBody(providers: entries.map(ProviderBody.init(_:))), eTag: entries.version)
        },
        AdminRoute(.put, "\(application)/providers/{provider}", .setProvider) { call in
            let (body, provider) = (try await call.body(NewProviderBody.self), try call.provider())
            let application = try call.targetApplication().id
            try await call.modules.providers.setProvider(
                body.settings(of: provider), secret: body.secret.map { Secret($0) }, of: application,
                isCurrent: try call.areProvidersCurrent(), by: try call.auditActor())
            let entries = try await call.modules.providers.listProviders(of: application)
            guard let entry = entries.first(where: { $0.settings.provider == provider }) else {
                throw DomainError.providerNotEnabled
            }
            return try call.answer(ProviderBody(entry), eTag: entries.version)
        },
        AdminRoute(.delete, "\(application)/providers/{provider}", .removeProvider) { call in
            try await call.modules.providers.removeProvider(
                try call.provider(), of: try call.targetApplication().id, isCurrent: try call.areProvidersCurrent(),
                by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "\(application)/providers/{provider}/check", .checkProvider) { call in
            let finding = try await call.modules.providers.checkProvider(
                try call.provider(), of: try call.targetApplication().id)
            return try call.answer(ProviderFindingBody(finding))
        },
        AdminRoute(.get, "\(application)/protocols", .readSettings, also: [.readProtocolKeys]) { call in
            let (id, access) = (try call.targetApplication().id, try call.caller())
            let (application, keys, version) = try await call.modules.applications.listProtocolKeys.withVersion(of: id)
            let isWhole = access.may(.readProtocolKeys, in: id)
            return try call.answer(
                AdminProtocolsBody(
                    protocols: keys.map { AdminProtocolBody($0, of: application, isWhole: isWhole) }), eTag: version)
        },
        AdminRoute(
            .put, "\(application)/protocols/{protocol}", .enableProtocol, also: [.issueAdministratorKeys]
        ) { call in
            let (body, profile) = (try await call.body(ProtocolKeysBody.self), try call.protocolProfile())
            let application = try call.targetApplication()
            let issued = try await call.modules.applications.enableProtocol(
                profile.name, given: try body.given(for: profile), of: application.id,
                isCurrent: try call.areKeysCurrent(), by: try call.auditActor())
            return try call.answer(AdminProtocolBody(issued, of: application, isWhole: true))
        },
        AdminRoute(.delete, "\(application)/protocols/{protocol}", .disableProtocol) { call in
            let wasOn = try await call.modules.applications.disableProtocol(
                try call.protocolProfile().name, of: try call.targetApplication().id,
                isCurrent: try call.areKeysCurrent(), by: try call.auditActor())
            guard wasOn else { throw DomainError.administration(.notFound) }
            return AdminCall.done
        },
        AdminRoute(
            .patch, "\(application)/protocols/{protocol}/rules", .changeProtocolRules,
            also: [.loosenProtocolRules, .openAdministration, .showUsersToEverybody]
        ) { call in
            let (version, profile) = (try call.versionText(), try call.protocolProfile())
            let body = try await call.body(ProtocolRulesPatch.self)
            let changed = try await call.modules.applications.changeProtocolRules(
                profile.name, of: try call.targetApplication().id, to: body.changes,
                mayLoosen: call.allows(.loosenProtocolRules), isCurrent: try call.isCurrent(version),
                by: try call.auditActor())
            return try call.answer(
                ProtocolRulesBody(profile, of: changed.settings), eTag: changed.protocolsVersion(withKeysOf: version))
        },
    ]
}

extension AdminCall {
    fileprivate func provider() throws(DomainError) -> Identity.Provider { .init(rawValue: try id("provider")) }

    /// Whether all providers are still those whose version the caller has seen, if it names one; for a transaction.
    fileprivate func areProvidersCurrent() throws(DomainError) -> @Sendable ([ListProviders.Entry]) -> Bool {
        guard let version = try versionIfSent() else { return { _ in true } }
        return { $0.version == version }
    }

    /// Whether the keys of all protocols are still those whose version the caller has seen, if it names one; for a
    /// transaction.
    fileprivate func areKeysCurrent() throws(DomainError) -> @Sendable ([ProtocolKeySet]) -> Bool {
        guard let version = try versionIfSent() else { return { _ in true } }
        return { $0.isStill(version) }
    }

    /// - Throws: `administration(notFound)` for a protocol that there is not.
    fileprivate func protocolProfile() throws(DomainError) -> ProtocolProfile {
        let name = try id("protocol")
        guard let profile = modules.applications.protocols.foreign.first(where: { $0.name.rawValue == name }) else {
            throw .administration(.notFound)
        }
        return profile
    }
}

struct AdminProvidersBody: Encodable {
    let providers: [ProviderBody]
}

struct NewProviderBody: Decodable, Sendable {
    private let audiences: [String]
    private let teamId: String?
    private let keyId: String?
    private let issuer: String?
    private let redirectURIs: [String]?
    /// The private key at Apple, the client secret elsewhere; absent to keep the one that is stored.
    let secret: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case audiences, teamId, keyId, issuer, redirectURIs, secret
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        audiences = try members.decode([String].self, forKey: .audiences)
        teamId = try members.decodeIfPresent(String.self, forKey: .teamId)
        keyId = try members.decodeIfPresent(String.self, forKey: .keyId)
        issuer = try members.decodeIfPresent(String.self, forKey: .issuer)
        redirectURIs = try members.decodeIfPresent([String].self, forKey: .redirectURIs)
        secret = try members.decodeIfPresent(String.self, forKey: .secret)
    }

    func settings(of provider: Identity.Provider) -> ProviderSettings {
        ProviderSettings(
            provider: provider, audiences: audiences, teamId: teamId, keyId: keyId, issuer: issuer,
            redirectURIs: redirectURIs ?? [])
    }
}

struct ProviderFindingBody: Encodable {
    /// Whether the provider takes the settings.
    let isAccepted: Bool
    /// `accepted`, `refused`, `unexpected`, `unreachable` or `secret_unusable`.
    let finding: String
    /// The provider's own word.
    let answer: String?

    init(_ found: ProviderFinding) {
        isAccepted = found == .accepted
        (finding, answer) =
            switch found {
            case .accepted: ("accepted", nil)
            case .refused(let answer): ("refused", answer)
            case .unexpected(let answer): ("unexpected", answer)
            case .unreachable: ("unreachable", nil)
            case .secretUnusable: ("secret_unusable", nil)
            }
    }
}
