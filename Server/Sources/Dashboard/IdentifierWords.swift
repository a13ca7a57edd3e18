import Domain
import PageSupport

/// Words of the admin's language for what programs call by an identifier. These are open sets: what a newer node or an app
/// wrote may have no word here, and stays as it is.
extension DashboardRequest {
    func word(_ action: AuditEntry.Action) -> String { known("act", action.rawValue) ?? action.rawValue }

    /// What a person chooses an action from: all that have a word, in the order of the words.
    ///
    /// - Parameter chosen: What is chosen, which is among them even when it has no word; empty for any action.
    /// - Returns: the choices, with that of any action first.
    func actions(with chosen: String) -> [(value: String, label: String)] {
        let group = "act."
        let identifiers = (dashboard.texts.tables[page.language] ?? [:]).keys.filter { $0.hasPrefix(group) }
            .map { String($0.dropFirst(group.count)) }
        // An event can have the word of the action that it tells of: the action comes first, and stays.
        let events = Set(EventType.all.map(\.rawValue))
        let ordered = Set(identifiers + [chosen]).subtracting([""]).sorted {
            (events.contains($0) ? 1 : 0, $0) < (events.contains($1) ? 1 : 0, $1)
        }
        let words = Dictionary(
            ordered.map { (word(AuditEntry.Action(rawValue: $0)), $0) }, uniquingKeysWith: { $1 == chosen ? $1 : $0 })
        return [("", text("users.all"))] + words.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
    }

    /// What the audit log calls what a person typed: an admin's name, the reference itself, or else a user's id.
    ///
    /// - Parameters:
    ///   - typed: What was typed.
    ///   - names: The names of admins by their ids.
    /// - Returns: the reference, such as `admin:ID`.
    func reference(_ typed: String, _ names: [String: String]) -> String {
        let typed = typed.words.joined(separator: " ")
        if let admin = names.first(where: { $0.value == typed }) { return "admin:\(admin.key)" }
        return typed.contains(":") || ["operator", "server", "unknown"].contains(typed) ? typed : "user:\(typed)"
    }

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

    /// Why something did not arrive. What is no kind of ours stays as it is, such as what a newer node wrote.
    func words(ofFault text: String) -> String {
        guard let fault = DeliveryFault(text) else { return text }
        return self.text("failure.\(fault.kind.rawValue)", ["value": fault.value])
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
        let sides = reference.cut(at: ":")
        let parts = [sides?.before ?? reference[...], sides?.after ?? ""].filter { !$0.isEmpty }.map { String($0) }
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
