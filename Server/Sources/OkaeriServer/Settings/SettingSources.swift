import Configuration
import Foundation

/// Where settings come from: the command line over the environment over a JSON file.
struct SettingSources {
    private let commandLine: [String: String]
    private let environment: EnvironmentVariablesProvider
    private let file: JSONSnapshot?
    private let fileName: String

    /// - Parameters:
    ///   - commandLine: Values by setting name. `config` names the file.
    ///   - environment: The process's variables.
    /// - Throws: when the file cannot be read or holds a name that is no setting.
    init(commandLine: [String: String], environment: [String: String]) throws(SettingFault) {
        self.commandLine = commandLine
        self.environment = EnvironmentVariablesProvider(environmentVariables: environment)
        guard let path = commandLine["config"] ?? environment[Setting.fileVariable] else {
            file = nil
            fileName = ""
            return
        }
        fileName = path
        do {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            file = try JSONSnapshot(data: bytes.bytes, providerName: path, parsingOptions: .default)
            try Self.check(try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:], path)
        } catch let fault as SettingFault {
            throw fault
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            throw SettingFault("There is no configuration file \(path). “okaeri init --file \(path)” writes one.")
        } catch {
            throw SettingFault("The configuration file \(path) cannot be read: \(error)")
        }
    }

    /// Refuses what the reader below would pass over in silence.
    private static func check(_ members: [String: Any], _ path: String) throws(SettingFault) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let setting = Setting.all.first(where: { $0.name == name }) else {
                throw SettingFault(
                    "The configuration file \(path) has “\(name)”, which is no setting. “okaeri serve --help” shows them; "
                        + "“okaeri init” writes a new file.")
            }
            guard value is String || value is NSNumber || value is [String] else {
                throw wrongType(setting, path)
            }
        }
    }

    private static func wrongType(_ setting: Setting, _ file: String) -> SettingFault {
        SettingFault("\(setting.name) (\(file)) has a JSON type that no setting has, but must be \(setting.rule).")
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
        return try valueInFile(of: setting).map { ($0, fileName) }
    }

    private func valueInFile(of setting: Setting) throws(SettingFault) -> String? {
        guard let file else { return nil }
        let key = AbsoluteConfigKey([setting.name])
        var failure: (any Error)?
        for type: ConfigType in [.string, .stringArray, .int, .bool] {
            do {
                switch try file.value(forKey: key, type: type).value?.content {
                case nil: return nil
                case .string(let text): return text
                case .stringArray(let texts): return texts.joined(separator: ",")
                case .int(let number): return String(number)
                case .bool(let flag): return flag ? "on" : "off"
                default: continue
                }
            } catch {
                failure = error
            }
        }
        guard failure != nil else { return nil }
        throw Self.wrongType(setting, fileName)
    }
}
