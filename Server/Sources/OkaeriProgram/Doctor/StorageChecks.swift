import Domain
import Foundation
import OkaeriServer

/// Whether the database is sound, and its secrets can be opened.
struct StorageChecks {
    let settings: ServerSettings
    let isThorough: Bool

    func findings() async -> [Finding] {
        let path = StorageInspection.path(in: settings.dataFolder)
        switch StorageInspection.presence(in: settings.dataFolder) {
        case .there: break
        case .denied:
            return [
                .failed(
                    "database", "\(path) cannot be read: permission denied for \(SystemName.user).",
                    advice: "Call “okaeri doctor” as the user of the server, such as with “sudo -u okaeri”.")
            ]
        case .missing:
            return [
                .failed(
                    "database", "There is no database \(path).",
                    advice: "Start the server once, which makes it, or name another folder with --data.")
            ]
        }
        if let unwritable { return [unwritable, sealingKey] }
        let inspection: StorageInspection
        do throws(StartFault) {
            inspection = try StorageInspection(folder: settings.dataFolder, isThorough: isThorough)
        } catch {
            return [.failed("database", error.description, advice: "Restore the folder from a backup."), sealingKey]
        }
        return [schema(inspection), integrity(inspection), await secrets(inspection), keyApart]
    }

    /// A file of the database that this user may not write: no server of its starts, and nothing is damaged.
    private var unwritable: Finding? {
        let path = StorageInspection.path(in: settings.dataFolder)
        let files = [path, path + "-wal", path + "-shm"]
        guard let file = files.first(where: { access($0, R_OK | W_OK) != 0 && errno == EACCES }) else { return nil }
        return .failed(
            "database", "\(file) cannot be written: permission denied for \(SystemName.user).",
            advice: "Call “okaeri doctor” as the user of the server. If it is, give it the file: “chown "
                + "--reference=\(settings.dataFolder) \(file)” and “chmod 600 \(file)”.")
    }

    private func schema(_ inspection: StorageInspection) -> Finding {
        let (present, latest) = (inspection.schemaVersion, inspection.latestSchemaVersion)
        let words = "The database has schema version \(present)"
        if present > latest {
            return .failed(
                "schema", "\(words), made by a newer Okaeri; this program knows up to \(latest).",
                advice: "Run the newer program, or restore a backup from before it.")
        }
        return present == latest
            ? .ok("schema", "\(words), the newest.")
            : .ok("schema", "\(words); the next start brings it to \(latest).")
    }

    private func integrity(_ inspection: StorageInspection) -> Finding {
        guard let first = inspection.damage.first else {
            return .ok("database", isThorough ? "The database is sound." : "The database is sound at a quick look.")
        }
        return .failed(
            "database", "The database is damaged: \(first)",
            advice: "Stop the server, keep a copy of the folder, and restore a backup.")
    }

    /// The sealing key by itself, then with what is sealed under it.
    private func secrets(_ inspection: StorageInspection) async -> Finding {
        let alone = sealingKey
        guard alone.outcome != .failed, inspection.holdsSealedSecrets,
            inspection.schemaVersion == inspection.latestSchemaVersion
        else { return alone }
        let advice = "Without that key, access tokens cannot be signed; accounts and sessions are not affected."
        return await Finding.ofSealedSecrets(settings, advice: advice) ?? alone
    }

    private var sealingKey: Finding {
        // Of a link only what it leads to has rights that count.
        let files = settings.sealingKeys.files.map(Self.realPath)
        if let open = files.first(where: { !FileRights.areOwnersAlone($0) }) {
            return .warning(
                "sealing key", "\(open) can be read by other users of this machine.", advice: "chmod 600 \(open)")
        }
        if settings.sealingKey != nil {
            return .ok("sealing key", "The sealing key comes from \(Setting.sealingKey.variable).")
        }
        let path = settings.dataFolder + "/sealing.key"
        let advice =
            "Put back the copy that was kept of it; “okaeri backup” stores none. What is sealed cannot be opened without it."
        guard FileManager.default.fileExists(atPath: path) else {
            return .failed("sealing key", "There is no file \(path).", advice: advice)
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            return .failed(
                "sealing key", "\(path) cannot be read.", advice: "Give the server's user the right to read it.")
        }
        guard bytes.count == SealingKey.byteCount else {
            return .failed(
                "sealing key", "\(path) has \(bytes.count) bytes instead of \(SealingKey.byteCount).", advice: advice)
        }
        guard FileRights.areOwnersAlone(path) else {
            return .warning(
                "sealing key", "\(path) can be read by other users of this machine.", advice: "chmod 600 \(path)")
        }
        return .ok("sealing key", "\(path) can be read, by its owner alone.")
    }

    /// A copy of the folder, or of its disk, has the key with what it seals.
    private var keyApart: Finding {
        let folder = Self.realPath(settings.dataFolder)
        let named = settings.sealingKey == nil ? [settings.dataFolder + "/sealing.key"] : []
        // After a restore there is none yet: the finding before this one says so.
        let within = (settings.sealingKeys.files + named).filter {
            Self.realPath($0).hasPrefix(folder + "/") && FileManager.default.fileExists(atPath: $0)
        }
        guard !within.isEmpty else {
            return .ok("sealing key apart", "No sealing key is in the data folder.")
        }
        return .warning(
            "sealing key apart", "A sealing key and the database are in one folder: who copies it can open everything.",
            advice: "Name the keys by \(Setting.sealingKey.variable) and \(Setting.sealingKeys.variable) as file:, "
                + "credential: or command:, and take \(within.first ?? "the file") out of the folder.")
    }

    private static func realPath(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}
