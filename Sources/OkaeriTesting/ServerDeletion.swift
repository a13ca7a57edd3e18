import Foundation
import Okaeri
import OkaeriWire

extension TransportRequest {
    /// Whether a log-in brings a user back that asked to be deleted.
    var restores: Bool { headers[HeaderName.restore] == "true" }
}

extension InMemoryServer {
    func requestDeletion(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        try checkConfirmed(session, contents)
        let user = session.user
        let end = WireTime(millisecondsSince1970: time(contents).millisecondsSince1970 + 7 * 86_400_000)
        contents.users[user]?.erasedAt = end
        contents.sessions = contents.sessions.filter { $0.value.user != user }
        contents.transferCodes = contents.transferCodes.filter { $0.value.user != user }
        return .json(202, DeletionResponse(erasedAt: end))
    }

    /// Sees to it that a log-in does not lead to a user on the way out, unless it wishes that user back. One whose time
    /// has come is gone, as after the server's housekeeping.
    func restore(key thumbprint: String, isWished: Bool, _ contents: inout ServerContents) throws(Refusal) {
        guard let id = contents.usersByKey[thumbprint] else { return }
        try restore(id, isWished: isWished, &contents)
    }

    /// The same by the user's id.
    func restore(_ id: String, isWished: Bool, _ contents: inout ServerContents) throws(Refusal) {
        guard let end = contents.users[id]?.erasedAt else { return }
        guard time(contents).millisecondsSince1970 < end.millisecondsSince1970 else {
            contents.users[id] = nil
            contents.usersByKey = contents.usersByKey.filter { $0.value != id }
            return
        }
        guard isWished else { throw Refusal(403, .userDeleted, erasedAt: end) }
        contents.users[id]?.erasedAt = nil
    }

    func export(_ request: TransportRequest, _ contents: inout ServerContents) throws(Refusal) -> TransportResponse {
        let own = try authenticate(request, &contents)
        try checkConfirmed(own.session, contents)
        guard let user = contents.users[own.session.user] else { throw Refusal(401, .sessionInvalid) }
        let sessions = contents.sessions.filter { $0.value.user == own.session.user }
            .sorted { $0.value.number > $1.value.number }.map(\.value.body)
        let added = contents.transfers.filter { $0.user == own.session.user }.map(\.notice)
        return .json(
            200,
            ExportResponse(
                exportedAt: time(contents), application: application, user: user.body, sessions: sessions,
                devicesAdded: added, log: []))
    }
}
