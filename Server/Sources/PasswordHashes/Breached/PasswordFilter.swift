import Crypto
package import Domain
import Foundation

/// A list of leaked passwords in a file of its own, made by `PasswordFilterBuilder`: 24 bits of each SHA-1 digest, in groups by
/// the bits before them. A lookup reads twice from the file, whatever its size, and finds one password in some 130,000 that
/// is not on the list.
///
/// The file: `PasswordFilter.Header` in 32 bytes; for each group, and once behind the last, the number of entries before it in
/// eight bytes; the entries in three bytes each, ascending within a group. Numbers are big-endian.
package final class PasswordFilter: BreachedPasswords {
    static let entryBytes = 3
    static let offsetBytes = 8
    /// More than that in a group is no list of digests, which fall evenly.
    static let maximumGroup: UInt64 = 65_536

    private let file: Int32
    private let header: Header
    /// The number of digests.
    package var count: UInt64 { header.count }

    /// Opens a file, and compares its length with what it says of itself.
    ///
    /// - Throws: `PasswordFilterFault`.
    package init(path: String) throws(PasswordFilterFault) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(path, PasswordFilterFault.lastError) }
        do throws(PasswordFilterFault) {
            guard let bytes = Self.read(file, at: 0, count: Header.byteCount), let header = Header(bytes) else {
                throw .notAFilter(path)
            }
            let length = lseek(file, 0, SEEK_END)
            guard let expected = header.fileBytes, Int64(exactly: expected) == Int64(clamping: length),
                Self.read(file, at: header.offset(ofGroup: header.groups), count: Self.offsetBytes)
                    .map(Self.number) == header.count
            else { throw .damaged(path) }
            self.header = header
        } catch {
            close(file)
            throw error
        }
        self.file = file
    }

    deinit { close(file) }

    package func contain(_ password: Password) async throws(BreachListUnavailable) -> Bool {
        for bytes in password.readings {
            guard let isThere = contains(Self.leadingBits(ofDigestOf: bytes)) else {
                throw BreachListUnavailable(reason: "the password filter is damaged")
            }
            if isThere { return true }
        }
        return false
    }

    /// Whether a digest with these first 64 bits is on the list; `nil` when the file is damaged.
    func contains(_ digest: UInt64) -> Bool? {
        let group = header.group(of: digest)
        guard let bounds = Self.read(file, at: header.offset(ofGroup: group), count: 2 * Self.offsetBytes) else {
            return nil
        }
        let (first, end) = (Self.number(bounds.prefix(Self.offsetBytes)), Self.number(bounds.suffix(Self.offsetBytes)))
        guard first <= end, end <= header.count, end - first <= Self.maximumGroup else { return nil }
        let size = Int(truncatingIfNeeded: end - first)
        guard let entries = Self.read(file, at: header.offset(ofEntry: first), count: size * Self.entryBytes) else {
            return nil
        }
        let wanted = header.entry(of: digest)
        var (low, high) = (0, size)
        while low < high {
            let middle = (low + high) / 2
            let start = middle * Self.entryBytes
            let entry = Self.number(entries[start..<start + Self.entryBytes])
            if entry == wanted { return true }
            if entry < wanted { low = middle + 1 } else { high = middle }
        }
        return false
    }

    /// The first 64 bits of a password's SHA-1 digest.
    static func leadingBits(ofDigestOf bytes: [UInt8]) -> UInt64 {
        Array(Insecure.SHA1.hash(data: bytes)).prefix(8).reduce(0) { $0 << 8 | UInt64(clamping: $1) }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64(clamping: $1) }
    }

    /// So many bytes of the file from an offset; `nil` when it ends before, or cannot be read.
    private static func read(_ file: Int32, at offset: UInt64, count: Int) -> [UInt8]? {
        guard let offset = off_t(exactly: offset) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                pread(file, buffer.baseAddress.map { $0 + done }, count - done, offset + off_t(clamping: done))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            done += got
        }
        return bytes
    }

    /// What stands at the beginning of the file.
    struct Header {
        static let byteCount = 32
        private static let magic = Array("okaeri passwords".utf8)
        private static let version: UInt8 = 1
        /// The fewest bits that choose a group: the builder's parts are whole groups.
        static let lowestBits: UInt64 = 8
        /// With 24 bits more, a digest's first 64 bits suffice, and the table of groups stays below 2.2 GB.
        static let highestBits: UInt64 = 28
        /// How many entries a group has by and large.
        private static let usualGroup: UInt64 = 128

        /// How many of a digest's bits choose its group.
        let groupBits: UInt64
        let count: UInt64

        /// For so many digests.
        init(count: UInt64, groupBits: UInt64) {
            (self.count, self.groupBits) = (count, groupBits)
        }

        static func groupBits(for count: UInt64) -> UInt64 {
            var bits = lowestBits
            while bits < highestBits, count >> bits > usualGroup { bits += 1 }
            return bits
        }

        init?(_ bytes: [UInt8]) {
            guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic), bytes[16] == Self.version,
                (Self.lowestBits...Self.highestBits).contains(UInt64(clamping: bytes[17])),
                bytes[18..<24].allSatisfy({ $0 == 0 })
            else { return nil }
            groupBits = UInt64(clamping: bytes[17])
            count = PasswordFilter.number(bytes[24...])
        }

        var bytes: [UInt8] {
            Self.magic + [Self.version, UInt8(truncatingIfNeeded: groupBits)] + [UInt8](repeating: 0, count: 6)
                + PasswordFilter.bytes(count, PasswordFilter.offsetBytes)
        }

        var groups: UInt64 { 1 << groupBits }

        /// How long the file must be; `nil` for a number that no file has.
        var fileBytes: UInt64? {
            let (entries, isOver) = count.multipliedReportingOverflow(by: UInt64(clamping: PasswordFilter.entryBytes))
            let (all, isOverAll) = entries.addingReportingOverflow(offset(ofEntry: 0))
            return isOver || isOverAll ? nil : all
        }

        func group(of digest: UInt64) -> UInt64 { digest >> (64 - groupBits) }

        func entry(of digest: UInt64) -> UInt64 { (digest << groupBits) >> 40 }

        func offset(ofGroup group: UInt64) -> UInt64 {
            UInt64(clamping: Self.byteCount) + group * UInt64(clamping: PasswordFilter.offsetBytes)
        }

        func offset(ofEntry entry: UInt64) -> UInt64 {
            offset(ofGroup: groups + 1) + entry * UInt64(clamping: PasswordFilter.entryBytes)
        }
    }

    /// A number as the file has it.
    static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(clamping: 8 * (count - 1 - $0))) }
    }
}

/// Why a filter cannot be used or made, in words for the operator.
package enum PasswordFilterFault: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(String, String)
    case notAFilter(String)
    case damaged(String)
    case unwritable(String, String)
    /// A line of the list, and what stands in its place.
    case line(Int, String)
    case uneven
    case empty

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .notAFilter(let path):
            "\(path) is no password filter. “okaeri passwords build-filter” makes one of a published list."
        case .damaged(let path):
            "\(path) is cut off or damaged. Make it anew by “okaeri passwords build-filter”."
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)."
        case .line(let line, let rule): "Line \(line): \(rule)."
        case .uneven: "Too many lines begin with the same digits: this is no list of SHA-1 digests."
        case .empty: "The list has no line that counts."
        }
    }

    static var lastError: String { String(cString: strerror(errno)) }
}
