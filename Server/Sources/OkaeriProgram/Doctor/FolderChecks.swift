import Foundation
import Okaeri

/// Whether the data folder can be worked with, and whether its disk and the clock agree.
struct FolderChecks {
    private static let bytesPerMebibyte: UInt64 = 1_048_576
    /// Where the clock of any machine stands that has one: the year of the first release.
    private static let earliestPlausible = Date(timeIntervalSince1970: 1_767_225_600)

    let folder: String
    private let clock = SystemClock()

    init(folder: String) {
        self.folder = folder
    }

    var exists: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder.boolValue
    }

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
        let probe = probePath
        let descriptor = open(probe, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            return .failed(
                "data folder", "\(folder) cannot be written: \(String(cString: strerror(errno))).",
                advice: "Give the server's user the right to write there, or name another folder with --data.")
        }
        close(descriptor)
        unlink(probe)
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & 0o077 == 0 else {
            return .warning(
                "data folder", "\(folder) can be written, and other users of this machine can look into it.",
                advice: "chmod 700 \(folder)")
        }
        return .ok("data folder", "\(folder) can be written, by its owner alone.")
    }

    private var freeSpace: Finding {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
            return .warning(
                "disk", "The free space cannot be told: \(String(cString: strerror(errno))).", advice: "See “df”.")
        }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize) / Self.bytesPerMebibyte
        let words = "\(free) MiB are free."
        let advice = "Make room: on a full disk nobody can log in."
        return switch free {
        case ..<64: .failed("disk", words, advice: advice)
        case ..<1024: .warning("disk", words, advice: advice)
        default: .ok("disk", words)
        }
    }

    /// Whether the clock is plausible, agrees with the one of the file system, and did not go back.
    private var clockFinding: Finding {
        guard plausibility.outcome == .ok else { return plausibility }
        let probe = probePath
        let descriptor = open(probe, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        // A folder that cannot be written is told already.
        guard descriptor >= 0 else { return plausibility }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        close(descriptor)
        unlink(probe)
        let now = clock.now
        if isKnown {
            let difference = Double(status.st_mtim.tv_sec) - now.timeIntervalSince1970
            if abs(difference) > 5 {
                return .warning(
                    "clock", "The clock differs by \(Int(abs(difference))) seconds from the one of the file system.",
                    advice: "Let both machines follow a time server.")
            }
        }
        if let written = lastWritten, written.timeIntervalSince(now) > 60 {
            let text = LocalTime.text(millisecondsSince1970: Int64(written.timeIntervalSince1970 * 1000))
            return .failed(
                "clock", "The database was written at \(text), which is in the future: the clock went back.",
                advice: "Set the clock, and let it follow a time server: a wrong one refuses devices.")
        }
        return plausibility
    }

    private var plausibility: Finding {
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
        let names = ["okaeri.sqlite", "okaeri.sqlite-wal"]
        return names.compactMap { name in
            var status = stat()
            guard stat(folder + "/" + name, &status) == 0 else { return nil }
            return Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
        }.max()
    }

    private var probePath: String { "\(folder)/.doctor-\(getpid())" }
}
