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
        FuzzTarget("import-file") { input in
            let file = RecordFile(reading: pieces(of: input))
            takeAll { try? file.next()?.bytes }
            expect(file.readBytes <= input.count, "nothing is read twice")
        },
        FuzzTarget("import-record") { input in take(input, asUser: true) },
        FuzzTarget("import-csv") { input in
            let file = CSVFile(reading: pieces(of: input))
            takeAll { try? file.next()?.bytes }
            expect(file.readBytes <= input.count, "nothing is read twice")
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

    /// So many records of a file are read as users: each goes to a dozen readers, which `import-record` has a target for.
    private static let readRecords = 4

    /// The input in pieces of a few bytes, as a pipe may give it: anything may stand across their borders.
    private static func pieces(of input: [UInt8]) -> () throws(RecordFile.Fault) -> [UInt8] {
        var rest = input[...]
        return { () throws(RecordFile.Fault) in
            let piece = rest.prefix(61)
            rest = rest.dropFirst(61)
            return Array(piece)
        }
    }

    /// Takes what a file gives until its end; the first records as users too.
    private static func takeAll(_ next: () -> [UInt8]?) {
        var count = 0
        while let bytes = next() {
            take(bytes, asUser: count < readRecords)
            count += 1
        }
    }

    private static func take(_ bytes: [UInt8], asUser: Bool) {
        guard let record = try? JSONValue(parsing: bytes), asUser else { return }
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
