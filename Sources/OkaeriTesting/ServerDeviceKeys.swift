import Foundation
import Okaeri
import OkaeriWire

extension InMemoryServer {
    /// `/v1/user/device-keys` and what is below it.
    func respondToDeviceKeys(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let (token, session) = try authenticate(request, &contents)
        let keys = contents.users[session.user]?.body.identities.filter { $0.provider == "device" } ?? []
        switch (request.method, request.url.path) {
        case ("GET", APIPath.deviceKeys):
            let bodies = keys.map { key -> DeviceKeyBody in
                let newest = contents.sessions.values
                    .filter { $0.user == session.user && $0.thumbprint == key.subject }.max { $0.number < $1.number }
                return DeviceKeyBody(
                    thumbprint: key.subject, isCurrent: key.subject == session.thumbprint, device: newest?.body.device,
                    addedAt: key.linkedAt, lastUsedAt: newest?.body.lastUsedAt)
            }
            return .json(200, DeviceKeyListResponse(deviceKeys: bodies))
        case ("DELETE", APIPath.deviceKeys):
            try checkPresence(request, session, contents)
            let before = keys.count
            removeKeys(of: session.user, keeping: session.thumbprint, "other_device_keys_removed", &contents)
            let after = contents.users[session.user]?.body.identities.count { $0.provider == "device" } ?? 0
            return .json(200, RemovedDeviceKeysResponse(removed: before - after))
        case ("DELETE", let path):
            try checkPresence(request, session, contents)
            guard let key = keys.first(where: { path == APIPath.deviceKey($0.subject) }) else {
                throw Refusal(404, .identityUnknown)
            }
            guard contents.hasWayIn(session.user, without: [key.subject]) else { throw Refusal(409, .lastWayIn) }
            contents.remove(key.subject, of: session.user, "device_key_removed", at: time(contents))
            contents.sessions = contents.sessions.filter {
                !($0.value.user == session.user && $0.value.thumbprint == key.subject) || $0.key == token
            }
            return TransportResponse(status: 204)
        default: throw Refusal(405, .methodNotAllowed)
        }
    }

    /// Ends every way into an account but one session and its key.
    func evict(
        from user: String, keeping token: String?, _ reason: String, _ contents: inout ServerContents
    ) -> EndedSessionsResponse {
        let others = contents.sessions.filter { $0.value.user == user && $0.key != token }
        let kept = token.flatMap { contents.sessions[$0]?.thumbprint }
        for other in others.keys { contents.sessions[other] = nil }
        let before = contents.usersByKey.count
        removeKeys(of: user, keeping: kept, reason, &contents)
        contents.transferCodes = contents.transferCodes.filter { $0.value.user != user }
        for index in contents.mails.indices where contents.mails[index].user == user {
            contents.mails[index].isVoid = true
        }
        return EndedSessionsResponse(ended: others.count, removedDeviceKeys: before - contents.usersByKey.count)
    }

    private func removeKeys(
        of user: String, keeping kept: String?, _ reason: String, _ contents: inout ServerContents
    ) {
        let going = contents.usersByKey.filter { $0.value == user && $0.key != kept }.keys
        guard contents.hasWayIn(user, without: Set(going)) else { return }
        for key in going {
            contents.remove(key, of: user, reason, at: time(contents))
            contents.sessions = contents.sessions.filter { $0.value.user != user || $0.value.thumbprint != key }
        }
    }

    /// Whether the owner is there: the session is fresh, or the user is anonymous and the request has a proof.
    func checkPresence(
        _ request: TransportRequest, _ session: ServerContents.StoredSession, _ contents: ServerContents
    ) throws(Refusal) {
        try checkConfirmed(session, contents)
        let isAnonymous = contents.users[session.user]?.body.isAnonymous ?? false
        if request.headers[HeaderName.proof] == nil || !isAnonymous { try checkFresh(session, contents) }
    }
}

extension ServerContents {
    /// Whether anything but some keys leads to a user.
    func hasWayIn(_ id: String, without keys: Set<String>) -> Bool {
        guard let user = users[id] else { return false }
        return user.body.identities.contains { $0.provider != "device" || !keys.contains($0.subject) }
            || user.password != nil || user.body.emailVerified
    }

    /// Removes a key, and remembers it.
    mutating func remove(_ key: String, of user: String, _ reason: String, at time: WireTime) {
        usersByKey[key] = nil
        users[user]?.body.identities.removeAll { $0.provider == "device" && $0.subject == key }
        removedKeys[key] = (reason, time)
    }
}

extension Refusal {
    init(_ removed: (reason: String, at: WireTime)) {
        var refusal = Refusal(403, .deviceKeyRemoved)
        refusal.problem.reason = removed.reason
        refusal.problem.removedAt = removed.at
        self = refusal
    }
}
