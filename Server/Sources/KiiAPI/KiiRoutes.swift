package import HTTPSupport
import HTTPTypes

extension KiiAPI {
    private static let app = "/api/apps/{appID}"
    private static let user = "/api/apps/{appID}/users/{user}"

    /// Every endpoint.
    package var routes: [Route] {
        let user = Self.user
        return [
            Route(.post, "/api/oauth2/token", TokenRoute(api: self)),
            Route(.post, Self.app + "/oauth2/token", TokenRoute(api: self)),
            Route(.post, Self.app + "/users", RegisterRoute(api: self)),
            Route(.post, Self.app + "/users/query", QueryUsersRoute(api: self)),
            Route(.get, user, ReadUserRoute(api: self)),
            Route(.post, user, UpdateUserRoute(api: self)),
            Route(.put, user, UpdateUserRoute(api: self)),
            Route(.delete, user, DeleteUserRoute(api: self)),
            Route(.get, user + "/status", ReadStatusRoute(api: self)),
            Route(.put, user + "/status", ChangeStatusRoute(api: self)),
            Route(.put, user + "/password", ChangePasswordRoute(api: self)),
            Route(.post, user + "/password/request-reset", RequestResetRoute(api: self)),
            Route(.post, user + "/password/reset", RequestResetRoute(api: self)),
            Route(.post, user + "/password/complete-reset", CompleteResetRoute(api: self)),
        ] + AddressKind.allCases.flatMap(addressRoutes) + KiiProvider.allCases.flatMap(providerRoutes)
    }

    private func addressRoutes(_ kind: AddressKind) -> [Route] {
        let address = "\(Self.user)/\(kind.pathName)"
        return [
            Route(.get, address, ReadAddressRoute(api: self, kind: kind)),
            Route(.put, address, ChangeAddressRoute(api: self, kind: kind)),
            Route(.post, address + "/verify", VerifyAddressRoute(api: self, kind: kind)),
            Route(.post, address + "/resend-verification", ResendRoute(api: self, kind: kind)),
            Route(.get, address + "/verification-code", NotServedRoute(api: self)),
            Route(.post, address + "/reset-verification-code", NotServedRoute(api: self)),
        ]
    }

    private func providerRoutes(_ provider: KiiProvider) -> [Route] {
        [
            Route(
                .post, "\(Self.app)/integration/\(provider.rawValue)", IntegrationRoute(api: self, provider: provider)),
            Route(.post, "\(Self.user)/\(provider.rawValue)/link", LinkRoute(api: self, provider: provider)),
            Route(.post, "\(Self.user)/\(provider.rawValue)/unlink", UnlinkRoute(api: self, provider: provider)),
        ]
    }
}
