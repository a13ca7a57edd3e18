import Foundation
import Okaeri
import OkaeriWire

extension ServerContents {
    /// A conflict that can be resolved.
    struct MergeTicket: Sendable {
        let user: String
        let other: String
        let expiresAt: WireTime
    }

    /// What a merge changed, to be undone.
    struct StoredMerge: Sendable {
        let user: String
        let before: StoredUser
        let left: StoredUser
        let keys: Set<String>
    }
}

/// Two users of one person. The application's rules are the standard: what the other user has stays.
extension InMemoryServer {
    private static let week: Int64 = 7 * 86_400_000

    /// The refusal that tells of a conflict: with a ticket, when nothing stands against going on with the other user, as a second
    /// factor does.
    func conflict(
        _ user: String, _ other: String, _ code: ErrorCode, errors: [FieldProblem]? = nil,
        _ contents: inout ServerContents
    ) -> Refusal {
        guard let found = contents.users[other], !found.isDisabled, found.erasedAt == nil,
            !contents.secondFactors.areNeeded(by: found.body)
        else { return Refusal(409, code, errors: errors) }
        let end = WireTime(millisecondsSince1970: time(contents).millisecondsSince1970 + 600_000)
        let ticket = "okm_" + newName("", 32)
        contents.mergeTickets[ticket] = .init(user: user, other: other, expiresAt: end)
        return Refusal(409, code, errors: errors, merge: MergeOfferBody(ticket: ticket, expiresAt: end))
    }

    func previewMerge(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let body = try read(MergePreviewBody.self, from: request.body ?? Data())
        let (ticket, current, other) = try parties(of: body.ticket, session, contents)
        return .json(
            200,
            MergePreviewResponse(
                current: current.body, other: other.body, merged: merged(other, with: current).body,
                expiresAt: ticket.expiresAt))
    }

    func resolveMerge(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let (token, session) = try authenticate(request, &contents)
        let body = try read(MergeBody.self, from: request.body ?? Data())
        if body.choice == MergeChoice.keep.rawValue, contents.keptTickets[body.ticket] == session.user,
            let kept = contents.users[session.user]
        {
            return .json(200, MergeResponse(user: kept.body, session: nil, merge: nil, leftUser: nil))
        }
        let (_, current, other) = try parties(of: body.ticket, session, contents)
        guard let choice = MergeChoice(rawValue: body.choice) else {
            let problem = FieldProblem(field: "choice", code: "malformed", detail: "One of keep, switch, merge.")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
        if choice == .merge, !current.body.isAnonymous { throw Refusal(409, .alreadyRegistered) }
        contents.mergeTickets[body.ticket] = nil
        guard choice != .keep else {
            contents.keptTickets[body.ticket] = session.user
            return .json(200, MergeResponse(user: current.body, session: nil, merge: nil, leftUser: nil))
        }
        let own = Set(contents.usersByKey.filter { $0.value == current.body.id }.keys)
        let keys = choice == .merge ? own : own.intersection([session.thumbprint].compactMap { $0 })
        var stays = choice == .merge ? merged(other, with: current) : other
        var left = current
        for identity in current.body.identities where keys.contains(identity.subject) {
            contents.usersByKey[identity.subject] = other.body.id
            left.body.identities.removeAll { $0 == identity }
            if !stays.body.identities.contains(identity) { stays.body.identities.append(identity) }
        }
        var merge: String?
        if choice == .merge {
            let name = newName("m", 9)
            contents.merges[name] = .init(user: other.body.id, before: other, left: current, keys: keys)
            merge = name
        }
        if choice == .merge || left.body.isAnonymous && left.body.identities.isEmpty {
            left.erasedAt = WireTime(millisecondsSince1970: time(contents).millisecondsSince1970 + Self.week)
        }
        contents.users[left.body.id] = left
        contents.users[stays.body.id] = stays
        contents.sessions = contents.sessions.filter { entry in
            entry.key != token && !(choice == .merge && entry.value.user == left.body.id)
        }
        let opened = openSession(
            of: stays.body, contents.newNumber(), session.thumbprint, session.body.device, by: "merge", &contents)
        return .json(
            200,
            MergeResponse(
                user: stays.body, session: opened, merge: merge,
                leftUser: LeftUserBody(id: left.body.id, erasedAt: left.erasedAt)))
    }

    func undoMerge(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let body = try read(UndoMergeBody.self, from: request.body ?? Data())
        try checkFresh(session, contents)
        guard let merge = contents.merges[body.merge], merge.user == session.user else {
            throw Refusal(404, .mergeUnknown)
        }
        contents.merges[body.merge] = nil
        contents.users[merge.user] = merge.before
        contents.users[merge.left.body.id] = merge.left
        for key in merge.keys { contents.usersByKey[key] = merge.left.body.id }
        contents.sessions = contents.sessions.filter { entry in
            entry.value.user != merge.user || !(entry.value.thumbprint.map(merge.keys.contains) ?? false)
        }
        return TransportResponse(status: 204)
    }

    private func parties(
        of text: String, _ session: ServerContents.StoredSession, _ contents: ServerContents
    ) throws(Refusal) -> (ServerContents.MergeTicket, ServerContents.StoredUser, ServerContents.StoredUser) {
        guard let ticket = contents.mergeTickets[text], ticket.user == session.user,
            time(contents).millisecondsSince1970 < ticket.expiresAt.millisecondsSince1970,
            let current = contents.users[ticket.user], let other = contents.users[ticket.other],
            other.erasedAt == nil, !other.isDisabled
        else { throw Refusal(403, .mergeTicketRefused) }
        return (ticket, current, other)
    }

    private func merged(
        _ other: ServerContents.StoredUser, with current: ServerContents.StoredUser
    ) -> ServerContents.StoredUser {
        var user = other
        user.body.displayName = other.body.displayName ?? current.body.displayName
        user.body.locale = other.body.locale ?? current.body.locale
        user.body.fields = current.body.fields.merging(other.body.fields) { $1 }
        user.body.identities += current.body.identities
        return user
    }
}
