/// A device as it describes itself.
package struct DeviceDescription: Hashable, Sendable {
    package var name: String?
    package var model: String?
    package var system: String?
    package var appVersion: String?
    /// What names the app's installation in protocols that have such a name. Another session of it ends those
    /// that the user had there before.
    package var installation: String?

    package static let rule = TextRule(maximumCharacters: 200, mayBeEmpty: true)
    /// How many are looked at where more are cut: the body of an old SDK says what headers say, and holds a mebibyte of it.
    private static let readCharacters = 2000

    package init(
        name: String? = nil, model: String? = nil, system: String? = nil, appVersion: String? = nil,
        installation: String? = nil
    ) {
        self.name = name
        self.model = model
        self.system = system
        self.appVersion = appVersion
        self.installation = installation
    }

    /// What headers say of a device, cut to what the rule allows: it is no reason to refuse anybody.
    package static func cut(_ text: String?) -> String? {
        guard let text, !rule.faults(of: text, field: "").isEmpty else { return text }
        let kept = text.unicodeScalars.prefix(readCharacters).filter { $0.properties.generalCategory != .control }
        return String(kept.prefix(rule.maximumCharacters))
    }

    package func faults(field: String) -> [ValidationError] {
        Self.rule.faults(of: name, field: "\(field).name") + Self.rule.faults(of: model, field: "\(field).model")
            + Self.rule.faults(of: system, field: "\(field).system")
            + Self.rule.faults(of: appVersion, field: "\(field).appVersion")
            + Self.rule.faults(of: installation, field: "\(field).installation")
    }
}
