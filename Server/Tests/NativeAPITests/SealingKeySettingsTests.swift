import Domain
import Foundation
import OkaeriServer
import Testing

@Suite("Where sealing keys come from")
struct SealingKeySettingsTests {
    private static let bytes = [UInt8](repeating: 3, count: SealingKey.byteCount)
    private static let text = Data(bytes).base64EncodedString()

    private static func folder(_ content: Data) throws -> String {
        let folder = NSTemporaryDirectory() + "okaeri-key-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try content.write(to: URL(fileURLWithPath: folder + "/key"))
        return folder
    }

    @Test("is a file or a credential of systemd, raw or in base64", arguments: [Data(bytes), Data((text + "\n").utf8)])
    func file(content: Data) throws {
        let folder = try Self.folder(content)
        let byPath = try ServerSettings(environment: ["OKAERI_SEALING_KEY": "file:\(folder)/key"])
        #expect(byPath.sealingKey == Self.bytes)
        let byName = try ServerSettings(
            environment: ["OKAERI_SEALING_KEY": "credential:key", "CREDENTIALS_DIRECTORY": folder])
        #expect(byName.sealingKey == Self.bytes)
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
}
