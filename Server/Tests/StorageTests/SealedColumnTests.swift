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
        let columns = shapes.flatMap { shape in shape.columns.map { "\(shape.name).\($0.name)" } }
        let documents = ["protocol_keys.keys", "applications.settings"]
        let sealed = columns.filter { $0.contains(".sealed") } + documents
        #expect(Set(sealed) == Set(SealedColumn.allCases.map(\.rawValue)))
        #expect(Set(documents).isSubset(of: columns))
        #expect(SealedColumn.allCases.filter { !$0.isPlain }.map(\.rawValue).sorted() == documents.sorted())
    }
}
