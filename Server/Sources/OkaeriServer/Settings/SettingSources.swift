import Configuration
import Domain
import Foundation
import OkaeriWire

/// Where settings come from: the command line over the environment over a JSON file.
struct SettingSources {
    private let commandLine: [String: String]
    private let environment: EnvironmentVariablesProvider
    private let file: [String: FileValue]
    private let fileName: String

    /// - Parameters:
    ///   - commandLine: Values by setting name. `config` names the file.
    ///   - environment: The process's variables.
    /// - Throws: when the file cannot be read or holds a name that is no setting.
    init(commandLine: [String: String], environment: [String: String]) throws(SettingFault) {
        self.commandLine = commandLine
        self.environment = EnvironmentVariablesProvider(environmentVariables: environment)
        guard let path = commandLine["config"] ?? environment[Setting.fileVariable] else {
            file = [:]
            fileName = ""
            return
        }
        fileName = path
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            throw SettingFault("There is no configuration file \(path). “okaeri init --file \(path)” writes one.")
        } catch {
            throw SettingFault("The configuration file \(path) cannot be read: \(error.systemReason).")
        }
        do {
            file = try JSONDecoder().decode([String: FileValue].self, from: bytes)
        } catch DecodingError.dataCorrupted {
            throw SettingFault("The configuration file \(path) is no JSON\(Self.position(of: bytes)).")
        } catch {
            throw SettingFault(
                "The configuration file \(path) must be one JSON object, such as {\"listen\": \"127.0.0.1:9000\"}.")
        }
        try Self.check(file, path)
    }

    /// Where JSON breaks off, as far as the parser says it.
    private static func position(of bytes: Data) -> String {
        let offset: Int
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: Array(bytes), isTrusted: true)
            return ""
        } catch {
            switch error {
            case .incomplete: return ": it ends too early"
            case .unexpected(let found), .badText(let found), .tooManyMarks(let found), .numberOutOfRange(let found):
                offset = found
            case .duplicateMember(let name): return ": “\(name)” stands there twice"
            case .tooDeep, .tooManyValues: return ""
            }
        }
        let before = bytes.prefix(offset)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return ": line \(line.count), character \((line.last?.count ?? 0) + 1)"
    }

    /// Refuses what is no setting, and values that no setting has.
    private static func check(_ members: [String: FileValue], _ path: String) throws(SettingFault) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let setting = Setting.all.first(where: { $0.name == name }) else {
                throw SettingFault(
                    "The configuration file \(path) has “\(name)”, which is no setting. “okaeri serve --help” shows them; "
                        + "“okaeri init” writes a new file.")
            }
            guard value.text != nil else {
                throw SettingFault(
                    "\(setting.name) (\(path)) has a JSON type that no setting has, but must be \(setting.rule).")
            }
        }
    }

    /// The value of a setting as text, and the name of its source.
    func value(of setting: Setting) throws(SettingFault) -> (text: String, source: String)? {
        if let text = commandLine[setting.name] { return (text, "--\(setting.name)") }
        do {
            if let text = try environment.environmentValue(forName: setting.variable) {
                return (text, setting.variable)
            }
        } catch {
            throw SettingFault("\(setting.variable) cannot be read: \(error)")
        }
        return file[setting.name]?.text.map { ($0, fileName) }
    }
}

/// A value in the configuration file, as the text that the command line would have.
private struct FileValue: Decodable {
    /// `nil` for a type that no setting has.
    let text: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Each type is tried; what is none of them has no text.
        if let flag = try? container.decode(Bool.self) {
            text = flag ? "on" : "off"
        } else if let number = try? container.decode(Int.self) {
            text = String(number)
        } else if let number = try? container.decode(Double.self) {
            text = String(number)
        } else if let texts = try? container.decode([String].self) {
            text = texts.joined(separator: ",")
        } else {
            text = try? container.decode(String.self)
        }
    }
}
