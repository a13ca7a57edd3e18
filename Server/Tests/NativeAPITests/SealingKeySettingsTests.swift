import Domain
import Foundation
import Testing

@testable import OkaeriServer

@Suite("Where sealing keys come from")
final class SealingKeySettingsTests {
    private static let bytes = [UInt8](repeating: 3, count: SealingKey.byteCount)
    private static let text = Data(bytes).base64EncodedString()

    private let folder = NSTemporaryDirectory() + "okaeri-key-\(UUID().uuidString)"

    deinit {
        // Not every test makes it.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Writes the file `key` to the test's folder.
    private func write(_ content: Data) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try content.write(to: URL(fileURLWithPath: folder + "/key"))
    }

    @Test("is a file or a credential of systemd, raw or in base64", arguments: [Data(bytes), Data((text + "\n").utf8)])
    func file(content: Data) throws {
        try write(content)
        let byPath = try ServerSettings(environment: ["OKAERI_SEALING_KEY": "file:\(folder)/key"])
        #expect(byPath.sealingKey == Self.bytes)
        let byName = try ServerSettings(
            environment: ["OKAERI_SEALING_KEY": "credential:key", "CREDENTIALS_DIRECTORY": folder])
        #expect(byName.sealingKey == Self.bytes)
    }

    @Test("is made in the data folder without a touch of what a process left that died behind its link")
    func leftDraft() throws {
        try write(Data(Self.bytes))
        // The key was then moved to another name: both are one file.
        #expect(link("\(folder)/key", "\(folder)/sealing.key.\(getpid())") == 0)
        let made = try SealingKeyFile(folder: folder, randomness: SystemRandomness()).bytes()
        #expect(made.count == SealingKey.byteCount && made != Self.bytes)
        #expect(FileManager.default.contents(atPath: "\(folder)/key") == Data(Self.bytes))
    }

    @Test("is what a command writes")
    func command() throws {
        let settings = try ServerSettings(environment: ["OKAERI_SEALING_KEY": "command:/bin/echo \(Self.text)"])
        #expect(settings.sealingKey == Self.bytes)
    }

    @Test(
        "is refused when there is none, without showing anything of a key",
        arguments: [
            "file:/nowhere/key", "credential:key", "command:/bin/false", "command:/nowhere/program", "command:echo x",
            "command:/usr/bin/yes", "command:/bin/echo c2hvcnQ=", "c2hvcnQ=",
        ])
    func refused(value: String) throws {
        for variable in ["OKAERI_SEALING_KEY", "OKAERI_SEALING_KEYS"] {
            let fault = #expect(throws: SettingFault.self) { try ServerSettings(environment: [variable: value]) }
            #expect(try #require(fault?.description).contains("c2hvcnQ") == false)
        }
    }

    @Test(
        "that a command does not give is said in the setting's name, within bounded time",
        arguments: [
            ("hangs", "exec sleep 120", "did not end within"),
            ("goes on after its output", "exec >&-; exec sleep 120", "did not end"),
            ("leaves another process behind", "sleep 60 2>/dev/null & exit 0", "did not end within"),
            ("writes without end", "while :; do echo 0123456789012345678901234567890; done", "more than 4096 bytes"),
            ("fails", "exit 1", "exit status 1"), ("is killed", "kill -9 $$", "a signal ended"),
            ("writes nothing", "exit 0", "wrote nothing"), ("writes a short key", "echo c2hvcnQ=", "gave no key"),
            ("fails behind a key", "echo \(text); exit 3", "exit status 3"),
        ])
    func commands(_ what: String, script: String, words: String) throws {
        try write(Data("#!/bin/sh\n\(script)\n".utf8))
        // A command that ends by itself may take long to begin on a busy machine.
        let patience: Duration = words.hasPrefix("did not end") ? .milliseconds(500) : .seconds(100)
        for setting in [Setting.sealingKey, .sealingKeys] {
            let source = SealingKeySource(
                setting: setting, environment: ["PATH": "/usr/bin:/bin"], patience: patience)
            let begin = ContinuousClock.now
            let fault = #expect(throws: SettingFault.self, "\(what)") {
                // By the shell: a file that was just written cannot be run while another test's new process still holds it.
                try source.key("command:/bin/sh \(folder)/key")
            }
            #expect(begin.duration(to: .now) < .seconds(100), "\(what)")
            let said = try #require(fault?.description)
            #expect(said.hasPrefix(setting.name) && said.contains(words) && !said.contains("c2hvcnQ"), "\(said)")
        }
    }
}
