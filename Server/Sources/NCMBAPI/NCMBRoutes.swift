import Domain
package import HTTPSupport
import HTTPTypes

extension NCMBAPI {
    /// Every endpoint.
    package var routes: [Route] {
        [
            Route(.post, "\(Self.base)/users", SignUpMemberRoute(api: self)),
            Route(.get, "\(Self.base)/users", SearchMembersRoute(api: self)),
            Route(.get, "\(Self.base)/users/{objectId}", ReadMemberRoute(api: self)),
            Route(.put, "\(Self.base)/users/{objectId}", UpdateMemberRoute(api: self)),
            Route(.delete, "\(Self.base)/users/{objectId}", DeleteMemberRoute(api: self)),
            Route(.post, "\(Self.base)/login", LogInMemberRoute(api: self)),
            Route(.get, "\(Self.base)/login", LogInMemberByQueryRoute(api: self)),
            Route(.get, "\(Self.base)/logout", LogOutMemberRoute(api: self)),
            Route(.post, "\(Self.base)/requestMailAddressUserEntry", RegistrationMailRoute(api: self)),
            Route(.post, "\(Self.base)/requestPasswordReset", PasswordResetMailRoute(api: self)),
            Route(.get, "\(Self.base)/classes/user", MembersAsClassRoute(api: self)),
            Route(.post, "\(Self.base)/classes/user", MembersAsClassRoute(api: self)),
        ]
    }
}
