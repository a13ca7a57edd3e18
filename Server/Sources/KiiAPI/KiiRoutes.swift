package import HTTPSupport
import HTTPTypes

extension KiiAPI {
    private static let app = "/api/apps/{appID}"
    private static let user = "/api/apps/{appID}/users/{user}"

    /// Every endpoint.
    package var routes: [Route] {
        let user = Self.user
        return [
            Route(.post, "/api/oauth2/token", .application, TokenRoute(api: self).respond),
            Route(.post, Self.app + "/oauth2/token", .application, TokenRoute(api: self).respond),
            Route(.post, Self.app + "/users", .application, RegisterRoute(api: self).respond),
            Route(.post, Self.app + "/users/query", .application, QueryUsersRoute(api: self).respond),
            Route(.get, user, .application, ReadUserRoute(api: self).respond),
            Route(.post, user, .session, UpdateUserRoute(api: self).respond),
            Route(.put, user, .session, UpdateUserRoute(api: self).respond),
            Route(.delete, user, .session, DeleteUserRoute(api: self).respond),
            Route(.get, user + "/status", .application, ReadStatusRoute(api: self).respond),
            Route(.put, user + "/status", .session, ChangeStatusRoute(api: self).respond),
            Route(.put, user + "/password", .session, ChangePasswordRoute(api: self).respond),
            Route(.post, user + "/password/request-reset", .application, RequestResetRoute(api: self).respond),
            Route(.post, user + "/password/reset", .application, RequestResetRoute(api: self).respond),
            Route(.post, user + "/password/complete-reset", .application, CompleteResetRoute(api: self).respond),
        ] + AddressKind.allCases.flatMap(addressRoutes) + KiiProvider.allCases.flatMap(providerRoutes)
    }

    private func addressRoutes(_ kind: AddressKind) -> [Route] {
        let address = "\(Self.user)/\(kind.pathName)"
        return [
            Route(.get, address, .application, ReadAddressRoute(api: self, kind: kind).respond),
            Route(.put, address, .session, ChangeAddressRoute(api: self, kind: kind).respond),
            Route(.post, address + "/verify", .application, VerifyAddressRoute(api: self, kind: kind).respond),
            Route(.post, address + "/resend-verification", .application, ResendRoute(api: self, kind: kind).respond),
            Route(.get, address + "/verification-code", .application, NotServedRoute(api: self).respond),
            Route(.post, address + "/reset-verification-code", .application, NotServedRoute(api: self).respond),
        ]
    }

    private func providerRoutes(_ provider: KiiProvider) -> [Route] {
        [
            Route(
                .post, "\(Self.app)/integration/\(provider.rawValue)", .application,
                IntegrationRoute(api: self, provider: provider).respond),
            Route(
                .post, "\(Self.user)/\(provider.rawValue)/link", .session,
                LinkRoute(api: self, provider: provider).respond),
            Route(
                .post, "\(Self.user)/\(provider.rawValue)/unlink", .session,
                UnlinkRoute(api: self, provider: provider).respond),
        ]
    }
}
