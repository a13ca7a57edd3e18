package import Domain
import Foundation

/// The file `sealing.key` in the data folder: 32 random bytes that only its owner can read. There is no default key
/// (requirement 41).
struct SealingKeyFile {
    let path: String
    let randomness: any Randomness

    init(folder: String, randomness: any Randomness) {
        path = folder + "/sealing.key"
        self.randomness = randomness
    }

    /// Whether somebody has made it.
    var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// The keys of an installation, of which the first one is configured, or the file's.
    ///
    /// - Throws: `StartFault.settings` when the file cannot be read or made, or one of the keys is none.
    func key(by settings: ServerSettings) throws(StartFault) -> SealingKey {
        do throws(SettingFault) {
            let first: [UInt8]
            if let known = settings.sealingKey { first = known } else { first = try bytes() }
            return try settings.sealingKeys.key(first: first)
        } catch {
            throw .settings(error.description)
        }
    }

    /// The key, made when the file is missing.
    ///
    /// - Returns: the key, the same at each start.
    /// - Throws: `SettingFault` when the file cannot be read or made, or has another length.
    func bytes() throws(SettingFault) -> [UInt8] {
        if !isThere { try make() }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw fault("cannot be read") }
        guard bytes.count == SealingKey.byteCount else {
            throw SettingFault(
                "The sealing key \(path) has \(bytes.count) bytes instead of \(SealingKey.byteCount).")
        }
        return Array(bytes)
    }

    /// Writes the key to a temporary file and links it where it belongs, so that nobody sees half a key, and of two processes that
    /// start together one makes it.
    ///
    /// The draft is nobody else's: processes of two containers have one number, and what a process left that died behind the
    /// link is the key itself.
    private func make() throws(SettingFault) {
        let draft = "\(path).\(Base64URL.text(of: randomness.bytes(9)))"
        let bytes = randomness.bytes(SealingKey.byteCount)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw fault("cannot be made") }
        defer {
            close(file)
            unlink(draft)
        }
        guard bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count, fsync(file) == 0 else {
            throw fault("cannot be written")
        }
        guard link(draft, path) == 0 || errno == EEXIST else { throw fault("cannot be put in its place") }
    }

    private func fault(_ what: String) -> SettingFault {
        SettingFault("The sealing key \(path) \(what): \(String(cString: strerror(errno))).")
    }
}

extension SealingKey {
    /// A new key, as the setting takes it.
    package static func newText() -> String { Data(SystemRandomness().bytes(byteCount)).base64EncodedString() }
}
