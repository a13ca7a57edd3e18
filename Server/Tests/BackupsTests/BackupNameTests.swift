import Domain
import Foundation
import Testing

@testable import Backups

/// Names are made without Foundation's tables of languages: the program for use is linked without them (decision 0172).
@Suite("Names of backups")
struct BackupNameTests {
    @Test(
        "have the time in UTC to the millisecond, and sort by it",
        arguments: [
            (1_795_252_542_000, "20261121T091542.000Z"), (1_795_252_542_007, "20261121T091542.007Z"),
            (1_795_252_542_999, "20261121T091542.999Z"), (1_835_395_199_999, "20280228T235959.999Z"),
            (1_835_395_200_000, "20280229T000000.000Z"), (0, "19700101T000000.000Z"), (-1, "19691231T235959.999Z"),
        ] as [(Int64, String)])
    func times(milliseconds: Int64, text: String) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(BackupCatalogue.text(of: time) == text)
        #expect(BackupCatalogue.time(of: text) == time)
        #expect(BackupCatalogue.name(at: time) == "okaeri-\(text).backup")
    }

    @Test(
        "have no time in another form",
        arguments: ["", "20261121T091542Z", "20261321T091542.000Z", "2026-11-21T09:15:42Z", "20261121T0915é.000Z"])
    func others(text: String) {
        #expect(BackupCatalogue.time(of: text) == nil)
    }

    @Test("are behind those that are there, also where a clock that was ahead gave them")
    func ahead() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let (time, ahead) = (Timestamp.atRestore, Timestamp.atRestore + .days(3))
        for made in [time, ahead] {
            let path = "\(folder.path)/\(BackupCatalogue.name(at: made))"
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
        }
        let catalogue = try BackupCatalogue(FolderRepository(folder.path))
        for (now, named) in [(time + .days(1), ahead + .milliseconds(1)), (ahead + .days(1), ahead + .days(1))] {
            #expect(catalogue.newName(at: now) == BackupCatalogue.name(at: named))
        }
    }
}
