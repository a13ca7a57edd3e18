import Domain
import Foundation
import OkaeriServer
import OkaeriWire

/// Why a record of an export is no user.
struct ImportFault: Error {
    let sentence: String
}

/// Reads an export and takes its users in, a part at a time: its size does not matter. What a record is, the format says.
struct Importer {
    /// Refusals that are kept for the report; all of them are counted.
    private static let keptRefusals = 10_000

    let application: Identifier<Application>
    let protocolName: Session.ProtocolName
    let isRehearsal: Bool
    let translate: (JSONValue) throws(ImportFault) -> ImportedUser

    init(
        application: Identifier<Application>, protocolName: Session.ProtocolName, isRehearsal: Bool,
        translate: @escaping (JSONValue) throws(ImportFault) -> ImportedUser
    ) {
        self.application = application
        self.protocolName = protocolName
        self.isRehearsal = isRehearsal
        self.translate = translate
    }

    /// A record that was not taken in.
    struct Refusal: Encodable {
        let line: Int
        let id: String?
        let reason: String
    }

    struct Report: Encodable {
        var isRehearsal: Bool
        var records = 0
        var imported = 0
        /// Those that an earlier run has taken in.
        var present = 0
        var refusals = 0
        /// The first of them.
        var refused: [Refusal] = []

        var text: String {
            var lines = refused.map { refusal in
                "line \(refusal.line)\(refusal.id.map { ", \($0)" } ?? ""): \(refusal.reason)"
            }
            if refusals > refused.count { lines.append("and \(refusals - refused.count) more") }
            lines.append(
                """
                \(records) records: \(imported) \(isRehearsal ? "would be imported" : "imported"), \(present) there \
                already, \(refusals) refused
                """)
            return lines.joined(separator: "\n")
        }

        fileprivate mutating func refuse(_ line: Int, _ id: String?, _ reason: String) {
            refusals += 1
            if refused.count < keptRefusals { refused.append(Refusal(line: line, id: id, reason: reason)) }
        }
    }

    private struct Waiting {
        let line: Int
        let user: ImportedUser
    }

    /// - Throws: `CommandFault` when the file cannot be read on, or the storage fails: what was taken in stays.
    func run(_ file: RecordFile, _ storage: StorageOptions) async throws(CommandFault) -> Report {
        let progress = ImportProgress()
        let box = ReportBox(Report(isRehearsal: isRehearsal))
        try await storage.withStorage { useCases throws(DomainError) in
            // An application that is none would take everything in, and nobody would ever find it.
            guard try await useCases.listApplications().contains(where: { $0.application.id == application })
            else { throw .applicationUnknown }
            var isOver = false
            while !isOver {
                var waiting: [Waiting] = []
                do throws(RecordFile.Fault) {
                    isOver = try fill(&waiting, from: file, &box.report)
                } catch {
                    box.fault = .failed(
                        "\(error). What stands before it was read; run the import again after mending it.")
                    isOver = true
                }
                try await take(waiting, useCases, &box.report)
                progress.show(box.report.records, file.readBytes)
            }
        }
        progress.end()
        if let fault = box.fault { throw fault }
        return box.report
    }

    /// - Returns: whether the file is at its end.
    private func fill(
        _ waiting: inout [Waiting], from file: RecordFile, _ report: inout Report
    ) throws(RecordFile.Fault) -> Bool {
        while waiting.count < ImportUsers.batchSize {
            guard let record = try file.next() else { return true }
            report.records += 1
            let value: JSONValue
            do throws(JSONSyntaxError) {
                value = try JSONValue(parsing: record.bytes)
            } catch {
                report.refuse(record.line, nil, "is not JSON")
                continue
            }
            do throws(ImportFault) {
                waiting.append(Waiting(line: record.line, user: try translate(value)))
            } catch {
                report.refuse(record.line, nil, error.sentence)
            }
        }
        return false
    }

    private func take(
        _ waiting: [Waiting], _ useCases: UseCases, _ report: inout Report
    ) async throws(DomainError) {
        guard !waiting.isEmpty else { return }
        let outcomes = try await useCases.foreign.importUsers(
            waiting.map(\.user), into: application, of: protocolName, isRehearsal: isRehearsal)
        for (record, outcome) in zip(waiting, outcomes) {
            switch outcome {
            case .imported: report.imported += 1
            case .present: report.present += 1
            case .refused(let faults):
                report.refuse(
                    record.line, record.user.user.id.rawValue, faults.map(\.sentence).joined(separator: " "))
            }
        }
    }
}

/// Carries the report out of the closure that has the storage.
private final class ReportBox {
    var report: Importer.Report
    var fault: CommandFault?

    init(_ report: Importer.Report) {
        self.report = report
    }
}

/// One line on a terminal that is written over again and again.
private struct ImportProgress {
    private let isShown = isatty(FileHandle.standardError.fileDescriptor) != 0

    func show(_ records: Int, _ bytes: Int) {
        if isShown { write("\r\u{1B}[K\(records) records, \(bytes / 1_048_576) MiB read") }
    }

    func end() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        // Nobody is left to tell when the terminal has gone.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
