import Domain
import Foundation
import OkaeriServer

/// Whether the settings suit each other.
struct SettingChecks {
    let settings: ServerSettings

    func findings() -> [Finding] {
        let address = settings.url(port: settings.port)
        return [
            .ok("settings", "All settings can be used; the server would listen on \(address)."),
            variables, publicAddress, pages, proxies, outboundCalls,
            settings.hasRateLimits
                ? .ok("rate limits", "Rate limits are on.")
                : .warning(
                    "rate limits", "Rate limits are off: anyone who reaches the server can make users without end.",
                    advice: "Switch them on with \(Setting.rateLimits.variable)=on unless this is a load test."),
        ]
    }

    private var variables: Finding {
        let unknown = UnknownVariable.all(in: ProcessInfo.processInfo.environment, beside: BackupVariable.all)
        guard !unknown.isEmpty else {
            return .ok("variables", "Every variable OKAERI_… of the environment is a setting.")
        }
        return .warning(
            "variables", unknown.map(\.description).joined(separator: " "),
            advice: "“okaeri serve --help” shows all settings with their variables.")
    }

    private var proxies: Finding {
        guard !settings.boundlessNetworks.contains(.trustedProxies) else {
            return .warning(
                "proxies",
                "Everybody counts as a proxy: who reaches the server can say which address they come from, and passes by all "
                    + "limits for an address.",
                advice: "Name the proxies' own addresses in \(Setting.trustedProxies.variable).")
        }
        guard settings.hidesProxy else { return .ok("proxies", "Clients' addresses are known.") }
        return .warning(
            "proxies",
            "The public address is https, which a proxy must speak, and no proxy is listed: all clients count as one, and "
                + "Parse's master key is not taken from this machine.",
            advice: "Name the proxy's address in \(Setting.trustedProxies.variable); it must set X-Forwarded-For.")
    }

    /// Where a virtual machine's or container's credentials are served.
    private static let metadata = ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"]

    private static func contains(_ address: IPAddress, _ networks: [IPNetwork]) -> Bool {
        networks.contains { $0.contains(address) }
    }

    private var outboundCalls: Finding {
        let networks = settings.privateNetworks
        guard !networks.isEmpty else {
            return .ok("outbound calls", "Providers that applications name are asked at public addresses alone.")
        }
        let exposed = Self.metadata.filter { text in IPAddress(text).map { Self.contains($0, networks) } ?? false }
        guard exposed.isEmpty else {
            return .warning(
                "outbound calls",
                "Providers may be asked at \(exposed.joined(separator: ", ")), where clouds tell machines their credentials.",
                advice: "Name narrower networks in \(Setting.privateNetworks.variable).")
        }
        return .ok(
            "outbound calls", "Providers may be asked in \(networks.count.counted("network")) beside the public ones.")
    }

    /// Browsers drop the cookies of pages that come by plain http from another machine.
    private var pages: Finding {
        if settings.isPublicURLEncrypted { return .ok("pages", "Browsers open the pages by https.") }
        guard !settings.isLoopback else { return .ok("pages", "Browsers on this machine open the pages.") }
        // A public address counts whatever a proxy says.
        guard settings.publicURL != nil || settings.trustedProxies.isEmpty else {
            return .ok("pages", "Browsers open the pages by https, where a listed proxy says so in X-Forwarded-Proto.")
        }
        return .warning(
            "pages",
            "Browsers keep no session without https: dashboard and pages work on this machine alone, at "
                + "\(settings.url(port: settings.port)).",
            advice: "Put a proxy with TLS in front of the server, and set \(Setting.publicURL.variable) to its https "
                + "address.")
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
        guard settings.isPublicURLEncrypted || settings.isLoopback else {
            return .warning(
                "public address",
                "\(publicURL) is not encrypted: anybody who listens on the way can take sessions over.",
                advice: "Put a proxy with TLS in front of the server, and set an https address.")
        }
        guard settings.hasPublicPath else { return .ok("public address", "\(publicURL)") }
        return .ok(
            "public address",
            "\(publicURL). Browsers need /a, /assets and /dashboard of its host as they are, too.")
    }
}
