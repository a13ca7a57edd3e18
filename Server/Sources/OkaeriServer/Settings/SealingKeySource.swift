package import Domain
import Foundation
import Threads

/// Where a sealing key comes from, as a setting names it. The key itself is never in a message.
struct SealingKeySource {
    /// A file and a command give at most this much: base64 of a key with room for line ends.
    private static let maximumBytes = 4096
    let setting: Setting
    let environment: [String: String]
    /// How long a command may take.
    var patience: Duration = .seconds(10)

    /// The key of `sealing-key`; `nil` when it is not set.
    ///
    /// - Throws: `SettingFault` when the source gives no key.
    static func key(_ reader: SettingReader, _ environment: [String: String]) throws(SettingFault) -> [UInt8]? {
        guard let text = try reader.optional(.sealingKey, { $0 }) else { return nil }
        return try SealingKeySource(setting: .sealingKey, environment: environment).key(text)
    }

    /// - Parameter text: Base64, or `file:`, `credential:` or `command:` and where.
    /// - Returns: 32 bytes.
    /// - Throws: `SettingFault` when that gives no key.
    func key(_ text: String) throws(SettingFault) -> [UInt8] {
        if let path = Self.file(text) { return try key(inFile: path) }
        if let name = Self.rest(of: text, after: "credential:") {
            guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else {
                throw fault("names the credential \(name), but systemd gave no credentials: LoadCredential= is missing")
            }
            guard !name.isEmpty, name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
                throw fault("names no credential of systemd")
            }
            return try key(inFile: folder + "/" + name)
        }
        if let command = Self.rest(of: text, after: "command:") { return try key(fromCommand: command) }
        guard let key = Self.key(inBase64: text) else { throw fault("must be \(setting.rule)") }
        return key
    }

    /// The path of the file that a value names; `nil` for what names none.
    static func file(_ text: String) -> String? { rest(of: text, after: "file:") }

    private static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }

    private func key(inFile path: String) throws(SettingFault) -> [UInt8] {
        // Whatever the reason, the file gives no key.
        guard let bytes = try? FileReader(path: path).readAll(upTo: Self.maximumBytes + 1) else {
            throw fault("names the file \(path), which cannot be read")
        }
        guard let key = Self.key(in: bytes) else { throw fault("names the file \(path), which holds no key") }
        return key
    }

    private func key(fromCommand line: String) throws(SettingFault) -> [UInt8] {
        let words = line.split(separator: " ").map(String.init)
        guard let program = words.first, program.hasPrefix("/") else {
            throw fault("names a command, but not by a path that begins with /")
        }
        let (command, output) = try start(program, Array(words.dropFirst()))
        defer { close(output) }
        let deadline = ContinuousClock.now + patience
        let written = Self.read(output, until: deadline)
        var found = command.ending()
        // Who has written too much is not waited for.
        while found == nil, written.map({ $0.count <= Self.maximumBytes }) ?? false, ContinuousClock.now < deadline {
            usleep(5000)
            found = command.ending()
        }
        command.stop()
        guard let bytes = written else {
            throw fault("names the command \(program), whose output did not end within \(patience)")
        }
        guard bytes.count <= Self.maximumBytes else {
            throw fault("names the command \(program), which wrote more than \(Self.maximumBytes) bytes")
        }
        guard let ending = found else {
            throw fault("names the command \(program), which did not end within \(patience)")
        }
        guard case .exit(let status) = ending else {
            throw fault("names the command \(program), which a signal ended")
        }
        guard status == 0 else {
            throw fault("names the command \(program), which failed with the exit status \(status)")
        }
        guard !bytes.isEmpty else { throw fault("names the command \(program), which wrote nothing") }
        guard let key = Self.key(in: bytes) else {
            throw fault("names the command \(program), which gave no key: 32 bytes, as they are or in base64")
        }
        return key
    }

    /// Starts a command.
    ///
    /// - Returns: the command, and the end of a pipe that gives what it writes and is for the caller to close.
    private func start(
        _ program: String, _ arguments: [String]
    ) throws(SettingFault) -> (command: ChildProgram, output: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw fault("names the command \(program), which cannot be started") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        do throws(ChildProgram.Fault) {
            let command = try ChildProgram(
                path: program, arguments: arguments, environment: environment, output: .descriptor(ends[1]),
                errors: .same)
            return (command, ends[0])
        } catch {
            close(ends[0])
            throw fault("names the command \(program), which cannot be started")
        }
    }

    /// What is written up to the end, or up to more than may be; `nil` when that takes too long.
    private static func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var all: [UInt8] = []
        while ContinuousClock.now < deadline {
            var waiting = pollfd(fd: descriptor, events: Int16(clamping: POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) > 0 else { continue }
            var part = [UInt8](repeating: 0, count: maximumBytes)
            let count = part.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return count == 0 ? all : nil }
            all += part.prefix(count)
            guard all.count <= maximumBytes else { return all }
        }
        return nil
    }

    /// 32 bytes as they are, or in base64.
    private static func key(in bytes: [UInt8]) -> [UInt8]? {
        if bytes.count == SealingKey.byteCount { return bytes }
        return String(validating: bytes, as: UTF8.self).flatMap {
            key(inBase64: $0.withoutBlanksAndLineEnds)
        }
    }

    private static func key(inBase64 text: String) -> [UInt8]? {
        Data(base64Encoded: text).flatMap { $0.count == SealingKey.byteCount ? Array($0) : nil }
    }

    private func fault(_ what: String) -> SettingFault { SettingFault("\(setting.name) \(what).") }
}

/// Which sealing keys there are beside the first, in the order of `sealing-keys`.
package struct SealingKeysSettings: Sendable {
    /// `nil` stands for the key of `sealing-key`.
    private var keys: [[UInt8]?] = []
    /// The ids of keys that are given up.
    package private(set) var lost: Set<String> = []
    /// The files that `sealing-key` and `sealing-keys` name.
    package private(set) var files: [String] = []

    /// - Throws: `SettingFault` when an item gives no key.
    init(_ reader: SettingReader, _ environment: [String: String]) throws(SettingFault) {
        let source = SealingKeySource(setting: .sealingKeys, environment: environment)
        if let file = SealingKeySource.file(try reader.optional(.sealingKey) { $0 } ?? "") { files.append(file) }
        for item in (try reader.optional(.sealingKeys) { $0 } ?? "").split(separator: ",") {
            let text = item.withoutBlanks
            if text == Setting.sealingKey.name {
                keys.append(nil)
            } else if text.hasPrefix("lost:") {
                lost.insert(String(text.dropFirst("lost:".count)))
            } else {
                keys.append(try source.key(text))
                if let file = SealingKeySource.file(text) { files.append(file) }
            }
        }
    }

    /// - Parameter first: The key that the installation began with.
    /// - Returns: all keys.
    /// - Throws: `SettingFault` when one has another length.
    package func key(first: [UInt8]) throws(SettingFault) -> SealingKey {
        guard let key = SealingKey(first: first, inOrder: keys.isEmpty ? [first] : keys.map { $0 ?? first }) else {
            throw SettingFault("\(Setting.sealingKeys.name) must be \(Setting.sealingKeys.rule).")
        }
        return key
    }
}
