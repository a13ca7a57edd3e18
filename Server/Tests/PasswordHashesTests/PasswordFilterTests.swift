import Crypto
import Domain
import Foundation
import Testing

@testable import PasswordHashes

@Suite("Filters of leaked passwords")
struct PasswordFilterTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-\(UUID().uuidString)")
        .path

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    private var path: String { "\(folder)/passwords.filter" }

    private func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Hands a text over in pieces of a size.
    private func pieces(_ text: [UInt8], of size: Int) -> () -> [UInt8] {
        var rest = text[...]
        return {
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
    }

    @discardableResult
    private func build(
        _ text: String, _ form: PasswordFilterBuilder.Form = .sha1, minimumCount: Int = 1, pieces size: Int = 1000,
        maximumPart: Int = 16_000_000
    ) throws -> PasswordFilterBuilder.Report {
        try PasswordFilterBuilder(form, minimumCount: minimumCount, maximumPart: maximumPart)(
            reading: pieces(Array(text.utf8), of: size), into: path
        ) { _ in }
    }

    private static func digest(_ password: String) -> String {
        Insecure.SHA1.hash(data: Array(password.utf8)).map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }

    private func contains(_ password: String) async throws -> Bool {
        try await PasswordFilter(path: path).contain(try #require(Password(password)))
    }

    private func fault(_ text: String, _ form: PasswordFilterBuilder.Form = .sha1) -> PasswordFilterFault? {
        #expect(throws: PasswordFilterFault.self) { try build(text, form) }
    }

    @Test(
        "know each password of the list and hardly another, whatever the order of its lines", arguments: [1, 7, 4096])
    func passwords(size: Int) async throws {
        defer { remove() }
        let known = (0..<20_000).map { "password \($0)" }
        // In another order than that of the digests, each digest twice in other letters.
        let lines =
            known.map { Self.digest($0) + ":\($0.count)" } + known.prefix(50).map { Self.digest($0).lowercased() }
        let report = try build(lines.joined(separator: "\r\n"), pieces: size)
        #expect(report.lines == 20_050 && report.entries == 20_000 && report.leftOut == 50)
        let filter = try PasswordFilter(path: path)
        #expect(filter.count == 20_000)
        for password in known { #expect(try await filter.contain(try #require(Password(password)))) }
        var mistaken = 0
        for number in 0..<20_000 {
            if try await filter.contain(try #require(Password("another \(number)"))) { mistaken += 1 }
        }
        #expect(mistaken <= 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["passwords.filter"])
    }

    @Test("find one of many groups and one of few alike")
    func groups() async throws {
        defer { remove() }
        for count in [1, 2, 127, 40_000] {
            try build((0..<count).map { Self.digest("p\($0)") }.joined(separator: "\n"))
            for number in [0, count / 2, count - 1] { #expect(try await contains("p\(number)")) }
            #expect(try await !contains("p\(count)"))
        }
    }

    @Test("leave out what was found too seldom")
    func minimumCount() async throws {
        defer { remove() }
        let list = "\(Self.digest("often")):100\n\(Self.digest("seldom")):9\n\(Self.digest("uncounted"))\n"
        #expect(try build(list, minimumCount: 10).leftOut == 1)
        #expect(try await contains("often"))
        #expect(try await !contains("seldom"))
        // A list without counts says nothing about how often.
        #expect(try await contains("uncounted"))
    }

    @Test("are made of passwords as they were typed, and find them however a keyboard writes them")
    func texts() async throws {
        defer { remove() }
        try build("correct horse\n\n花子のひみつ\r\ncaf\u{E9} au lait", .text)
        for password in ["correct horse", "花子のひみつ", "caf\u{E9} au lait", "cafe\u{301} au lait"] {
            #expect(try await contains(password))
        }
        #expect(try await !contains("Correct horse"))
    }

    @Test(
        "name the line of a list that is none, and leave nothing behind",
        arguments: [
            ("hello", 1), ("0123456789ABCDEF0123456789ABCDEF0123456", 1),
            ("0123456789ABCDEF0123456789ABCDEF01234567\n0123456789ABCDEF0123456789ABCDEF0123456G", 2),
            ("0123456789ABCDEF0123456789ABCDEF01234567:", 1), ("0123456789ABCDEF0123456789ABCDEF01234567:-1", 1),
            ("0123456789ABCDEF0123456789ABCDEF01234567:99999999999999999999", 1),
            ("0123456789ABCDEF0123456789ABCDEF012345678", 1), ("PK\u{3}\u{4}\u{14}\0\0\0", 1),
        ])
    func lines(list: String, line: Int) throws {
        defer { remove() }
        let fault = self.fault(list)
        guard case .line(line, _)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test("refuse lines without end, lists without lines, and what is no list of digests")
    func hostile() throws {
        defer { remove() }
        #expect(fault(String(repeating: "A", count: 100_000)) == .line(1, "at most 4096 bytes are expected"))
        #expect(fault("\n\n") == .empty && fault("") == .empty)
        let alike = (0..<200).map { Self.digest("p0").prefix(20) + Self.digest("p\($0)").prefix(20) }
        #expect(throws: PasswordFilterFault.uneven) { try build(alike.joined(separator: "\n"), maximumPart: 100) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test("leave the filter before them in its index when the new one fails")
    func keepsOld() async throws {
        defer { remove() }
        try build(Self.digest("old"))
        #expect(fault("no digest") != nil)
        #expect(try await contains("old"))
    }

    @Test("are refused when they are cut off, longer, foreign, or missing")
    func damaged() throws {
        defer { remove() }
        try build((0..<1000).map { Self.digest("p\($0)") }.joined(separator: "\n"))
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        func opened(_ bytes: Data) throws -> PasswordFilterFault? {
            try bytes.write(to: URL(fileURLWithPath: path))
            do {
                _ = try PasswordFilter(path: path)
                return nil
            } catch {
                return error
            }
        }
        for length in [0, 1, 31] { #expect(try opened(whole.prefix(length)) == .notAFilter(path)) }
        for length in [32, 33, 2000, whole.count - 1] { #expect(try opened(whole.prefix(length)) == .damaged(path)) }
        #expect(try opened(whole + [0]) == .damaged(path))
        for index in 0..<24 {
            var other = whole
            other[index] ^= 0x40
            #expect(try opened(other) != nil)
        }
        for index in 24..<32 {
            var other = whole
            other[index] ^= 0xff
            #expect(try opened(other) == .damaged(path))
        }
        #expect(try opened(whole) == nil)
        #expect(throws: PasswordFilterFault.self) { try PasswordFilter(path: "\(folder)/nowhere") }
    }

    @Test("say that they are damaged when the numbers inside make no sense, and never trap")
    func damagedInside() async throws {
        defer { remove() }
        try build((0..<1000).map { Self.digest("p\($0)") }.joined(separator: "\n"))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // All numbers of the table but the last, by which the file is known to be whole.
        for index in 32..<32 + 256 * 8 { bytes[index] = UInt8(truncatingIfNeeded: index &* 151) }
        try bytes.write(to: URL(fileURLWithPath: path))
        let filter = try PasswordFilter(path: path)
        var damaged = 0
        for number in 0..<1000 {
            do { _ = try await filter.contain(try #require(Password("p\(number)"))) } catch { damaged += 1 }
        }
        #expect(damaged > 900)
    }
}
