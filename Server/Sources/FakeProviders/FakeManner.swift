import enum OkaeriWire.JSONValue

extension FakeOpenID {
    /// What is one provider's own beside OpenID Connect, as its documentation says.
    package struct Manner: Sendable {
        /// Access tokens of LINE live for 30 days; how long does not matter to the others.
        static let accessTokenSeconds: Int64 = 2_592_000

        var title = "OpenID Connect"
        /// Whether the description says where the client secret goes.
        var describesSecret = true
        /// HS256 with the client secret for codes.
        var signsWithSecret = false
        var hasAccessTokenHash = false
        var hasAuthenticationTime = false
        var hasAudienceList = false
        var verifiesAccessTokens = false
        var wrongClient = FakeResponse.refusal("invalid_client", status: 401)
        var wrongCode = FakeResponse.refusal("invalid_grant")

        package init() {}

        /// LINE Login v2.1.
        package static let line: Manner = {
            var manner = Manner()
            manner.title = "LINE"
            manner.describesSecret = false
            manner.signsWithSecret = true
            manner.verifiesAccessTokens = true
            manner.wrongClient = .refusal("invalid_client", more: ["error_description": "invalid client_secret"])
            manner.wrongCode = .refusal("invalid_grant", more: ["error_description": "invalid authorization code"])
            return manner
        }()

        /// Kakao Login.
        package static let kakao: Manner = {
            var manner = Manner()
            manner.title = "Kakao"
            manner.hasAuthenticationTime = true
            manner.wrongClient = .refusal(
                "invalid_client", status: 401,
                more: ["error_description": "Not exist client_id", "error_code": "KOE101"])
            manner.wrongCode = .refusal(
                "invalid_grant",
                more: ["error_description": "authorization code not found", "error_code": "KOE320"])
            return manner
        }()

        /// Yahoo! ID連携 v2.
        package static let yahooJapan: Manner = {
            var manner = Manner()
            manner.title = "Yahoo! JAPAN ID"
            manner.hasAccessTokenHash = true
            manner.hasAuthenticationTime = true
            manner.hasAudienceList = true
            return manner
        }()
    }
}
