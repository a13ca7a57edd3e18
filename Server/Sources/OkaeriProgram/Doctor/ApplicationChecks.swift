import Domain
import OkaeriServer

/// Whether Apple takes the keys of the applications that have one, whether their links lead somewhere, and whether users are
/// erased who should be.
struct ApplicationChecks {
    let settings: ServerSettings

    /// Nothing for a database that another check complains about.
    func findings() async -> [Finding] {
        guard isUpToDate, let composition = try? await Composition(settings.besideRunningServer, role: .command) else {
            return []
        }
        var findings: [Finding] = []
        do throws(DomainError) {
            for entry in try await composition.modules.applications.listApplications() {
                findings += links(of: entry.application)
                findings += await erasures(in: entry.application, composition.modules)
                findings += try await appleKey(of: entry.application, composition.modules)
            }
        } catch {
            findings.append(
                .failed(
                    "apple key", CommandFault(error).description, advice: "Set the key again, or put back the old one.")
            )
        }
        await composition.close()
        return findings
    }

    /// Opening an embedded database would bring it up to date, which is not a diagnosis; a shared one is never changed.
    private var isUpToDate: Bool {
        guard settings.database == nil else { return true }
        // What cannot be looked at is another check's complaint.
        guard let inspection = try? StorageInspection(folder: settings.dataFolder, isThorough: false) else {
            return false
        }
        return inspection.schemaVersion == inspection.latestSchemaVersion && inspection.damage.isEmpty
    }

    /// Links that were set before a rule that refuses them: nobody is sent there.
    private func links(of application: Application) -> [Finding] {
        let refused = application.settings.refusedLinks
        guard !refused.isEmpty else { return [] }
        return [
            .warning(
                "links", "\(application.name): \(CommandFault(.fieldsRefused(refused)).description)",
                advice: "Mails and transfer codes do without it until it is set anew, by "
                    + "“okaeri application mail \(application.id)” or in the dashboard.")
        ]
    }

    /// A server that never runs for an hour in a row erases nobody.
    private func erasures(in application: Application, _ modules: Modules) async -> [Finding] {
        let (check, most) = ("erasure", FindOverdueErasures.sweepSize)
        do throws(DomainError) {
            let overdue = try await modules.deletion.findOverdueErasures(in: application)
            let kinds = [(overdue.leaving, "deleted user"), (overdue.idle, "idle guest")]
                .filter { $0.0 > 0 }
                .map { count, noun in (count < most ? "" : "at least ") + count.counted(noun) }
            guard !kinds.isEmpty else {
                return [.ok(check, "\(application.name): nobody waits for it a day after the time.")]
            }
            let words = kinds.joined(separator: " and ")
            return [
                .warning(
                    check, "\(application.name): \(words) should have been erased more than a day ago.",
                    advice:
                        "A server erases once it has run for an hour in a row with an even clock. Let it run for so "
                        + "long, or use “okaeri user delete ID --now”.")
            ]
        } catch {
            return [
                .failed(check, CommandFault(error).description, advice: "What is said of the database comes first.")
            ]
        }
    }

    private func appleKey(
        of application: Application, _ modules: Modules
    ) async throws(DomainError) -> [Finding] {
        let entry = try await modules.providers.listProviders(of: application.id).first {
            $0.settings.provider == .apple
        }
        guard let entry, entry.hasSecret else { return [] }
        let finding = try await modules.providers.checkProvider(.apple, of: application.id)
        let (sentence, isGood) = finding.words(refused: "Apple does not take the key (%).")
        let words = "\(application.name): \(sentence)"
        if isGood { return [.ok("apple key", words)] }
        let advice = "“okaeri application apple check \(application.id)” tells more."
        return [
            finding == .unreachable
                ? .warning("apple key", words, advice: advice) : .failed("apple key", words, advice: advice)
        ]
    }
}
