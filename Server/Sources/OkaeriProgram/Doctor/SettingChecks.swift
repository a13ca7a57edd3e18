import OkaeriServer

/// Whether the settings suit each other.
struct SettingChecks {
    let settings: ServerSettings

    func findings() -> [Finding] {
        let address = settings.url(port: settings.port)
        return [
            .ok("settings", "All settings can be used; the server would listen on \(address)."),
            publicAddress,
            settings.hasRateLimits
                ? .ok("rate limits", "Rate limits are on.")
                : .warning(
                    "rate limits", "Rate limits are off: anyone who reaches the server can make users without end.",
                    advice: "Switch them on with \(Setting.rateLimits.variable)=on unless this is a load test."),
        ]
    }

    private var publicAddress: Finding {
        guard let publicURL = settings.publicURL else {
            return settings.isLoopback
                ? .ok("public address", "None is needed: only this machine reaches the server.")
                : .warning(
                    "public address", "The server listens beyond this machine and does not know its own address.",
                    advice: "Set \(Setting.publicURL.variable) to the address that the apps use, so that a proof made "
                        + "for another server is refused.")
        }
        guard publicURL.hasPrefix("https:") || settings.isLoopback else {
            return .warning(
                "public address", "\(publicURL) is not encrypted: whoever listens on the way can take sessions over.",
                advice: "Put a proxy with TLS in front of the server, and set an https address.")
        }
        return .ok("public address", "\(publicURL)")
    }
}
