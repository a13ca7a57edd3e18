import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Merges of two users of one person.
struct MergesController: Sendable {
    let requests: NativeRequests
    let transfers: Transfers
    let accounts: Accounts

    /// `POST /v1/user/merge/preview`: what would become of two users.
    func preview(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let asked = try await requests.readJSON(MergePreviewBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "ticket", rule: .required)])
        }
        let preview = try await transfers.previewMerge(asked.ticket, by: caller)
        // The caller has proved to be both.
        func body(_ user: User) -> UserBody { UserBody(user.shown(to: .owner, in: caller.application)) }
        let answer = MergePreviewResponse(
            current: body(preview.current), other: body(preview.other), merged: body(preview.merged),
            expiresAt: preview.expiresAt.wire)
        return try JSONResponse(body: answer).response()
    }

    /// `POST /v1/user/merge`: keeps the current user, goes on as the other, or merges the current one into the other.
    func resolve(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let body = try await requests.readJSON(MergeBody.self, of: request, context) else {
            throw RequestError.membersInvalid(["ticket", "choice"].map { MemberFault(path: $0, rule: .required) })
        }
        guard let choice = MergeChoice(rawValue: body.choice) else {
            throw RequestError.membersInvalid([MemberFault(path: "choice", rule: .oneOf(MergeChoice.self))])
        }
        let address = requests.gate.client(of: request, context)
        try await accounts.rememberAttempt(
            try Attempt(name: try Attempt.name(of: request), body: body), by: caller, from: address)
        let resolution = try await transfers.resolveMerge(
            body.ticket, choice, by: caller, address: address,
            from: requests.origin(of: request, context))
        let answer = MergeResponse(
            user: UserBody(resolution.user.shown(to: .owner, in: caller.application)),
            session: resolution.logIn.map { LogInResponse($0).session },
            merge: resolution.merge?.rawValue,
            leftUser: resolution.leftUser.map { LeftUserBody(id: $0.id.rawValue, erasedAt: $0.erasedAt?.wire) })
        return try JSONResponse(body: answer).response()
    }

    /// `POST /v1/user/merge/undo`: takes a merge apart again.
    func undo(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let body = try await requests.readJSON(UndoMergeBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "merge", rule: .required)])
        }
        try await transfers.undoMerge(
            Identifier(rawValue: body.merge), by: caller, isProven: requests.isProven(request, context),
            from: requests.origin(of: request, context))
        return Response(status: .noContent)
    }
}
