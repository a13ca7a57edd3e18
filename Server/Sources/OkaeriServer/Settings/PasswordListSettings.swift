package import Domain
import OutboundServices
package import PasswordHashes

/// Where the lists of leaked passwords are.
package struct PasswordListSettings: Sendable {
    /// Opened when the settings are read; `nil` without one.
    package var filter: PasswordFilter?
    /// Without a slash at its end.
    package var rangeURL: String?
    package var failure: BreachCheckedPasswords.Failure

    /// Somebody waits for the answer: no call waits for a thread, or for a name server that says nothing.
    static let limits = CurlStreams.Limits(connecting: .seconds(1), silence: .seconds(2), whole: .seconds(2))

    /// - Throws: `SettingFault` for values that break their rules, and for a file that is no filter.
    init(_ reader: SettingReader) throws(SettingFault) {
        if let path = try reader.optional(.passwordFilter, { $0.isEmpty ? nil : $0 }) {
            do throws(PasswordFilterFault) {
                filter = try PasswordFilter(path: path)
            } catch {
                throw SettingFault("\(Setting.passwordFilter.name): \(error)")
            }
        }
        rangeURL = try reader.optional(.passwordRangeURL) { text in
            let url = text.hasSuffix("/") ? String(text.dropLast()) : text
            return EgressPolicy.isOperatorURL(url) ? url : nil
        }
        failure = try reader.required(.passwordListFailure) { BreachCheckedPasswords.Failure(rawValue: $0) }
    }

    /// What hashes passwords, with the lists that there are.
    ///
    /// - Parameters:
    ///   - hashing: Does the work.
    ///   - call: Asks the service.
    /// - Returns: `nil` when there is no list.
    func checked(_ hashing: any PasswordHashing, call: any WebCaller) -> BreachCheckedPasswords? {
        var lists: [any BreachedPasswords] = []
        if let filter { lists.append(filter) }
        if let rangeURL { lists.append(BreachedPasswordRange(url: rangeURL, call: call)) }
        return lists.isEmpty ? nil : BreachCheckedPasswords(hashing, lists: lists, failure: failure)
    }
}
