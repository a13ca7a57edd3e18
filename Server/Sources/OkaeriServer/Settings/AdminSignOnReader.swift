import Domain
import Foundation
import OutboundServices

extension AdminSignOnSettings {
    private static let maximumSecretBytes = 4096
    private static let maximumClientCharacters = 200

    /// - Returns: `nil` when nothing of it is set.
    /// - Throws: `SettingFault` for values that break their rules alone or together.
    init?(_ reader: SettingReader) throws(SettingFault) {
        let issuer = try reader.optional(.adminSignOnIssuer) { text in
            EgressPolicy.isOperatorURL(text) && !text.utf8.contains(where: "?#".utf8.contains) ? text : nil
        }
        let client = try reader.optional(.adminSignOnClient) { text in
            (1...Self.maximumClientCharacters).contains(text.utf8.count) ? text : nil
        }
        let secret = try reader.optional(.adminSignOnSecret) { text in
            (1...Self.maximumSecretBytes).contains(text.utf8.count) ? Secret(text) : nil
        }
        let fileSecret = try reader.optional(.adminSignOnSecretFile, Self.secret(inFile:))
        let domain = try reader.optional(.adminSignOnDomain) { text in
            Joining(domain: text, role: .auditor) == nil ? nil : text
        }
        let role = try reader.optional(.adminSignOnRole) { text in
            AdminRole(rawValue: text).flatMap { $0 == .owner ? nil : $0 }
        }
        let hasPasswords = try reader.required(.adminPasswords) { ["on": true, "off": false][$0] }
        let isUsed = client != nil || secret != nil || fileSecret != nil || domain != nil || role != nil
        guard issuer != nil || isUsed || !hasPasswords else { return nil }
        guard let issuer else { throw Self.missing(.adminSignOnIssuer) }
        guard let client else { throw Self.missing(.adminSignOnClient) }
        if secret != nil, fileSecret != nil {
            throw SettingFault(
                "\(Setting.adminSignOnSecret.name) is set, but must be \(Setting.adminSignOnSecret.rule).")
        }
        if domain == nil, role != nil { throw Self.missing(.adminSignOnDomain) }
        if domain != nil, role == nil { throw Self.missing(.adminSignOnRole) }
        self.init(
            issuer: issuer, clientId: client, secret: secret ?? fileSecret,
            joining: domain.flatMap { domain in role.flatMap { Joining(domain: domain, role: $0) } },
            endsPasswords: !hasPasswords)
    }

    /// What stands in a file, without the line's end.
    private static func secret(inFile path: String) -> Secret? {
        // A file that cannot be read breaks the setting's rule, whatever the reason.
        guard let bytes = try? FileReader(path: path).readAll(upTo: maximumSecretBytes + 1),
            bytes.count <= maximumSecretBytes,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let line = text.withoutBlanksAndLineEnds
        return line.isEmpty ? nil : Secret(line)
    }

    private static func missing(_ setting: Setting) -> SettingFault {
        SettingFault(missing: setting)
    }

    /// Under which the operator's own provider is asked.
    var operatorURL: String { issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer }
}
