import Foundation
import FuzzTargets
import Testing

/// The parsers of foreign bytes read the committed corpus (Fuzzing/Corpus), what once broke them included.
@Suite("Corpus of the parser fuzzers")
struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Fuzzing/Corpus").standardizedFileURL

    private static func inputs(of target: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: corpus.appending(path: target), includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
    }

    @Test(
        "every parser returns from every input of its corpus, and of the beginnings of each",
        arguments: FuzzTarget.all.map(\.name))
    func corpus(name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try Self.inputs(of: name)
        #expect(!inputs.isEmpty, "a parser without a corpus starts from nothing: Fuzzing/Corpus/\(name)")
        let texts = try inputs.map { try Array(Data(contentsOf: $0)) }
        // Some targets wait for what is asynchronous, which must not take a thread of the pool that does it.
        await withCheckedContinuation { done in
            Thread {
                for bytes in texts { Self.read(bytes, by: target) }
                done.resume()
            }.start()
        }
    }

    private static func read(_ bytes: [UInt8], by target: FuzzTarget) {
        target(bytes)
        // A text that ends too early is what parsers see most.
        for part in 0..<8 { target(Array(bytes.prefix(bytes.count * part / 8))) }
        target(bytes.map { $0 ^ 0x80 })
    }

    @Test("no folder of the corpus is without a parser")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).filter {
            !$0.hasPrefix(".")
        }
        #expect(Set(folders).subtracting(FuzzTarget.all.map(\.name)) == [])
    }

    @Test("the corpus is small", arguments: FuzzTarget.all.map(\.name))
    func size(name: String) throws {
        let bytes = try Self.inputs(of: name).map { try Data(contentsOf: $0).count }
        #expect(bytes.reduce(0, +) < 256 * 1024)
        #expect(bytes.count <= 200)
    }
}
