package import Domain
import Foundation
import Storage

/// Writes an export: lines of JSON, sealed to a key or open. It has its name only when it is whole. Blocks.
package final class ExportFileWriter {
    private let path: String
    private let draft: String
    private var sealed: SealedFileWriter?
    private var plain: OutputFile?
    private var isFinished = false

    /// - Parameters:
    ///   - path: The file, which must not be there yet.
    ///   - key: Whom it is sealed to; `nil` for a file that everybody reads.
    ///   - program: The version of the program.
    ///   - time: Now.
    /// - Throws: `BackupFault` when it is there, or cannot be written.
    package init(
        path: String, sealedTo key: BackupPublicKey?, program: String, at time: Timestamp
    ) throws(BackupFault) {
        guard access(path, F_OK) != 0 else {
            throw BackupFault("\(path) is there already. Take it away, or name another file with --output.")
        }
        self.path = path
        draft = path + ".unfinished"
        if let key {
            let header = BackupHeader(
                kind: .application, madeAt: time.milliseconds, program: program, schemaVersion: 0, segment: "",
                rows: [:], byteCount: 0, digest: "", key: key.id)
            sealed = try SealedFileWriter(path: draft, header: header, key: key)
        } else {
            plain = try OutputFile(path: draft)
        }
    }

    deinit {
        if !isFinished { unlink(draft) }
    }

    /// Adds lines.
    ///
    /// - Throws: `BackupFault` when they cannot be written.
    package func put(_ lines: [UInt8]) throws(BackupFault) {
        if sealed == nil { try plain?.write(lines) } else { try sealed?.put(lines) }
    }

    /// Ends the file, waits until the disk has it, and gives it its name.
    ///
    /// - Returns: how long it is, in bytes.
    /// - Throws: `BackupFault` when it cannot be written.
    package func finish() throws(BackupFault) -> Int {
        if sealed == nil { try plain?.synchronize() } else { try sealed?.finish() }
        guard rename(draft, path) == 0 else { throw OutputFile.fault(path) }
        isFinished = true
        return try LocalFile(path: path, name: path, for: .export).byteCount
    }
}

/// The settings of an application as text of JSON, whose form all versions of the program know.
package enum ExportedSettings {
    /// - Throws: `BackupFault`, should they not be written as JSON.
    package static func text(of settings: ApplicationSettings) throws(BackupFault) -> String {
        do {
            return try settings.storedText()
        } catch {
            throw BackupFault("The settings of the application cannot be written as JSON.")
        }
    }

    /// - Throws: `BackupFault` when the text holds no settings.
    package static func settings(in text: String) throws(BackupFault) -> ApplicationSettings {
        do {
            return try ApplicationSettings(storedText: text)
        } catch {
            throw BackupFault("The settings of the application cannot be read.")
        }
    }
}
