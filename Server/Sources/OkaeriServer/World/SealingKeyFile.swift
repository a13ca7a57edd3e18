import Domain
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

    /// The key, made when the file is missing.
    ///
    /// - Throws: `SettingFault` when the file cannot be read or made, or has another length.
    func key() throws(SettingFault) -> SealingKey {
        let fresh = randomness.bytes(SealingKey.byteCount)
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if made >= 0 {
            defer { close(made) }
            guard fresh.withUnsafeBytes({ write(made, $0.baseAddress, $0.count) }) == fresh.count, fsync(made) == 0
            else { throw fault("cannot be written") }
        } else if errno != EEXIST {
            throw fault("cannot be made")
        }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw fault("cannot be read") }
        guard let key = SealingKey(bytes: Array(bytes)) else {
            throw fault("has \(bytes.count) bytes instead of \(SealingKey.byteCount)")
        }
        return key
    }

    private func fault(_ what: String) -> SettingFault {
        SettingFault("The sealing key \(path) \(what): \(String(cString: strerror(errno))).")
    }
}
