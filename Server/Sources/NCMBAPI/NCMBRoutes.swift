import Domain
package import HTTPSupport
import HTTPTypes

extension NCMBAPI {
    /// Every endpoint.
    package var routes: [Route] {
        [
            Route(.post, "\(Self.base)/users", .application, SignUpMemberRoute(api: self).respond),
            Route(.get, "\(Self.base)/users", .application, SearchMembersRoute(api: self).respond),
            Route(.get, "\(Self.base)/users/{objectId}", .application, ReadMemberRoute(api: self).respond),
            Route(.put, "\(Self.base)/users/{objectId}", .session, UpdateMemberRoute(api: self).respond),
            Route(.delete, "\(Self.base)/users/{objectId}", .session, DeleteMemberRoute(api: self).respond),
            Route(.post, "\(Self.base)/login", .application, LogInMemberRoute(api: self).respond),
            Route(.get, "\(Self.base)/login", .application, LogInMemberByQueryRoute(api: self).respond),
            Route(.get, "\(Self.base)/logout", .session, LogOutMemberRoute(api: self).respond),
            Route(
                .post, "\(Self.base)/requestMailAddressUserEntry", .application,
                RegistrationMailRoute(api: self).respond),
            Route(.post, "\(Self.base)/requestPasswordReset", .application, PasswordResetMailRoute(api: self).respond),
            Route(.get, "\(Self.base)/classes/user", .application, MembersAsClassRoute(api: self).respond),
            Route(.post, "\(Self.base)/classes/user", .application, MembersAsClassRoute(api: self).respond),
        ]
    }
}
