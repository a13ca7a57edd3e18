import Domain
import Foundation
import Okaeri
import OkaeriServer

/// Whether the data folder can be worked with, and whether its disk and the clock agree.
struct FolderChecks {
    private static let bytesPerMebibyte: UInt64 = 1_048_576
    /// Where the clock of any machine stands that has one: the year of the first release.
    private static let earliestPlausible = Date(timeIntervalSince1970: 1_767_225_600)

    let folder: String
    /// Servers are off for less, as a rule: 30 days, in seconds.
    private static let longestPause: TimeInterval = 2_592_000
    private let clock = SystemClock()

    init(folder: String) {
        self.folder = folder
    }

    var exists: Bool { FileStatus(of: folder)?.isFolder ?? false }

    func findings() -> [Finding] {
        guard exists else {
            return [
                .failed(
                    "data folder", "There is no folder \(folder).",
                    advice: "Start the server once, which makes it, or name another folder with --data."),
                plausibility,
            ]
        }
        return [rights, freeSpace, clockFinding]
    }

    private var rights: Finding {
        if let fault = probe.fault {
            return .failed(
                "data folder", "\(folder) cannot be written: \(fault).",
                advice: [EACCES, EPERM].contains(fault.number)
                    ? "Give the server's user the right to write there, or name another folder with --data."
                    : "Look at its disk, such as with “df -h”, “df -i” and “dmesg”: nothing is stored until it can be "
                        + "written.")
        }
        guard FileRights.areOwnersAlone(folder) else {
            return .warning(
                "data folder", "\(folder) can be written, and other users of this machine can look into it.",
                advice: "chmod 700 \(folder)")
        }
        return .ok("data folder", "\(folder) can be written, by its owner alone.")
    }

    private var freeSpace: Finding {
        guard let bytes = FileStatus.freeBytes(in: folder) else {
            return .warning("disk", "The free space cannot be read.", advice: "See “df”.")
        }
        let free = bytes / Self.bytesPerMebibyte
        let words = "\(free) MiB are free."
        let advice = "Make room: on a full disk nobody can log in."
        return switch free {
        case ..<64: .failed("disk", words, advice: advice)
        case ..<1024: .warning("disk", words, advice: advice)
        default: .ok("disk", words)
        }
    }

    /// Whether the clock is plausible, agrees with the one of the file system, and did not jump.
    private var clockFinding: Finding {
        guard plausibility.outcome == .ok, let probeTime = probe.time else { return plausibility }
        let now = clock.now
        let difference = abs(probeTime.timeIntervalSince(now))
        if difference > 5 {
            return .warning(
                "clock", "The clock differs by \(Int(difference).counted("second")) from the one of the file system.",
                advice: "Let both machines follow a time server.")
        }
        if let written = lastWritten, written.timeIntervalSince(now) > 60 {
            let text = LocalTime.text(millisecondsSince1970: Int64(written.timeIntervalSince1970 * 1000))
            return .failed(
                "clock", "The database was written at \(text), which is in the future: the clock went back.",
                advice: "Set the clock, and let it follow a time server: a wrong one refuses devices.")
        }
        if let written = lastWritten, now.timeIntervalSince(written) > Self.longestPause {
            let days = Int(now.timeIntervalSince(written) / 86_400)
            return .warning(
                "clock",
                "The database was last written \(days.counted("day")) ago. If the server was not off for so long, the clock is "
                    + "ahead.",
                advice: "Set the clock before you start the server. An hour after its start it removes what has "
                    + "expired by its clock, idle guests and users who wait for their deletion too.")
        }
        return plausibility
    }

    /// Whether the clock stands where the clock of a machine can stand.
    var plausibility: Finding {
        let now = clock.now
        let text = LocalTime.text(millisecondsSince1970: Int64(now.timeIntervalSince1970 * 1000))
        guard now >= Self.earliestPlausible else {
            return .failed(
                "clock", "The clock says \(text), which is in the past.",
                advice: "Set the clock, and let it follow a time server.")
        }
        return .ok("clock", "The clock says \(text).")
    }

    private var lastWritten: Date? {
        let path = StorageInspection.path(in: folder)
        // Who only reads leaves an empty log.
        let files = [path] + [path + "-wal"].filter { (FileStatus(of: $0)?.byteCount ?? 0) > 0 }
        return files.compactMap(Self.modificationDate(of:)).max()
    }

    /// The time of a file that is made and removed again, or why none can be made.
    private var probe: (time: Date?, fault: SystemFault?) {
        let path = "\(folder)/.doctor-\(getpid())"
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return (nil, SystemFault(number: errno)) }
        close(file)
        defer { unlink(path) }
        return (Self.modificationDate(of: path), nil)
    }

    private static func modificationDate(of path: String) -> Date? {
        // A file that is not there has no time.
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}

/// Who may do what with a file.
enum FileRights {
    /// Whether nobody but the owner, and root, can read, write or enter.
    static func areOwnersAlone(_ path: String) -> Bool {
        // A file that cannot be asked for its rights is no safe one.
        FileStatus(of: path).map { $0.rights & 0o077 == 0 } ?? false
    }
}

/// What the system says of a file, or of what a link leads to.
struct FileStatus {
    let isFile: Bool
    let isFolder: Bool
    let byteCount: Int
    /// Who may read, write and enter.
    let rights: UInt32

    /// `nil` for what cannot be asked about.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        isFile = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        byteCount = Int(clamping: status.st_size)
        rights = UInt32(status.st_mode & 0o7777)
    }

    /// How much may still be written to the disk of a folder; `nil` when it cannot be asked.
    static func freeBytes(in folder: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
    }
}
