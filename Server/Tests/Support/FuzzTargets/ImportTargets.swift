import Domain
import Foundation
import KiiAPI
import NCMBAPI
import OkaeriProgram
import OkaeriWire
import ParseAPI

extension FuzzTarget {
    /// Files that other services exported.
    static let imports = [
        FuzzTarget("import-file", maximumBytes: 32 * 1024) { input in
            // What a pipe holds can be written to it before anybody reads.
            let pipe = Pipe()
            guard (try? pipe.fileHandleForWriting.write(contentsOf: Data(input))) != nil else { return }
            try? pipe.fileHandleForWriting.close()
            let file = RecordFile(FileReader(descriptor: pipe.fileHandleForReading.fileDescriptor))
            while let record = try? file.next() { take(record.bytes) }
            try? pipe.fileHandleForReading.close()
        },
        FuzzTarget("import-record") { input in take(input) },
        FuzzTarget("import-csv", maximumBytes: 32 * 1024) { input in
            let pipe = Pipe()
            guard (try? pipe.fileHandleForWriting.write(contentsOf: Data(input))) != nil else { return }
            try? pipe.fileHandleForWriting.close()
            let file = CSVFile(FileReader(descriptor: pipe.fileHandleForReading.fileDescriptor))
            while let row = try? file.next() { take(row.bytes) }
            try? pipe.fileHandleForReading.close()
        },
        FuzzTarget("import-mapping") { input in
            let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let mapping = try? JSONValue(parsing: Array(parts[0])),
                let record = try? JSONValue(parsing: Array(parts[1])),
                let imported = try? ExportReaders.user(
                    mapping: mapping, record, of: Identifier(rawValue: "demo"), at: FuzzClock().now)
            else { return }
            show(imported.user)
        },
        FuzzTarget("export-application") { input in
            guard let exported = try? ExportReaders.application(input) else { return }
            _ = WireTime(millisecondsSince1970: exported.application.createdAt.milliseconds).description
        },
    ]

    /// What was imported is shown and written again and again: each of its times must have a text.
    private static func show(_ user: User) {
        let times = [
            user.createdAt, user.updatedAt, user.lastLogInAt, user.previousLogInAt, user.emailVerifiedAt,
            user.phoneVerifiedAt, user.disabledAt, user.passwordSetAt, user.deletionRequestedAt,
        ]
        for time in times.compactMap({ $0 }) {
            _ = WireTime(millisecondsSince1970: time.milliseconds).description
        }
    }

    private static func take(_ bytes: [UInt8]) {
        guard let record = try? JSONValue(parsing: bytes) else { return }
        let application = Identifier<Application>(rawValue: "demo")
        let users = [
            try? ParseExport.user(record, of: application),
            try? NCMBExport.member(record, of: application, knowsDeviceIds: true),
            try? KiiExport.user(record, of: application, at: FuzzClock().now),
        ]
        for user in users.compactMap({ $0?.user }) { show(user) }
        for reader in ExportReaders.all {
            guard let imported = try? reader.read(record, application, FuzzClock().now) else { continue }
            show(imported.user)
        }
        _ = try? ParseExport.session(record, of: application)
    }
}
