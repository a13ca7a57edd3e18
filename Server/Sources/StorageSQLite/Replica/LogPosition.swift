/// A position in a write-ahead log: behind so many of its frames, with the checksum of all up to there.
///
/// SQLite's file format §4: a log begins with a header of 32 bytes, and each frame has 24 bytes of header and one page.
/// The checksum of a frame goes on from that of the frame before, so that a frame is whole only behind its own beginning.
package struct LogPosition: Codable, Hashable, Sendable {
    static let headerBytes = 32
    static let frameHeaderBytes = 24
    private static let magic: UInt32 = 0x377f_0682
    private static let version: UInt32 = 3_007_000

    /// A log that is begun anew has the next number.
    private let firstSalt: UInt32
    private let secondSalt: UInt32
    /// How long a page is.
    package let pageBytes: Int
    private let isBigEndian: Bool
    /// Frames before this position.
    package private(set) var frames = 0
    private var firstSum: UInt32 = 0
    private var secondSum: UInt32 = 0

    /// What a frame says.
    struct Frame {
        let page: UInt32
        /// Pages of the database behind the commit that ends with this frame; 0 within a transaction.
        let pagesAfterCommit: UInt32
    }

    /// The beginning of a log; `nil` when the bytes are no whole header.
    init?(header: [UInt8]) {
        guard header.count == Self.headerBytes else { return nil }
        let words = (0..<8).map { Self.word(header, at: $0 * 4) }
        guard words[0] & ~1 == Self.magic, words[1] == Self.version else { return nil }
        isBigEndian = words[0] & 1 == 1
        pageBytes = Int(words[2])
        guard Self.isPageLength(pageBytes) else { return nil }
        (firstSalt, secondSalt) = (words[4], words[5])
        addSum(of: header[..<24])
        guard (firstSum, secondSum) == (words[6], words[7]) else { return nil }
    }

    /// A position as it is written in a replica's parts. What a repository holds can say anything: no log has pages of another
    /// length, nor more frames than 32 bits count, and sums of these stay in range.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        firstSalt = try members.decode(UInt32.self, forKey: .firstSalt)
        secondSalt = try members.decode(UInt32.self, forKey: .secondSalt)
        pageBytes = try members.decode(Int.self, forKey: .pageBytes)
        isBigEndian = try members.decode(Bool.self, forKey: .isBigEndian)
        frames = try members.decode(Int.self, forKey: .frames)
        firstSum = try members.decode(UInt32.self, forKey: .firstSum)
        secondSum = try members.decode(UInt32.self, forKey: .secondSum)
        guard Self.isPageLength(pageBytes), (0...0xffff_ffff).contains(frames) else {
            throw DecodingError.dataCorruptedError(
                forKey: .frames, in: members, debugDescription: "not a position in a write-ahead log")
        }
    }

    private static func isPageLength(_ count: Int) -> Bool {
        (512...65_536).contains(count) && count & (count - 1) == 0
    }

    var frameBytes: Int { Self.frameHeaderBytes + pageBytes }
    /// Where the next frame begins in the file.
    var offset: Int { Self.headerBytes + frames * frameBytes }

    func isOfSameLog(as other: LogPosition) -> Bool {
        (firstSalt, secondSalt) == (other.firstSalt, other.secondSalt)
    }

    /// Whether this is in the log that came right after the other one.
    func isInSuccessor(of other: LogPosition) -> Bool {
        firstSalt == other.firstSalt &+ 1 && pageBytes == other.pageBytes
    }

    /// Whether frames from here on are the next ones behind the other position.
    package func follows(_ other: LogPosition) -> Bool {
        self == other || frames == 0 && isInSuccessor(of: other)
    }

    /// Whether the last frame before this position has the checksum that it had, by its header.
    func isStillBehind(_ frameHeader: [UInt8]) -> Bool {
        frameHeader.count == Self.frameHeaderBytes
            && Self.word(frameHeader, at: 16) == firstSum
            && Self.word(frameHeader, at: 20) == secondSum
    }

    /// Goes on behind a frame.
    ///
    /// - Returns: what it says; `nil`, and nothing changes, when it is not the next one of this log.
    mutating func pass(_ frame: ArraySlice<UInt8>) -> Frame? {
        guard frame.count == frameBytes else { return nil }
        let start = frame.startIndex
        let words = (0..<6).map { Self.word(frame, at: $0 * 4) }
        guard words[0] != 0, (words[2], words[3]) == (firstSalt, secondSalt) else { return nil }
        var next = self
        next.addSum(of: frame[start..<start + 8])
        next.addSum(of: frame[(start + Self.frameHeaderBytes)...])
        guard (next.firstSum, next.secondSum) == (words[4], words[5]) else { return nil }
        next.frames += 1
        self = next
        return Frame(page: words[0], pagesAfterCommit: words[1])
    }

    private mutating func addSum(of bytes: ArraySlice<UInt8>) {
        var (first, second) = (firstSum, secondSum)
        let isSwapped = isBigEndian != (1.bigEndian == 1)
        bytes.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                let two = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                first = first &+ (isSwapped ? one.byteSwapped : one) &+ second
                second = second &+ (isSwapped ? two.byteSwapped : two) &+ first
            }
        }
        (firstSum, secondSum) = (first, second)
    }

    private static func word(_ bytes: some RandomAccessCollection<UInt8>, at index: Int) -> UInt32 {
        bytes.dropFirst(index).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Frames of one log that follow each other, as they are in its file.
package struct LogFrames: Sendable {
    /// Where they begin.
    package let start: LogPosition
    package let bytes: [UInt8]

    package init(start: LogPosition, bytes: [UInt8]) {
        self.start = start
        self.bytes = bytes
    }
}
