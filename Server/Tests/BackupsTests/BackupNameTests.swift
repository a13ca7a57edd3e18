import Domain
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
        #expect(BackupCatalogue.newName(at: time) == "okaeri-\(text).backup")
    }
}
