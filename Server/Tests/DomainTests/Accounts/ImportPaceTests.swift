import Domain
import Testing

@Suite("The pace of an import")
struct ImportPaceTests {
    private static let mebibyte = 1_048_576

    @Test(
        "says how long the rest takes at the same pace",
        arguments: [
            (0, 60, "0 MiB read"), (25, 60, "25 MiB read of 100, about 3 minutes left"),
            (50, 60, "50 MiB read of 100, about 1 minutes left"),
            (75, 60, "75 MiB read of 100, less than a minute left"), (100, 60, "100 MiB read"),
            (101, 60, "101 MiB read"), (50, 0, "50 MiB read of 100, less than a minute left"),
        ])
    func left(mebibytes: Int, seconds: Int64, text: String) {
        let pace = ImportPace(fileBytes: 100 * Self.mebibyte)
        #expect(pace.text(readBytes: mebibytes * Self.mebibyte, after: .seconds(seconds)) == text)
    }

    @Test("says nothing of the rest of a pipe, and holds the greatest numbers")
    func ends() {
        #expect(ImportPace(fileBytes: nil).text(readBytes: 3 * Self.mebibyte, after: .seconds(60)) == "3 MiB read")
        let long = ImportPace(fileBytes: .max).text(readBytes: 1, after: .seconds(Int64.max / 1000))
        #expect(long.hasSuffix("minutes left"))
    }
}
