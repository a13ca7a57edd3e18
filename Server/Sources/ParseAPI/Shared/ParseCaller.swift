import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// Who makes a request: an app, perhaps an administrator, perhaps a user in it.
struct ParseCaller: Sendable {
    let enabled: EnabledProtocol
    let options: ForeignOptions
    /// Whether the right master key came from where it may come from.
    let isMaster: Bool
    /// As sent; `nil` when none was.
    var token: String?
    var session: Authenticated?
    var device: DeviceDescription

    var application: Domain.Application { enabled.application }

    /// What everybody may with users that have no access list.
    var standard: ACL.Rights { options.isReadableByAll ? [.read] : [] }

    /// Which users are seen: of those who are disabled, administrators see all and everybody else themselves.
    var reader: UserSearch.Reader {
        isMaster
            ? .everything
            : .user(session?.user.id, seesUnlisted: options.isReadableByAll, seesDisabled: false)
    }

    /// In whose name users are changed.
    var actor: AccountActor { isMaster ? .protocolKey(.parse) : .user(session?.user.id, standard: standard) }

    /// What new passwords must look like.
    var rules: AccountRules { ProtocolProfile.parse.accountRules(under: options) }

    /// - Throws: 119.
    func requireMaster() throws(ParseFault) {
        guard isMaster else { throw ParseFault(119, "master key is required") }
    }
}

/// What a request says of who makes it, by headers or in its body.
struct ParseCredentials {
    var applicationId: String?
    var keys: [ProtocolKey: String] = [:]
    var masterKey: String?
    var token: String?
    var device = DeviceDescription()

    init() {}

    /// What the SDKs send with most requests.
    static let headers: [HTTPField.Name] = [
        .parseApplicationId, .parseRestKey, .parseJavascriptKey, .parseClientKey, .parseWindowsKey, .parseMasterKey,
        .parseSessionToken, .parseClientVersion, .parseSystemVersion, .parseAppVersion, .parseInstallationId,
        .parseCloudContext, .parseRequestId,
    ]

    /// - Parameter headers: Those of Parse's own.
    init(_ headers: HeaderGroup) {
        applicationId = headers.value(of: .parseApplicationId)
        if let sent = headers.value(of: .parseRestKey) { keys[.restKey] = sent }
        if let sent = headers.value(of: .parseJavascriptKey) { keys[.javascriptKey] = sent }
        // The SDKs of .NET and Unity have a key of their own, or the one that the application has for all clients.
        let dotNetKey = headers.value(of: .parseWindowsKey)
        if let dotNetKey { keys[.dotNetKey] = dotNetKey }
        if let sent = headers.value(of: .parseClientKey) ?? dotNetKey { keys[.clientKey] = sent }
        masterKey = headers.value(of: .parseMasterKey)
        token = headers.value(of: .parseSessionToken)
        device = DeviceDescription(
            model: DeviceDescription.cut(headers.value(of: .parseClientVersion)),
            system: DeviceDescription.cut(headers.value(of: .parseSystemVersion)),
            appVersion: DeviceDescription.cut(headers.value(of: .parseAppVersion)),
            installation: Self.name(headers.value(of: .parseInstallationId)))
    }

    /// What HTTP Basic says: `appId:masterKey`, or `appId:javascript-key=KEY`.
    ///
    /// - Parameter header: `Authorization`.
    init?(basic header: String?) {
        guard let header, header.prefix(6).lowercased() == "basic ",
            let data = Data(base64Encoded: header.dropFirst(6).withoutBlanks),
            let text = StreamSafeText.text(of: data)
        else { return nil }
        let (name, secret) = text.cut(at: ":") ?? (before: text[...], after: "")
        let javascript = "javascript-key="
        applicationId = String(name)
        if secret.hasPrefix(javascript) {
            keys[.javascriptKey] = String(secret.dropFirst(javascript.count))
        } else if !secret.isEmpty {
            masterKey = String(secret)
        }
    }

    /// Lets what HTTP Basic says of the app count more than the headers.
    mutating func take(_ basic: ParseCredentials) {
        applicationId = basic.applicationId
        keys.merge(basic.keys) { $1 }
        masterKey = basic.masterKey ?? masterKey
    }

    /// The name of an installation; an empty one is none.
    static func name(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}

extension ParseCall {
    /// Who has the master key, for the audit log.
    var administrator: Operator { Operator(actor: .protocolKey(.parse), origin: origin) }
}

extension ParseRequests {
    /// Whether the app may call: with a right key of one configured kind, or with the master key.
    ///
    /// - Throws: 403.
    func admitted(
        _ enabled: EnabledProtocol, _ credentials: ParseCredentials, _ request: Request, _ context: ServerContext
    ) throws(ParseFault) -> ParseCaller {
        let options = enabled.options
        var isMaster = false
        if let sent = credentials.masterKey, enabled.accepts(sent, as: .masterKey) {
            // A wrong master key is overlooked; a right one from elsewhere is an alarm.
            guard mayAdminister(gate.attestedClient(of: request, context), options) else { throw .unauthorized }
            isMaster = true
        }
        let kinds: [ProtocolKey] = [.restKey, .javascriptKey, .clientKey, .dotNetKey].filter { enabled.has($0) }
        guard
            isMaster || kinds.isEmpty
                || kinds.contains(where: { kind in
                    credentials.keys[kind].map { enabled.accepts($0, as: kind) } ?? false
                })
        else { throw .unauthorized }
        return ParseCaller(
            enabled: enabled, options: options, isMaster: isMaster, token: credentials.token, session: nil,
            device: credentials.device)
    }

    private func mayAdminister(_ client: IPAddress?, _ options: ForeignOptions) -> Bool {
        guard let client else { return false }
        return options.administratorNetworks.contains { IPNetwork($0)?.contains(client) ?? false }
    }

    /// Finds the session of the call's token.
    ///
    /// - Throws: 209 for a token that is dead.
    func authenticate(_ call: inout ParseCall) async throws {
        guard let token = call.caller.token, !token.isEmpty else { return }
        do {
            call.caller.session = try await gate.session(
                of: call.caller.enabled, token: token[...], call.request, call.context)
        } catch {
            if !call.caller.isMaster, error == .sessionInvalid {
                throw try await expired(token, call) ? ParseFault.sessionExpired : ParseFault.sessionInvalid
            }
            // An administrator's token is not checked, and used where it holds.
            guard call.caller.isMaster, error == .sessionInvalid || error == .userDisabled else { throw error }
        }
    }

    private func expired(_ token: String, _ call: ParseCall) async throws(DomainError) -> Bool {
        try await findSession(token[...], in: call.application, of: .parse) != nil
    }
}
