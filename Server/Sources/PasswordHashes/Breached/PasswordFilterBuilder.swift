import Domain
import Foundation

/// Makes a `PasswordFilter` of a published list, in bounded memory whatever its size or order: digests are first sorted into
/// 256 files by their first byte, then each of those is sorted and written.
package struct PasswordFilterBuilder: Sendable {
    /// What a line of the list is.
    package enum Form: String, Sendable, CaseIterable {
        /// 40 hexadecimal digits, and perhaps a colon and how often the password was found.
        case sha1
        /// A password as it was typed.
        case text
    }

    package struct Progress: Hashable, Sendable {
        package var readBytes: UInt64
        /// Of 256; 0 while the list is read.
        package var writtenParts: Int
    }

    package struct Report: Hashable, Sendable {
        package var lines: Int
        /// Lines that were found less often than asked for, empty ones, and passwords that are on the list twice.
        package var leftOut: Int
        package var entries: UInt64
        package var fileBytes: UInt64
    }

    private let form: Form
    private let minimumCount: Int
    private let part: Int

    /// Longer lines are no passwords that anybody could set.
    private static let maximumLine = 4096
    private static let parts = 256
    private static let digits = 40

    /// - Parameters:
    ///   - form: What a line is.
    ///   - minimumCount: How often a password must have been found, by the number behind the digest.
    ///   - maximumPart: The most digests of one first byte, eight bytes of memory each.
    package init(_ form: Form, minimumCount: Int = 1, maximumPart: Int = 16_000_000) {
        self.form = form
        self.minimumCount = minimumCount
        part = maximumPart
    }

    /// Reads a list and writes the filter beside its path, then renames it: a server that uses the old file goes on
    /// with it.
    ///
    /// - Parameters:
    ///   - next: The next bytes of the list; empty at its end.
    ///   - path: Where the filter goes.
    ///   - show: Called now and then.
    /// - Returns: what was read and written.
    /// - Throws: `PasswordFilterFault`; nothing is left behind then.
    package func callAsFunction(
        reading next: () throws -> [UInt8], into path: String, show: (Progress) -> Void
    ) throws(PasswordFilterFault) -> Report {
        let folder = "\(path).\(getpid()).parts"
        let draft = "\(path).\(getpid()).new"
        defer {
            try? FileManager.default.removeItem(atPath: folder)
            unlink(draft)
        }
        guard mkdir(folder, 0o700) == 0 else { throw .unwritable(folder, PasswordFilterFault.lastError) }
        var reading = Reading(builder: self, parts: try PartFiles(folder: folder, count: Self.parts))
        try reading.read(next) { show(Progress(readBytes: $0, writtenParts: 0)) }
        guard reading.count > 0 else { throw .empty }
        let (entries, bytes) = try write(reading.parts, of: reading.count, to: draft) {
            show(Progress(readBytes: reading.readBytes, writtenParts: $0))
        }
        guard rename(draft, path) == 0 else { throw .unwritable(path, PasswordFilterFault.lastError) }
        return Report(
            lines: reading.lines, leftOut: reading.lines - Int(clamping: entries), entries: entries, fileBytes: bytes)
    }

    private func write(
        _ parts: PartFiles, of count: UInt64, to draft: String, show: (Int) -> Void
    ) throws(PasswordFilterFault) -> (entries: UInt64, bytes: UInt64) {
        let layout = PasswordFilter.Header(count: 0, groupBits: PasswordFilter.Header.groupBits(for: count))
        let groupsOfPart = layout.groups / UInt64(clamping: Self.parts)
        let table = try OutputFile(draft, at: layout.offset(ofGroup: 0))
        let entries = try OutputFile(draft, at: layout.offset(ofEntry: 0))
        var written: UInt64 = 0
        for index in 0..<Self.parts {
            let digests = try parts.sorted(index, maximum: part)
            var position = digests.startIndex
            let firstGroup = UInt64(clamping: index) * groupsOfPart
            for group in firstGroup..<firstGroup + groupsOfPart {
                try table.write(PasswordFilter.bytes(written, PasswordFilter.offsetBytes))
                let start = written
                var last: UInt64?
                while position < digests.endIndex, layout.group(of: digests[position]) == group {
                    let entry = layout.entry(of: digests[position])
                    position += 1
                    guard entry != last else { continue }
                    last = entry
                    try entries.write(PasswordFilter.bytes(entry, PasswordFilter.entryBytes))
                    written += 1
                }
                guard written - start <= PasswordFilter.maximumGroup else { throw .uneven }
            }
            show(index + 1)
        }
        try table.write(PasswordFilter.bytes(written, PasswordFilter.offsetBytes))
        try table.end()
        try entries.end()
        let header = PasswordFilter.Header(count: written, groupBits: layout.groupBits)
        let head = try OutputFile(draft, at: 0)
        try head.write(header.bytes)
        try head.end()
        return (written, header.fileBytes ?? 0)
    }

    /// The digest of a line; `nil` for one that does not count.
    fileprivate func digest(of line: ArraySlice<UInt8>, number: Int) throws(PasswordFilterFault) -> UInt64? {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        guard !line.isEmpty else { return nil }
        guard form == .sha1 else { return PasswordFilter.leadingBits(ofDigestOf: Array(line)) }
        let hexadecimal = line.prefix(Self.digits)
        var value: UInt64 = 0
        for (index, byte) in hexadecimal.enumerated() {
            guard let digit = Hexadecimal.digit(byte) else { throw .line(number, "40 hexadecimal digits are expected") }
            if index < 16 { value = value << 4 | UInt64(clamping: digit) }
        }
        guard hexadecimal.count == Self.digits else { throw .line(number, "40 hexadecimal digits are expected") }
        let rest = line.dropFirst(Self.digits)
        guard let colon = rest.first else { return value }
        guard colon == UInt8(ascii: ":"), let count = Self.number(rest.dropFirst()) else {
            throw .line(number, "a colon and a number are expected behind the digits")
        }
        return count >= minimumCount ? value : nil
    }

    /// A count of up to 18 digits, spaces around it left alone.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        let digits = bytes.filter { $0 != UInt8(ascii: " ") }
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: 10)
    }

    /// The first half: lines become digests in the files of their first bytes.
    private struct Reading {
        let builder: PasswordFilterBuilder
        let parts: PartFiles
        var lines = 0
        var count: UInt64 = 0
        var readBytes: UInt64 = 0

        init(builder: PasswordFilterBuilder, parts: PartFiles) {
            (self.builder, self.parts) = (builder, parts)
        }

        mutating func read(_ next: () throws -> [UInt8], _ show: (UInt64) -> Void) throws(PasswordFilterFault) {
            var rest: [UInt8] = []
            while true {
                let chunk: [UInt8]
                do { chunk = try next() } catch { throw .unreadable("The list", error.systemReason) }
                guard !chunk.isEmpty else { break }
                readBytes += UInt64(clamping: chunk.count)
                rest += chunk
                var start = rest.startIndex
                while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                    try take(rest[start..<end])
                    start = rest.index(after: end)
                }
                rest.removeSubrange(..<start)
                guard rest.count <= PasswordFilterBuilder.maximumLine else { throw tooLong }
                show(readBytes)
            }
            if !rest.isEmpty { try take(rest[...]) }
            try parts.end()
        }

        private var tooLong: PasswordFilterFault {
            .line(lines + 1, "at most \(PasswordFilterBuilder.maximumLine) bytes are expected")
        }

        private mutating func take(_ line: ArraySlice<UInt8>) throws(PasswordFilterFault) {
            guard line.count <= PasswordFilterBuilder.maximumLine else { throw tooLong }
            lines += 1
            guard let digest = try builder.digest(of: line, number: lines) else { return }
            count += 1
            try parts.add(digest)
        }
    }
}

/// Digests by their first byte, on disk.
private struct PartFiles {
    private let files: [OutputFile]
    private let paths: [String]

    init(folder: String, count: Int) throws(PasswordFilterFault) {
        paths = (0..<count).map { "\(folder)/\($0)" }
        var files: [OutputFile] = []
        for path in paths { files.append(try OutputFile(path, at: 0, buffer: 32 * 1024)) }
        self.files = files
    }

    func add(_ digest: UInt64) throws(PasswordFilterFault) {
        try files[Int(truncatingIfNeeded: digest >> 56)].write(PasswordFilter.bytes(digest, 8))
    }

    func end() throws(PasswordFilterFault) {
        for file in files { try file.end() }
    }

    /// The digests of one first byte, in order. Their file is removed.
    func sorted(_ index: Int, maximum: Int) throws(PasswordFilterFault) -> [UInt64] {
        let path = paths[index]
        defer { unlink(path) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path, PasswordFilterFault.lastError) }
        guard status.st_size <= maximum * 8 else { throw .uneven }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw .unreadable(path, PasswordFilterFault.lastError)
        }
        var digests: [UInt64] = bytes.withUnsafeBytes { buffer in
            stride(from: 0, to: buffer.count / 8 * 8, by: 8).map {
                UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
        digests.sort()
        return digests
    }
}

/// A file that is written on from an offset.
private final class OutputFile {
    private let path: String
    private let file: Int32
    private let limit: Int
    private var waiting: [UInt8] = []

    init(_ path: String, at offset: UInt64, buffer: Int = 1 << 20) throws(PasswordFilterFault) {
        self.path = path
        limit = buffer
        file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0, let offset = off_t(exactly: offset), lseek(file, offset, SEEK_SET) == offset else {
            throw .unwritable(path, PasswordFilterFault.lastError)
        }
    }

    deinit { if file >= 0 { close(file) } }

    func write(_ bytes: [UInt8]) throws(PasswordFilterFault) {
        waiting += bytes
        if waiting.count >= limit { try flush() }
    }

    /// Writes what waits, to the disk.
    func end() throws(PasswordFilterFault) {
        try flush()
        guard fsync(file) == 0 else { throw .unwritable(path, PasswordFilterFault.lastError) }
    }

    private func flush() throws(PasswordFilterFault) {
        var done = 0
        while done < waiting.count {
            let wrote = waiting.withUnsafeBytes { buffer in
                Foundation.write(file, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if wrote < 0, errno == EINTR { continue }
            guard wrote > 0 else { throw .unwritable(path, PasswordFilterFault.lastError) }
            done += wrote
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
