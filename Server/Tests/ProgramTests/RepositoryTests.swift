import Foundation
import OutboundServices
import Synchronization
import Testing

@testable import Backups

@Suite("A repository of backups", .serialized)
struct RepositoryTests {
    enum Kind: CaseIterable {
        case folder, folderWithoutLinks, store, storeWithoutConditions
    }

    private static let name = "okaeri-20261123T041500.123Z.backup"
    private let folder = TestFolder()
    private let drafts = TestFolder()

    init() throws {
        try folder.make()
        try drafts.make()
    }

    @Test(
        "keeps what has a name: the same bytes are taken for stored, others are refused and named",
        arguments: Kind.allCases, [0, 1000, 9 << 20])
    func names(kind: Kind, byteCount: Int) async throws {
        let (repository, held) = try await make(kind)
        defer { withExtendedLifetime(held) {} }
        try store(1, byteCount, at: repository)
        try store(1, byteCount, at: repository)
        for (seed, count) in [(UInt8(2), byteCount), (1, byteCount + 1)] where count > 0 {
            let fault = #expect(throws: BackupFault.self) { try store(seed, count, at: repository) }
            #expect(fault?.description.contains("another file \(Self.name) already") == true, "\(fault as Any)")
        }
        #expect(try content(of: repository) == bytes(1, byteCount))
        // The revocation journal grows under its name.
        try store(3, byteCount + 5, at: repository, replacing: true)
        #expect(try content(of: repository) == bytes(3, byteCount + 5))
        #expect(try repository.names() == [Self.name])
    }

    @Test("makes a claim once", arguments: Kind.allCases)
    func claims(kind: Kind) async throws {
        let (repository, held) = try await make(kind)
        defer { withExtendedLifetime(held) {} }
        #expect(try repository.claim(Self.name, [1, 2]))
        #expect(try !repository.claim(Self.name, [3]))
        #expect(try content(of: repository) == [1, 2])
        #expect(try repository.names() == [Self.name])
    }

    @Test("gives a name to one of many who want it at once", arguments: [true, false])
    func atOnce(hasLinks: Bool) throws {
        let (paths, path) = (try (1...16).map { try draft(UInt8($0), 1000) }, folder.path)
        let stored = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: paths.count) { index in
            let repository = FolderRepository(path, hasLinks: hasLinks)
            do {
                try repository.store(paths[index], as: Self.name, replacing: false) { _, _ in }
                stored.withLock { $0.append(index) }
            } catch {
                // All but one are refused.
            }
        }
        let winners = stored.withLock(\.self)
        #expect(winners.count == 1)
        let content = try content(of: FolderRepository(path))
        #expect(content == bytes(UInt8(try #require(winners.first) + 1), 1000))
    }

    @Test("tells what it has stored itself from another's when the answer is lost", arguments: [1000, 9 << 20])
    func lostAnswer(byteCount: Int) async throws {
        let server = try await S3Server()
        let cut = try await CutStore(before: server)
        let repository = try S3Repository(
            "s3://backups/okaeri", environment: server.environment(url: cut.url))
        try await cut.loseAnswers(1)
        try store(1, byteCount, at: repository)
        #expect(try content(of: repository) == bytes(1, byteCount))
        try await cut.loseAnswers(1)
        #expect(throws: BackupFault.self) { try store(2, byteCount, at: repository) }
        #expect(try content(of: repository) == bytes(1, byteCount))
        // A claim that was made and not answered is read by who made it: see `PrimaryClaim`.
        try await cut.loseAnswers(1)
        #expect(try !repository.claim("okaeri-primary-0000000001", [1]))
    }

    @Test("is not listed for ever by a store whose list has no end", arguments: CutStore.Lists.allCases)
    func endlessList(lists: CutStore.Lists) async throws {
        let server = try await S3Server()
        let cut = try await CutStore(before: server)
        let repository = try S3Repository("s3://backups/okaeri", environment: server.environment(url: cut.url))
        try await cut.listWithoutEnd(lists)
        let fault = #expect(throws: BackupFault.self) { try repository.names() }
        #expect(fault?.description.contains("the store's list has no end") == true, "\(fault as Any)")
    }

    @Test("is not taken for empty, nor for one that has stored, when something else answers with 200")
    func otherProgram() async throws {
        let server = try await S3Server()
        let cut = try await CutStore(before: server)
        let repository = try S3Repository("s3://backups/okaeri", environment: server.environment(url: cut.url))
        try await cut.answerPages()
        #expect(throws: BackupFault.self) { try repository.names() }
        #expect(throws: BackupFault.self) { try repository.claim("okaeri-primary-0000000001", [1]) }
        let path = try draft(1, 1000)
        for replacing in [true, false] {
            #expect(throws: BackupFault.self) {
                try repository.store(path, as: Self.name, replacing: replacing) { _, _ in }
            }
        }
    }

    /// A server that starts asks it before it serves.
    @Test("is not waited for long when the store says nothing", .timeLimit(.minutes(5)))
    func silence() async throws {
        let server = try await S3Server()
        let cut = try await CutStore(before: server)
        let repository = try S3Repository(
            "s3://backups/okaeri", environment: server.environment(url: cut.url),
            silence: S3Bucket.SilenceLimits(reading: .seconds(1), storing: .seconds(1)))
        try await cut.sayNothing()
        #expect(throws: BackupFault.self) { try repository.names() }
    }

    @Test("is not waited for by a program that ends", .timeLimit(.minutes(5)))
    func ending() async throws {
        let server = try await S3Server()
        let cut = try await CutStore(before: server)
        let limit = S3Bucket.SilenceLimits(reading: .seconds(3600), storing: .seconds(3600))
        let repository = try S3Repository(
            "s3://backups/okaeri", environment: server.environment(url: cut.url), silence: limit)
        try await cut.sayNothing()
        repository.end(within: .zero)
        #expect(throws: BackupFault.self) { try repository.names() }
        let path = try draft(1, 1000)
        #expect(throws: BackupFault.self) {
            try repository.store(path, as: Self.name, replacing: false) { _, _ in }
        }
    }

    @Test("leaves no name behind when a draft cannot be stored", arguments: [Kind.folder, .folderWithoutLinks])
    func missingDraft(kind: Kind) async throws {
        let (repository, _) = try await make(kind)
        #expect(throws: BackupFault.self) {
            try repository.store(drafts.path + "/missing", as: Self.name, replacing: false) { _, _ in }
        }
        #expect(try repository.names().isEmpty)
    }

    /// The repository, and what has to live as long.
    private func make(_ kind: Kind) async throws -> (any BackupRepository, [any Sendable]) {
        switch kind {
        case .folder: return (FolderRepository(folder.path), [])
        case .folderWithoutLinks: return (FolderRepository(folder.path, hasLinks: false), [])
        case .store:
            let server = try await S3Server()
            return (try S3Repository("s3://backups/okaeri", environment: server.environment), [server])
        case .storeWithoutConditions:
            let server = try await S3Server()
            let cut = try await CutStore(before: server)
            try await cut.knowNoConditions()
            let environment = server.environment(url: cut.url)
            return (try S3Repository("s3://backups/okaeri", environment: environment), [server, cut])
        }
    }

    private func store(
        _ seed: UInt8, _ count: Int, at repository: any BackupRepository, replacing: Bool = false
    ) throws {
        let path = try draft(seed, count)
        try repository.store(path, as: Self.name, replacing: replacing) { _, _ in }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    private func draft(_ seed: UInt8, _ count: Int) throws -> String {
        let path = "\(drafts.path)/\(seed)"
        try Data(bytes(seed, count)).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func content(of repository: any BackupRepository) throws -> [UInt8] {
        let file = try repository.file(Self.name)
        return try file.read(from: 0, count: file.byteCount)
    }

    private func bytes(_ seed: UInt8, _ count: Int) -> [UInt8] {
        [UInt8](repeating: seed, count: count)
    }
}
