import ArgumentParser
import OkaeriServer

/// What a command line says for one setting.
struct GivenSetting: Sendable {
    let setting: Setting
    let value: String
}

extension Option where Value == GivenSetting? {
    /// The option of a setting: name, value and help are those of its row in `Setting`.
    init(_ setting: Setting) {
        self.init(
            wrappedValue: nil, name: .customLong(setting.name), help: ArgumentHelp(setting),
            transform: { text throws -> GivenSetting in GivenSetting(setting: setting, value: text) })
    }
}

/// Options, some or all of which are settings.
protocol SettingHolder {
    /// What the options of settings say, here and in the groups of options within, by setting name.
    var given: [String: String] { get }
}

extension SettingHolder {
    var given: [String: String] {
        var values: [String: String] = [:]
        for child in Mirror(reflecting: self).children {
            if let option = child.value as? Option<GivenSetting?>, let given = option.wrappedValue {
                values[given.setting.name] = given.value
            } else if let group = child.value as? any SettingHolder {
                values.merge(group.given) { $1 }
            }
        }
        return values
    }
}

extension OptionGroup: SettingHolder where Value: SettingHolder {
    var given: [String: String] { wrappedValue.given }
}

extension ArgumentHelp {
    /// A setting's description, with its default and its variable.
    init(_ setting: Setting) {
        var remarks = [setting.variable]
        if let value = setting.defaultValue, !value.isEmpty {
            remarks.append("default: " + [value, setting.unit].compactMap { $0 }.joined(separator: " "))
        } else if let unit = setting.unit {
            remarks.append(unit)
        }
        self.init("\(setting.description) (\(remarks.joined(separator: "; ")))", valueName: setting.form)
    }
}
