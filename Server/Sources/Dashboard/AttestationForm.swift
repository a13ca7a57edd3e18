import Domain
import PageSupport

/// The part of first launches in the form of an application's settings.
enum AttestationForm {
    private static let numbers: [(name: String, path: any WritableKeyPath<AttestationRules, Int> & Sendable)] = [
        ("attestation.attested.perAddress", \.attested.perAddress),
        ("attestation.attested.perApplication", \.attested.perApplication),
        ("attestation.unattested.perAddress", \.unattested.perAddress),
        ("attestation.unattested.perApplication", \.unattested.perApplication),
        ("attestation.refused.perAddress", \.refused.perAddress),
        ("attestation.refused.perApplication", \.refused.perApplication),
        ("attestation.proofOfWorkBits", \.proofOfWorkBits),
    ]

    /// The rules that were sent. A form that does not have this part leaves them.
    static func rules(
        _ form: FormValues, _ before: AttestationRules, _ keys: (package: String, keys: PlayKeys)?
    ) -> AttestationRules {
        guard let sent = form["attestation.mode"] else { return before }
        var rules = before
        rules.mode = AttestationRules.Mode(rawValue: sent) ?? before.mode
        rules.appleApps = form.text("attestation.appleApps").words
        if let lines = form["attestation.playApps"] {
            rules.playAppLines = lines.split(whereSeparator: \.isNewline).map(String.init)
        }
        if let keys { rules.set(keys.keys, of: keys.package) }
        rules.takesDevelopment = !form.text("attestation.takesDevelopment").isEmpty
        // What is no number is none that the rules take: they refuse it with everything else.
        for (name, path) in numbers { rules[keyPath: path] = Int(form.text(name), radix: 10) ?? -1 }
        return rules
    }

    /// The keys of an app of Google Play that were sent, sealed; `nil` when none were.
    ///
    /// - Throws: `fieldsRefused` for what is no key.
    static func playKeys(
        _ form: FormValues, in application: Identifier<Domain.Application>, sealed seal: SealPlayKeys
    ) throws(DomainError) -> (package: String, keys: PlayKeys)? {
        let (decryptionKey, verificationKey) = (
            form.text("attestation.playApps.decryptionKey"), form.text("attestation.playApps.verificationKey")
        )
        guard !decryptionKey.isEmpty || !verificationKey.isEmpty else { return nil }
        let package = form.text("attestation.playApps.package")
        return (
            package,
            try seal(
                decryptionKey: Secret(decryptionKey), verificationKey: verificationKey, of: package, in: application)
        )
    }

    /// The fields, as the form was sent, or else as the rules are.
    static func fields(
        _ rules: AttestationRules, _ form: FormValues, errors: [String: String], _ request: DashboardRequest
    ) -> [PageTemplates.Model] {
        func field(_ name: String, _ value: String, _ kind: PageField.Kind) -> PageField {
            PageField(
                name, label: request.text("settings.\(name)"), kind: kind, value: form[name] ?? value,
                hint: request.knownText("settings.\(name)Hint"), error: errors[name], isRequired: kind == .number)
        }
        let mode = field("attestation.mode", rules.mode.rawValue, .select).offering(
            AttestationRules.Mode.allCases.map {
                ($0.rawValue, request.text("settings.attestation.mode.\($0.rawValue)"))
            })
        let apps = field("attestation.appleApps", rules.appleApps.joined(separator: "\n"), .multiline)
        let playApps = field("attestation.playApps", rules.playAppLines.joined(separator: "\n"), .multiline)
        let keys = [
            field("attestation.playApps.package", "", .text), field("attestation.playApps.verificationKey", "", .text),
            // A key is shown to nobody, not even to the one who sent it.
            PageField(
                "attestation.playApps.decryptionKey",
                label: request.text("settings.attestation.playApps.decryptionKey"),
                kind: .password, value: "", hint: nil, error: errors["attestation.playApps.decryptionKey"],
                isRequired: false),
        ]
        let development = field("attestation.takesDevelopment", rules.takesDevelopment ? "yes" : "", .checkbox)
        return [mode.model, apps.model, playApps.model] + keys.map(\.model) + [development.model]
            + numbers.map { field($0.name, String(rules[keyPath: $0.path]), .number).model }
    }
}
