package import Domain
package import HTTPSupport
package import HTTPTypes

/// User management as Kii Cloud's SDKs and REST API had it. It only translates: the rules are the domain's.
package struct KiiAPI: ProtocolAdapter {
    let modules: Modules
    let requests: KiiRequests

    package init(modules: Modules, gate: ProtocolAuthenticator, readBody: BodyReader) {
        self.modules = modules
        requests = KiiRequests(gate: gate, readBody: readBody, modules)
    }

    package var surface: String { "kii" }

    package var errors: any ErrorRenderer { KiiErrors() }

    package var requestHeaders: [HTTPField.Name] { [.kiiApplication, .kiiKey, .kiiSDK] }

    package func owns(path: String) -> Bool { path == "/api" || path.hasPrefix("/api/") }

    /// JavaScript in browsers of any origin: the token travels in a header, so no origin is trusted by cookies.
    package var crossOriginHeaders: [HTTPField] { [HTTPField(name: .accessControlAllowOrigin, value: "*")] }

    package var preflightHeaders: [HTTPField] {
        [
            HTTPField(name: .accessControlAllowMethods, value: "GET, POST, PUT, DELETE, PATCH, HEAD"),
            HTTPField(
                name: .accessControlAllowHeaders,
                value: "authorization, content-type, accept, x-kii-appid, x-kii-appkey, x-kii-sdk"),
        ]
    }
}
