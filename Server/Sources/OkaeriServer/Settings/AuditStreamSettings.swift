package import Domain
package import OutboundServices

/// Where a copy of the audit log is sent.
package struct AuditStreamSettings: Sendable {
    package enum Target: Sendable {
        case syslog(SyslogAddress)
        case webhook(url: String, secret: Secret)
    }

    package var target: Target

    private static let shortestSecret = 16
    /// A message has a hundred entries at the most.
    static let limits = CurlCaller.Limits(connecting: .seconds(4), whole: .seconds(10))

    /// - Returns: `nil` when none is sent.
    /// - Throws: `SettingFault` for values that break their rules alone or together.
    init?(_ reader: SettingReader) throws(SettingFault) {
        let address = try reader.optional(.auditStream) { text in
            SyslogAddress(text) != nil || EgressPolicy.isOperatorURL(text) ? text : nil
        }
        let secret = try reader.optional(.auditStreamSecret) { text in
            text.count >= Self.shortestSecret ? Secret(text) : nil
        }
        guard let address else {
            guard secret == nil else {
                throw SettingFault(missing: .auditStream)
            }
            return nil
        }
        if let syslog = SyslogAddress(address) {
            guard secret == nil else {
                throw SettingFault(
                    "\(Setting.auditStreamSecret.name) is set, but must be \(Setting.auditStreamSecret.rule).")
            }
            target = .syslog(syslog)
        } else {
            guard let secret else {
                throw SettingFault(missing: .auditStreamSecret)
            }
            target = .webhook(url: address, secret: secret)
        }
    }

    /// What sends.
    func receiver(_ clock: any WallClock) -> any AuditReceiver {
        switch target {
        case .syslog(let address): SyslogReceiver(address, host: SystemName.host, process: SystemName.process)
        case .webhook(let url, let secret):
            AuditWebhook(
                url: url, secret: secret, clock: clock,
                caller: CurlCaller(
                    limits: Self.limits, policy: EgressPolicy(privateNetworks: [], operatorURLs: [url])))
        }
    }
}
