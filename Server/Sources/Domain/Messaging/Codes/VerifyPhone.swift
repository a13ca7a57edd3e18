/// Takes the code of a text message: the number is the user's now, and shown to be.
package struct VerifyPhone: Sendable {
    let tryCode: TryCode
    let editUser: EditUser
    let changes: AccountChanges

    /// - Parameters:
    ///   - code: As typed.
    ///   - who: In whose session.
    ///   - client: Who tries.
    ///   - origin: Where the request came from, for the audit log.
    /// - Throws: `codeRefused`, also when the user has another number by now; `identifiersTaken` when somebody else has the
    ///   number by now; `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ code: String, by who: Authenticated, from client: ClientAddress, origin: RequestOrigin
    ) async throws(DomainError) {
        let (id, application) = (who.user.id, who.application)
        var presented = TryCode.Presented(.phoneVerification, in: application.id, .user(id), code, from: client)
        presented.refusal = changes.refusal(of: .phoneVerified, in: application.id, from: origin)
        var ready: ReadyEdit?
        if let (code, user) = try await tryCode.owner(of: presented) {
            ready = try await editUser.ready(
                UserEdit(proving: LogInIdentifier(.phone, shown: code.address)), of: user, in: application,
                by: .holder(of: id, showing: .code, from: origin, keeping: KeptAccess(who))
                    .ordered(by: .session(who.session)))
        }
        let edit = ready
        try await tryCode(presented) { _, user, transaction throws(DomainError) in
            _ = try edit?.store(user, keeping: KeptAccess(who), in: transaction)
        }
    }
}
