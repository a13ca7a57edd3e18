import Domain
package import HTTPSupport
import HTTPTypes
import Hummingbird

extension NCMBAPI {
    /// Every endpoint: what its caller must bring along, method, path, and the controller's method.
    package var routes: [Route] {
        let mails = MailsController(requests, modules)
        let members = MembersController(requests, modules, mails: mails)
        let search = SearchController(requests, modules)
        let sessions = SessionsController(requests, modules)
        return [
            application(.post, "/users", members.create),
            application(.get, "/users", search.members).withLongResponse(),
            application(.get, "/users/{objectId}", members.read),
            session(.put, "/users/{objectId}", members.update),
            session(.delete, "/users/{objectId}", members.delete),
            application(.post, "/login", sessions.create),
            application(.get, "/login", sessions.createByQuery),
            Route(.get, "\(Self.base)/logout", .session) { [requests] request, context in
                try await sessions.end(try await requests.caller(of: request, context), request, context)
            },
            application(.post, "/requestMailAddressUserEntry", mails.register),
            application(.post, "/requestPasswordReset", mails.resetPassword),
            application(.get, "/classes/user", search.membersAsClass).withLongResponse(),
            application(.post, "/classes/user", search.membersAsClass).withLongResponse(),
        ]
    }

    /// A route whose caller signs with the keys of an application.
    private func application(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (NCMBCaller, Request, ServerContext) async throws -> Response
    ) -> Route {
        Route(method, Self.base + path, .application) { [requests] request, context in
            try await handler(try await requests.caller(of: request, context), request, context)
        }
    }

    /// A route whose caller has a session too; without one only what everybody may is done.
    private func session(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (NCMBCaller, Authenticated?, Request, ServerContext) async throws -> Response
    ) -> Route {
        Route(method, Self.base + path, .session) { [requests] request, context in
            let caller = try await requests.caller(of: request, context)
            let member = try await requests.member(of: request, context, for: caller)
            return try await handler(caller, member, request, context)
        }
    }
}
