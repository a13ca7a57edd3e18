/// An operator changes an application's name and settings, unless somebody else did so since they were read.
package struct ChangeApplication: Sendable {
    let editApplication: EditApplication
    let certificates: any CertificateVerifier

    /// - Parameters:
    ///   - id: Which one.
    ///   - isCurrent: Whether the application is still as the operator knows it; may be asked twice.
    ///   - who: Who does it.
    ///   - change: Makes the change; may run twice.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `fieldsRefused`, `administration(notAllowed)` where
    ///   it leads what opens accounts elsewhere (`AdminAction.changeLogInAddresses`) or erases users sooner
    ///   (`AdminAction.eraseSooner`), `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Application>, isCurrent: @escaping @Sendable (Application) -> Bool, by who: Operator,
        _ change: @escaping @Sendable (inout Application) -> Void
    ) async throws(DomainError) -> Application {
        try await editApplication(id, .settingsChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            let (before, name) = (application.settings, application.name)
            change(&application)
            // A name of before that breaks a newer rule keeps nobody from changing something else.
            let faults =
                (application.name == name ? [] : CreateApplication.faults(ofName: application.name))
                + application.settings.faults(since: before) + application.settings.passkeys.rootFaults(certificates)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            return [:]
        }
    }
}

extension ApplicationSettings {
    /// Spans that sessions and deletions may have, in days.
    package static let spanDays: ClosedRange<Int64> = 1...3650
    package static let spans: ClosedRange<Duration> = .days(spanDays.lowerBound)...Duration.days(spanDays.upperBound)
    private static let maximumMergeRules = 100

    /// What breaks a rule, but for links and words of mails that another setting had already.
    func faults(since before: ApplicationSettings) -> [ValidationError] {
        var faults =
            lifeFaults(since: before) + passwordFaults + mail.faults(since: before.mail) + fieldRules.faults
            + passkeys.faults + secondFactors.faults + attestation.faults
        let named: [(String, Duration?)] = [
            ("sessionIdleSeconds", sessionIdleLifetime), ("sessionSeconds", sessionLifetime),
            ("deletionGraceSeconds", deletionGrace), ("anonymousIdleSeconds", anonymousIdleLimit),
        ]
        for (field, span) in named where span.map({ !Self.spans.contains($0) }) ?? false {
            let seconds = Self.spans.lowerBound.components.seconds...Self.spans.upperBound.components.seconds
            faults.append(ValidationError(field: field, rule: .outOfRange(seconds)))
        }
        faults += CreateApplication.faults(ofAudiences: audiences)
        return faults
            + ProfileRules.fieldName.faults(
                ofEach: Array(mergeRules.keys), atMost: Self.maximumMergeRules, field: "mergeRules")
    }
}
