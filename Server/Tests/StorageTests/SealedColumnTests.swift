import Domain
import Storage
import StorageSQLite
import Testing

@Suite("The table of sealed columns")
struct SealedColumnTests {
    @Test("names every sealed column of the schema, and no other")
    func completeness() async throws {
        let folder = TemporaryFolder()
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
        let shapes = try SQLiteTables(folder: folder.path).shapes()
        let columns = shapes.flatMap { shape in shape.columns.map { "\(shape.name).\($0)" } }
        let sealed = columns.filter { $0.contains(".sealed") } + ["protocol_keys.keys"]
        #expect(Set(sealed) == Set(SealedColumn.allCases.map(\.rawValue)))
        #expect(columns.contains("protocol_keys.keys"))
    }
}
