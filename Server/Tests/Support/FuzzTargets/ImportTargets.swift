import Domain
import Foundation
import KiiAPI
import NCMBAPI
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
            let file = RecordFile(pipe.fileHandleForReading)
            while let record = try? file.next() { take(record.bytes) }
            try? pipe.fileHandleForReading.close()
        },
        FuzzTarget("import-record") { input in take(input) },
    ]

    private static func take(_ bytes: [UInt8]) {
        guard let record = try? JSONValue(parsing: bytes) else { return }
        let application = Identifier<Application>(rawValue: "demo")
        let users = [
            try? ParseExport.user(record, of: application),
            try? NCMBExport.member(record, of: application, knowsDeviceIds: true),
            try? KiiExport.user(record, of: application, at: FuzzClock().now),
        ]
        // What was imported is shown and written again and again: each of its times must have a text.
        for user in users.compactMap({ $0?.user }) {
            for time in [user.createdAt, user.updatedAt, user.lastLogInAt, user.emailVerifiedAt].compactMap({ $0 }) {
                _ = WireTime(millisecondsSince1970: time.milliseconds).description
            }
        }
        _ = try? ParseExport.session(record, of: application)
    }
}
