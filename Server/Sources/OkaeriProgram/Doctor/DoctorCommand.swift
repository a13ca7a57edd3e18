import ArgumentParser
import OkaeriServer

/// `okaeri doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check settings, storage, keys, Apple and clock, and say what to do.",
        discussion: """
            Give it the same options and environment as the server. It changes nothing. Each line is ok, a warning, or \
            failed; with a failed one the exit status is 1.

            Examples:
              okaeri doctor
              okaeri doctor --data /var/lib/okaeri --listen 0.0.0.0:8080
              okaeri doctor --thorough --json
            """)

    @OptionGroup var options: SettingOptions

    @Flag(help: "Compare the database's indexes with its tables too. With millions of users this takes minutes.")
    var thorough = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let findings = await findings()
        let isHealthy = !findings.contains { $0.outcome == .failed }
        if output.isJSON {
            Console.write(json: Output(isHealthy: isHealthy, findings: findings))
        } else {
            show(findings)
        }
        guard isHealthy else { throw ExitCode.failure }
    }

    private func findings() async -> [Finding] {
        let settings: ServerSettings
        do throws(CommandFault) {
            settings = try options.settings()
        } catch {
            return [.failed("settings", error.description, advice: "Correct the setting; nothing else was checked.")]
        }
        var findings = SettingChecks(settings: settings).findings()
        findings.append(await MailCheck(settings: settings).finding())
        let folder = FolderChecks(folder: settings.dataFolder)
        if settings.database != nil {
            findings += [folder.plausibility]
            findings += await DatabaseChecks(settings: settings).findings()
            if !findings.contains(where: { $0.outcome == .failed }) {
                findings += await ApplicationChecks(settings: settings).findings()
            }
            return findings + (folder.exists ? await RunningServerCheck(folder: settings.dataFolder).findings() : [])
        }
        findings += folder.findings()
        if folder.exists {
            findings += await StorageChecks(settings: settings, isThorough: thorough).findings()
            // It opens the storage, which makes what is missing: only where nothing is.
            if !findings.contains(where: { $0.outcome == .failed }) {
                findings += await ApplicationChecks(settings: settings).findings()
            }
            findings += ReplicaCheck(settings: settings).findings()
            findings += await RunningServerCheck(folder: settings.dataFolder).findings()
        }
        return findings
    }

    private func show(_ findings: [Finding]) {
        var table = TextTable()
        for finding in findings {
            table.add(finding.outcome.rawValue, finding.check, finding.state)
            if let advice = finding.advice { table.add(" ", " ", "→ " + advice) }
        }
        Console.write(table.text())
    }

    private struct Output: Encodable {
        let isHealthy: Bool
        let findings: [Finding]
    }
}
