package import Domain
import Foundation
import OkaeriWire

/// A file of a replica, by its name: `okaeri-replica-STREAM-NUMBER-TIME-end.frames` has what was written to the database up to a
/// time, `….base` a copy of the database, behind whose number the frames go on.
///
/// A stream is what one run of a server writes, without a gap. A batch of frames can have several parts; only the last one
/// ends with a commit (`end`), the others are `more`.
package struct ReplicaPart: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case base
        case frames(endsBatch: Bool)
    }

    static let beginning = "okaeri-replica-"
    private static let digits = (number: 10, time: 15)

    /// Names of streams sort in the order in which they began.
    package let stream: String
    package let number: Int
    /// All that was committed before it is in this part and those before it.
    package let time: Timestamp
    package let kind: Kind

    package init(stream: String, number: Int, time: Timestamp, kind: Kind) {
        self.stream = stream
        self.number = number
        self.time = time
        self.kind = kind
    }

    /// `nil` for a name of another form.
    package init?(_ name: String) {
        guard name.hasPrefix(Self.beginning), BackupCatalogue.isPlain(name) else { return nil }
        let words = name.dropFirst(Self.beginning.count).split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 5, !words[0].isEmpty, words[1].utf8.count == 8,
            words[2].utf8.count == Self.digits.number, words[3].utf8.count == Self.digits.time,
            let number = Int(words[2], radix: 10), number >= 0,
            let milliseconds = Int64(words[3], radix: 10), milliseconds >= 0
        else { return nil }
        switch words[4] {
        case "end.base": kind = .base
        case "end.frames": kind = .frames(endsBatch: true)
        case "more.frames": kind = .frames(endsBatch: false)
        default: return nil
        }
        stream = "\(words[0])-\(words[1])"
        self.number = number
        time = Timestamp(milliseconds: milliseconds)
    }

    package var name: String {
        let ending =
            switch kind {
            case .base: "end.base"
            case .frames(true): "end.frames"
            case .frames(false): "more.frames"
            }
        return "\(Self.beginning)\(stream)-\(Self.padded(Int64(clamping: number), Self.digits.number))"
            + "-\(Self.padded(time.milliseconds, Self.digits.time))-\(ending)"
    }

    var isBase: Bool { kind == .base }

    /// When the last of the streams began that a clock which was ahead, or another machine's, gave names behind now; `nil` for
    /// none. A new stream has to be behind them: the newest one is restored and followed.
    static func laterStream(
        than now: Timestamp, at repository: any BackupRepository
    ) throws(BackupFault) -> Timestamp? {
        let names = try repository.names(beginningWith: beginning, after: beginning + BackupCatalogue.text(of: now))
        let streams = Set(names.compactMap { ReplicaPart($0)?.stream })
        return streams.compactMap { $0.split(separator: "-").first.flatMap { BackupCatalogue.time(of: $0) } }.max()
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(max(0, number))
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

/// What a repository has of replicas, and what of it gives the database as it was at a time.
package struct ReplicaCatalogue: Sendable {
    /// The copies, the oldest first.
    package let bases: [ReplicaPart]
    private let frames: [String: [ReplicaPart]]
    private let streams: [String]

    /// How a state of the database is made: of a copy and the parts behind it.
    package struct Plan: Sendable {
        package let base: ReplicaPart
        /// Without a gap, the last one ending with a commit.
        package let parts: [ReplicaPart]
        /// All that came later, also in later streams: what ended in it stays ended.
        package let later: [ReplicaPart]

        /// The state is that of this time.
        package var time: Timestamp { parts.last?.time ?? base.time }
    }

    package init(_ repository: any BackupRepository) throws(BackupFault) {
        let all = try repository.names(beginningWith: ReplicaPart.beginning, after: nil).compactMap { ReplicaPart($0) }
        // A clock that was set back gives a later stream earlier times.
        bases = all.filter(\.isBase).sorted { ($0.stream, $0.number, $0.time) < ($1.stream, $1.number, $1.time) }
        frames = Dictionary(grouping: all.filter { !$0.isBase }, by: \.stream).mapValues { parts in
            parts.sorted { $0.number < $1.number }
        }
        streams = frames.keys.sorted()
    }

    /// - Parameters:
    ///   - limit: The latest time; `nil` for the newest state.
    ///   - repository: For messages.
    /// - Returns: the newest state up to then.
    /// - Throws: `BackupFault` when there is no such state, or a part of it is missing.
    package func plan(upTo limit: Timestamp?, at repository: any BackupRepository) throws(BackupFault) -> Plan {
        let limit = limit ?? .latest
        for base in bases.reversed() where base.time <= limit {
            let following = (frames[base.stream] ?? []).filter { $0.number > base.number }
            // The copy was made while frames were written: those up to its time belong to it.
            guard let last = following.last(where: { $0.time <= limit && $0.kind == .frames(endsBatch: true) }),
                last.time >= base.time
            else { continue }
            let parts = following.filter { $0.number <= last.number }
            for (index, part) in parts.enumerated() where part.number != base.number + index + 1 {
                throw BackupFault(
                    "The replica at \(repository) has no part \(base.number + index + 1) of \(base.stream): nothing behind it can "
                        + "be used. “--to” with a time before \(Self.option(part.time)) needs less of it.")
            }
            let later =
                following.filter { $0.number > last.number }
                + streams.filter { $0 > base.stream }.flatMap { frames[$0] ?? [] }
            return Plan(base: base, parts: parts, later: later)
        }
        guard let first = bases.first else {
            throw BackupFault(
                "There is no replica at \(repository) yet. A server that has OKAERI_REPLICA stores its first copy there seconds after "
                    + "its start; “okaeri restore” without --to takes the newest backup.")
        }
        throw BackupFault(
            "The replica at \(repository) has no state of that time: its first one is of "
                + "\(Self.option(first.time)). Name a later time with --to, or take a backup.")
    }

    /// A time as `--to` takes it.
    private static func option(_ time: Timestamp) -> String {
        WireTime(millisecondsSince1970: time.milliseconds).description
    }

    /// What no state from a time on needs any more.
    func unneeded(since time: Timestamp) -> [ReplicaPart] {
        guard let oldest = bases.last(where: { $0.time <= time }) else { return [] }
        let all = bases + streams.flatMap { frames[$0] ?? [] }
        return all.filter { part in
            part.stream < oldest.stream
                || part.stream == oldest.stream
                    && (part.isBase ? part.number < oldest.number : part.number <= oldest.number)
        }
    }
}
