public import OkaeriWire

extension OkaeriClient {
    /// What log-in screens must know of the application: its name, rules, fields, providers, theme. Nobody has to be
    /// logged in.
    ///
    /// - Throws: `OkaeriError`: `.applicationUnknown`.
    public func applicationProfile() async throws(OkaeriError) -> ApplicationProfile {
        try await keeper.applicationProfile()
    }
}

extension SessionKeeper {
    func applicationProfile() async throws(OkaeriError) -> ApplicationProfile {
        let call = APICall(.get, APIPath.applicationProfile)
        let response = try await exchange(call, session: nil, tries: configuration.retry.maximumTries)
        return try response.decoded(ApplicationProfile.self)
    }
}
