import Domain
import PageSupport

/// Words of the admin's language for what programs call by an identifier. These are open sets: what a newer node or an app
/// wrote may have no word here, and stays as it is.
extension DashboardRequest {
    func word(_ action: AuditEntry.Action) -> String { known("act", action.rawValue) ?? action.rawValue }

    func word(_ type: EventType) -> String { known("act", type.rawValue) ?? type.rawValue }

    func word(_ provider: Identity.Provider) -> String {
        known("provider", provider.rawValue) ?? ProviderBrand.of(provider).name
    }

    func word(_ method: Session.LogInMethod) -> String {
        // A way of log-in without a word of its own is a provider.
        known("method", method.rawValue) ?? word(Identity.Provider(rawValue: method.rawValue))
    }

    func word(_ name: Session.ProtocolName) -> String {
        let profile = modules.applications.protocols.foreign.first { $0.name == name }
        return known("protocol", name.rawValue) ?? profile?.title ?? name.rawValue
    }

    /// By which protocol and in which way a session was opened.
    func words(ofLogInTo session: Session) -> String { "\(word(session.protocolName)) · \(word(session.method))" }

    /// - Parameters:
    ///   - actor: Who did something.
    ///   - names: The names of admins by their ids; who is not among them has the id.
    /// - Returns: what it is, and which one.
    func words(_ actor: AuditEntry.Actor, _ names: [String: String] = [:]) -> String {
        words(ofReference: actor.rawValue, names)
    }

    /// The same of what something was done to.
    func words(_ target: AuditEntry.Target, _ names: [String: String] = [:]) -> String {
        words(ofReference: target.rawValue, names)
    }

    /// The names of all admins by their ids, for who may list them: they log in by these.
    func adminNames() async throws(DomainError) -> [String: String] {
        guard access?.may(.listAdmins, in: nil) == true else { return [:] }
        let admins = try await rules.admins.list()
        return Dictionary(admins.map { ($0.id.rawValue, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// `admin:ID` in words: what it is, and which one.
    private func words(ofReference reference: String, _ names: [String: String]) -> String {
        let parts = reference.split(separator: ":", maxSplits: 1).map(String.init)
        guard let kind = parts.first, let label = known("actor", kind) else { return reference }
        guard parts.count == 2 else { return label }
        switch kind {
        case "provider": return "\(label) \(word(Identity.Provider(rawValue: parts[1])))"
        case "protocol-key": return "\(label) \(word(Session.ProtocolName(rawValue: parts[1])))"
        case "admin": return "\(label) \(names[parts[1]] ?? parts[1])"
        default: return "\(label) \(parts[1])"
        }
    }

    private func known(_ group: String, _ identifier: String) -> String? { knownText("\(group).\(identifier)") }
}
