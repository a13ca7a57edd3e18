import Foundation
import Okaeri
import OkaeriWire

extension ServerContents {
    /// A transfer code that waits.
    struct WaitingCode: Sendable {
        let user: String
        let expiresAt: WireTime
    }

    /// A device that joined a user by a transfer code.
    struct StoredTransfer: Sendable {
        let number: Int
        let user: String
        let thumbprint: String
        let code: String
        let leftUser: String?
        var notice: NoticeBody
        var isAcknowledged = false
        var isUndone = false
    }

    /// The transfers that a session's device has not acknowledged.
    func news(for session: StoredSession) -> [StoredTransfer] {
        transfers.filter { transfer in
            transfer.user == session.user && !transfer.isAcknowledged && !transfer.isUndone
                && transfer.concerns(session, users[session.user])
        }
    }
}

extension ServerContents.StoredTransfer {
    /// Whether a session's device was there before the new one.
    func concerns(_ session: ServerContents.StoredSession, _ user: ServerContents.StoredUser?) -> Bool {
        guard session.thumbprint != thumbprint else { return false }
        return session.number < number
            || user?.body.identities.contains {
                $0.subject == session.thumbprint && $0.linkedAt <= notice.createdAt
            } == true
    }
}

extension InMemoryServer {
    private static let day: Int64 = 86_400_000

    /// Refuses what the owner alone may do to a guest's device that joined by a transfer code, until an older device
    /// acknowledges the notice or the transfer cannot be undone any more.
    func checkConfirmed(_ session: ServerContents.StoredSession, _ contents: ServerContents) throws(Refusal) {
        guard contents.users[session.user]?.body.isAnonymous == true else { return }
        let own = contents.transfers.filter {
            $0.user == session.user && $0.thumbprint == session.thumbprint && !$0.isAcknowledged && !$0.isUndone
        }
        guard let end = own.compactMap(\.notice.undoUntil).max(), time(contents) < end else { return }
        var refusal = Refusal(403, .transferUnconfirmed)
        refusal.problem.undoUntil = end
        throw refusal
    }

    func issueTransferCode(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        try checkConfirmed(session, contents)
        try checkSecondFactor(session, contents)
        contents.transferCodes = contents.transferCodes.filter { $0.value.user != session.user }
        // The library's own alphabet; the real server's check character is not imitated.
        let alphabet = Array("34679ACDEFGHJKMNPQRTWXY")
        let characters = randomness.bytes(16).map { alphabet[Int(truncatingIfNeeded: $0) % alphabet.count] }
        let groups = stride(from: 0, to: 16, by: 4).map { String(characters[$0..<$0 + 4]) }
        let end = WireTime(millisecondsSince1970: time(contents).millisecondsSince1970 + Self.day)
        contents.transferCodes[groups.joined()] = .init(user: session.user, expiresAt: end)
        let code = groups.joined(separator: "-")
        return .json(
            201,
            TransferCodeResponse(
                code: code, expiresAt: end, link: nil,
                qrSVG: #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><title>\#(code)</title></svg>"#))
    }

    func redeemTransferCode(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let thumbprint = try checkProof(of: request, token: nil, &contents)
        let body = try read(TransferLogInBody.self, from: request.body ?? Data())
        let code = body.code.precomposedStringWithCompatibilityMapping.uppercased()
            .filter { $0.isLetter || $0.isNumber }
        guard code.count == 16 else {
            let problem = FieldProblem(field: "code", code: "not_a_transfer_code", detail: "16 letters and digits.")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
        if let before = contents.transfers.last(where: { $0.code == code && $0.thumbprint == thumbprint }),
            !before.isUndone, contents.usersByKey[thumbprint] == before.user
        {
            return try logIn(thumbprint, body.device, leftUser: before.leftUser, &contents)
        }
        let now = time(contents)
        guard let waiting = contents.transferCodes[code],
            now.millisecondsSince1970 < waiting.expiresAt.millisecondsSince1970,
            contents.users[waiting.user]?.isDisabled == false
        else { throw Refusal(403, .transferCodeRefused) }
        contents.transferCodes[code] = nil
        let left = contents.usersByKey[thumbprint].flatMap { $0 == waiting.user ? nil : $0 }
        guard contents.usersByKey[thumbprint] != waiting.user else {
            return try logIn(thumbprint, body.device, leftUser: nil, &contents)
        }
        if let left {
            contents.sessions = contents.sessions.filter { $0.value.user != left || $0.value.thumbprint != thumbprint }
            contents.users[left]?.body.identities.removeAll { $0.subject == thumbprint }
        }
        contents.usersByKey[thumbprint] = waiting.user
        contents.removedKeys[thumbprint] = nil
        contents.users[waiting.user]?.body.identities.append(
            IdentityBody(provider: "device", subject: thumbprint, linkedAt: now))
        let notice = NoticeBody(
            id: newName("t", 9), kind: NoticeBody.deviceAdded, createdAt: now, device: body.device,
            address: "192.0.2.1", undoUntil: WireTime(millisecondsSince1970: now.millisecondsSince1970 + Self.day))
        contents.transfers.append(
            .init(
                number: contents.newNumber(), user: waiting.user, thumbprint: thumbprint, code: code, leftUser: left,
                notice: notice))
        return try logIn(thumbprint, body.device, leftUser: left, &contents)
    }

    private func logIn(
        _ thumbprint: String, _ device: DeviceBody?, leftUser: String?, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        var response = try logInResponse(
            thumbprint, AutomaticLogInBody(device: device), createdWith: "transfer-code", &contents)
        response.leftUser = leftUser.map { id in
            let isOutOfReach = contents.users[id]?.body.identities.isEmpty ?? true
            let end = WireTime(millisecondsSince1970: time(contents).millisecondsSince1970 + 7 * Self.day)
            return LeftUserBody(id: id, erasedAt: isOutOfReach ? end : nil)
        }
        return .json(200, response)
    }

    func undoTransfer(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let id = try read(UndoTransferBody.self, from: request.body ?? Data()).transfer
        let user = contents.users[session.user]
        guard
            let index = contents.transfers.firstIndex(where: {
                $0.notice.id == id && $0.user == session.user && $0.concerns(session, user)
            })
        else { throw Refusal(404, .transferUnknown) }
        try checkConfirmed(session, contents)
        let transfer = contents.transfers[index]
        guard !transfer.isUndone else { return TransportResponse(status: 204) }
        let end = transfer.notice.undoUntil?.millisecondsSince1970 ?? 0
        guard time(contents).millisecondsSince1970 < end else { throw Refusal(409, .undoTooLate) }
        contents.transfers[index].isUndone = true
        contents.sessions = contents.sessions.filter {
            $0.value.user != session.user || $0.value.thumbprint != transfer.thumbprint
        }
        guard contents.usersByKey[transfer.thumbprint] == session.user else { return TransportResponse(status: 204) }
        contents.remove(transfer.thumbprint, of: session.user, "transfer_undone", at: time(contents))
        // Only a user whom nothing else leads to gets the key back.
        if let left = transfer.leftUser, contents.users[left] != nil, !contents.hasWayIn(left, without: []) {
            contents.usersByKey[transfer.thumbprint] = left
            contents.removedKeys[transfer.thumbprint] = nil
            let identity = IdentityBody(
                provider: "device", subject: transfer.thumbprint, linkedAt: time(contents))
            contents.users[left]?.body.identities.append(identity)
        }
        return TransportResponse(status: 204)
    }

    func acknowledge(
        _ id: Substring, _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let news = contents.news(for: session).map(\.notice.id)
        for index in contents.transfers.indices
        where contents.transfers[index].notice.id == id && news.contains(String(id)) {
            try checkConfirmed(session, contents)
            contents.transfers[index].isAcknowledged = true
        }
        return TransportResponse(status: 204)
    }

    /// Adds the number of notices to a response, as the server does.
    func tellNotices(_ response: TransportResponse, to request: TransportRequest, _ contents: ServerContents)
        -> TransportResponse
    {
        var token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        if token == nil { token = (try? JSONDecoder().decode(LogInResponse.self, from: response.body))?.session.token }
        guard let token, let session = contents.sessions[token] else { return response }
        let count = contents.news(for: session).count
        guard count > 0 else { return response }
        var response = response
        response.headers[HeaderName.notices] = String(count)
        return response
    }
}
