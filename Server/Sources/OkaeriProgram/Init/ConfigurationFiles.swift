import Foundation
import OkaeriServer

/// The files that `okaeri init` writes: settings as JSON, and secrets as variables that only their owner can read.
struct ConfigurationFiles {
    let settingsPath: String
    let secretsPath: String
    /// Whether the second one is there.
    var hasSecrets: Bool { FileManager.default.fileExists(atPath: secretsPath) }

    /// - Parameter path: Of the settings.
    init(path: String) {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        settingsPath = url.path
        secretsPath = url.deletingPathExtension().path + ".env"
    }

    /// - Throws: `CommandFault` when one of the files is there already, or none can be made.
    func requireFree() throws(CommandFault) {
        // Before anybody answers questions for nothing.
        guard access(URL(fileURLWithPath: settingsPath).deletingLastPathComponent().path, W_OK | X_OK) == 0 else {
            throw .failed("\(settingsPath) cannot be written: \(String(cString: strerror(errno))).")
        }
        for path in [settingsPath, secretsPath] where FileManager.default.fileExists(atPath: path) {
            throw .failed(
                "\(path) is there already, and is not overwritten. Name another file with --file, or look at this "
                    + "configuration with “okaeri doctor --config \(settingsPath)”.")
        }
    }

    /// - Parameter values: By setting name.
    /// - Throws: `CommandFault` when a file cannot be made. Then neither is left.
    func save(_ values: [String: String]) throws(CommandFault) {
        let settings = values.filter { value in !Self.isSecret(value.key) }
        let secrets = Setting.all.filter(\.isSecret).compactMap { setting in
            values[setting.name].map { "\(setting.variable)=\(Self.quoted($0))" }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let json: Data
        do {
            json = try encoder.encode(settings) + Data("\n".utf8)
        } catch {
            throw .failed("The settings cannot be written as JSON: \(error)")
        }
        if !secrets.isEmpty {
            let lines =
                ["# Secrets of Okaeri, for EnvironmentFile= of systemd, or in a shell: set -a; . this-file; set +a"]
                + (values[Setting.sealingKey.name] == nil
                    ? []
                    : [
                        "# Keep a copy of \(Setting.sealingKey.variable) elsewhere: what it sealed cannot be opened without it."
                    ]) + secrets
            try Self.make(secretsPath, Data((lines.joined(separator: "\n") + "\n").utf8), rights: 0o600)
        }
        do {
            try Self.make(settingsPath, json, rights: 0o644)
        } catch {
            if !secrets.isEmpty { unlink(secretsPath) }
            throw error
        }
    }

    /// Takes back what `save` wrote.
    func remove() {
        unlink(settingsPath)
        unlink(secretsPath)
    }

    private static func isSecret(_ name: String) -> Bool {
        Setting.all.contains { $0.name == name && $0.isSecret }
    }

    /// A value as both a shell and systemd read it between double quotes.
    private static func quoted(_ value: String) -> String {
        let escaped = value.map { "\"\\$`".contains($0) ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }

    /// Makes a file that was not there.
    private static func make(_ path: String, _ bytes: Data, rights: mode_t) throws(CommandFault) {
        func fault() -> CommandFault { .failed("\(path) cannot be written: \(String(cString: strerror(errno))).") }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights)
        guard file >= 0 else { throw fault() }
        defer { close(file) }
        guard bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count,
            fsync(file) == 0
        else {
            let fault = fault()
            unlink(path)
            throw fault
        }
    }
}
