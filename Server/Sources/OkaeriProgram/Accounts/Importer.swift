import Backups
import Domain
import Foundation
import OkaeriServer
import OkaeriWire

/// Why a record of an export is no user.
struct ImportFault: Error {
    /// The record's id, when it has one.
    let id: String?
    let sentence: String
}

/// Reads an export and takes what it holds in, a part at a time: its size does not matter. What a record is, the format
/// says, and what becomes of it.
struct Importer<Imported> {
    /// Returns why nothing may be taken in; `nil` when all is well.
    typealias Begin = (Modules, Operator) async throws(DomainError) -> CommandFault?
    typealias Take = ([Imported], Modules) async throws(DomainError) -> [ImportOutcome]

    /// The most bytes of the export in one part, unless one record has more. As values they take some times as many.
    private static var partBytes: Int { 4 * 1024 * 1024 }

    let application: Identifier<Application>
    let isRehearsal: Bool
    let translate: (JSONValue) throws(ImportFault) -> Imported
    /// By which name a refusal tells of a record.
    let name: (Imported) -> String
    /// Whether everybody can change what a record makes.
    let isWritable: (Imported) -> Bool
    let takeIn: Take
    /// What is done first, where the application need not be there.
    let begin: Begin?

    init(
        application: Identifier<Application>, isRehearsal: Bool, beginning begin: Begin? = nil,
        translate: @escaping (JSONValue) throws(ImportFault) -> Imported, name: @escaping (Imported) -> String,
        isWritable: @escaping (Imported) -> Bool = { _ in false }, takeIn: @escaping Take
    ) {
        self.application = application
        self.isRehearsal = isRehearsal
        self.translate = translate
        self.name = name
        self.isWritable = isWritable
        self.takeIn = takeIn
        self.begin = begin
    }

    /// A record that was read. Those that make nothing stay among the others, so that the report is in the order of the file.
    private enum Record {
        case refused(ImportRefusal)
        case waiting(line: Int, index: Int, imported: Imported)

        var imported: Imported? {
            if case .waiting(_, _, let imported) = self { imported } else { nil }
        }
    }

    /// - Throws: `CommandFault` when the file cannot be read on, or the storage fails: what was taken in stays.
    func run(
        _ file: any RecordSource, ofBytes fileBytes: Int?, _ storage: StorageOptions
    ) async throws(CommandFault) -> ImportReport {
        let progress = ProgressLine()
        let (clock, pace) = (ContinuousClock(), ImportPace(fileBytes: fileBytes))
        let start = clock.now
        let box = ReportBox(ImportReport(isRehearsal: isRehearsal))
        var settings = try storage.settings()
        let isNew = begin != nil && settings.isNewInstallation
        if isNew {
            let verb = isRehearsal ? "would be" : "is"
            Console.tell(settings.noteOnNewFolder("the application \(verb) made in a new installation"))
        }
        // A rehearsal writes nothing where there is nothing: it happens in an installation that goes with it.
        let passing = isNew && isRehearsal ? try Self.passingFolder(for: settings) : nil
        defer { withExtendedLifetime(passing) {} }
        if let passing { settings.dataFolder = passing.path }
        try await settings.perform(.importUsers, makesDatabase: isNew) {
            modules, who throws(DomainError) in
            // An application that is none would take everything in, and nobody would ever find it.
            if let begin {
                if let fault = try await begin(modules, who) { return box.fault = fault }
            } else {
                let all = try await modules.applications.listApplications()
                guard all.contains(where: { $0.application.id == application }) else { throw .applicationUnknown }
            }
            let record = modules.imports.recordImport
            if !isRehearsal { try await record(.begun, into: application, by: who) }
            var isOver = false
            while !isOver {
                var part: [Record] = []
                do throws(RecordFile.Fault) {
                    isOver = try fill(&part, from: file, &box.report)
                } catch {
                    box.fault = .failed(
                        "\(error). What stands before it was read; run the import again after mending it.")
                    isOver = true
                }
                try await take(part, modules, &box.report)
                let (readBytes, span) = (file.readBytes, start.duration(to: clock.now))
                let records = box.report.records.counted("record")
                progress.show("\(records), \(pace.text(readBytes: readBytes, after: span))")
            }
            guard !isRehearsal else { return }
            let (imported, present, refused) = (box.report.imported, box.report.present, box.report.refusals)
            try await record(
                .ended(imported: imported, present: present, refused: refused), into: application, by: who)
        }
        progress.end()
        if let fault = box.fault { throw fault }
        return box.report
    }

    /// A folder for the rehearsal of a new installation, with the sealing key that the installation would have.
    ///
    /// - Throws: `CommandFault` when it cannot be made.
    private static func passingFolder(for settings: ServerSettings) throws(CommandFault) -> PrivateFolder {
        do throws(BackupFault) {
            let folder = try BackupVariable.workFolder()
            // Without one the import makes one, too.
            try? FileManager.default.copyItem(
                atPath: "\(settings.dataFolder)/sealing.key", toPath: "\(folder.path)/sealing.key")
            return folder
        } catch {
            throw CommandFault(error)
        }
    }

    /// - Returns: whether the file is at its end.
    private func fill(
        _ records: inout [Record], from file: any RecordSource, _ report: inout ImportReport
    ) throws(RecordFile.Fault) -> Bool {
        var bytes = 0
        while records.count < ImportUsers.batchSize, bytes < Self.partBytes {
            guard let record = try file.next() else { return true }
            report.records += 1
            bytes += record.bytes.count
            records.append(self.record(record, index: report.records))
        }
        return false
    }

    private func record(_ record: RecordFile.Record, index: Int) -> Record {
        func refused(_ reason: String, id: String? = nil) -> Record {
            .refused(ImportRefusal(line: record.line, index: index, id: id, reason: reason))
        }
        if let fault = record.fault { return refused(fault) }
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: record.bytes)
        } catch {
            return refused(error.reason(in: record.bytes, of: "the record", onLine: record.line))
        }
        do throws(ImportFault) {
            return .waiting(line: record.line, index: index, imported: try translate(value))
        } catch {
            return refused(error.sentence, id: error.id)
        }
    }

    private func take(
        _ records: [Record], _ modules: Modules, _ report: inout ImportReport
    ) async throws(DomainError) {
        let waiting = records.compactMap(\.imported)
        var outcomes: [ImportOutcome] = []
        if !waiting.isEmpty { outcomes = try await takeIn(waiting, modules) }
        var next = outcomes.makeIterator()
        for record in records {
            if case .refused(let refusal) = record { report.refuse(refusal) }
            guard case .waiting(let line, let index, let imported) = record, let outcome = next.next() else { continue }
            if !outcome.isRefusal, isWritable(imported) { report.noteWritable(name(imported)) }
            func refusal(for faults: [ValidationError]) -> ImportRefusal {
                ImportRefusal(line: line, index: index, id: name(imported), faults: faults)
            }
            switch outcome {
            case .imported: report.imported += 1
            case .importedInPart(let faults):
                report.imported += 1
                report.notePart(refusal(for: faults))
            case .present: report.present += 1
            case .refused(let faults): report.refuse(refusal(for: faults))
            }
        }
    }
}

extension JSONSyntaxError {
    /// Why a text is not JSON, without what stands in it but the name of a member.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - whole: What the text is, such as `the record`.
    ///   - line: On which line of the file it begins.
    /// - Returns: the rest of a sentence.
    func reason(in bytes: [UInt8], of whole: String, onLine line: Int = 1) -> String {
        func position(_ offset: Int) -> String {
            let lineFeeds = bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
            return "byte \(offset + 1) of \(whole), on line \(line + lineFeeds),"
        }
        let what =
            switch self {
            case .unexpected(let offset): "\(position(offset)) is unexpected"
            case .incomplete: "it ends in the middle"
            case .badText(let offset): "the text that ends at \(position(offset)) is not UTF-8"
            case .tooManyMarks(let offset):
                "the text that ends at \(position(offset)) has more than 30 combining marks in a row"
            case .duplicateMember(let name):
                "an object has “\(String(decoding: name.utf8.prefix(64), as: UTF8.self).printable)” twice"
            case .numberOutOfRange(let offset): "the number that ends at \(position(offset)) is out of range"
            case .tooDeep: "it has too many arrays and objects within each other"
            case .tooManyValues: "it has too many values"
            }
        return "is not JSON: \(what)"
    }
}

/// Carries the report out of the closure that has the storage.
private final class ReportBox {
    var report: ImportReport
    var fault: CommandFault?

    init(_ report: ImportReport) {
        self.report = report
    }
}
