import Foundation
import OkaeriWire

extension SessionKeeper {
    /// A transfer code for the user.
    func issueTransferCode() async throws(OkaeriError) -> TransferCode {
        var call = APICall(.post, APIPath.transferCode)
        call.isProven = true
        let received = try await authenticated(call)
        return TransferCode(
            try received.response.decoded(TransferCodeResponse.self), clockOffset: clockOffset)
    }

    /// Makes the user's transfer code worthless.
    func withdrawTransferCode() async throws(OkaeriError) {
        _ = try await authenticated(APICall(.delete, APIPath.transferCode))
    }

    /// Joins the user that issued a code: alone among all processes, as every log-in. Cancelling the caller does not stop it: the
    /// key leads to that user by then.
    func redeemTransferCode(_ code: String, device: DeviceInfo?) async throws(OkaeriError) -> TransferResult {
        let turn = nextTurn()
        return try await logIn(in: turn) { () async throws(OkaeriError) in
            try await self.redeemAlone(code, device: device, turn)
        }
    }

    private func redeemAlone(
        _ code: String, device: DeviceInfo?, _ turn: LogInTurn
    ) async throws(OkaeriError) -> TransferResult {
        let record = try await readVault()
        let body = TransferLogInBody(code: code, device: (device ?? configuration.device).body)
        let call = try APICall(
            .post, APIPath.logInWithTransferCode, body: body, idempotencyKey: randomness.unguessableName())
        // The locked key of a registered user stays with that user.
        let slot = try await usableSlot(from: record.freshKeySlot ?? record.keySlot)
        // It does not count as tried: where all responses are lost, the next automatic log-in leads to the user of the code, who
        // may be a guest and have no device any more but this one.
        let key = try await deviceKey(slot)
        let raw = try await exchange(call, session: nil, key: key, tries: configuration.retry.maximumTries)
        let response = try raw.decoded(LogInResponse.self)
        try await check(response, in: turn)
        // A log-in of before the transfer would bring back a user to whom the key does not lead any more.
        handle(.replaced)
        let result = try await accept(response, after: record, keySlot: slot)
        readNoticeCount(raw)
        return TransferResult(welcome: result.welcome, leftUser: response.leftUser.map(LeftUser.init(_:)))
    }

    /// Takes a device out that joined by a transfer code.
    func undoTransfer(_ id: Notice.ID) async throws(OkaeriError) {
        _ = try await authenticated(APICall(.post, APIPath.undoTransfer, body: UndoTransferBody(transfer: id)))
    }
}

extension SessionKeeper {
    /// Notices that the person has not acknowledged.
    func pendingNotices() async throws(OkaeriError) -> [Notice] {
        let received = try await authenticated(APICall(.get, APIPath.notices))
        let pending = try received.response.decoded(NoticeListResponse.self).notices.map(Notice.init(_:))
        fetchedNotices = pending.count
        notices.publish(pending)
        return pending
    }

    /// Acknowledges a notice at the server.
    func acknowledge(_ id: Notice.ID) async throws(OkaeriError) {
        // Without a name the path would be that of all notices.
        guard !id.isEmpty else { return }
        _ = try await authenticated(APICall(.delete, APIPath.notice(id.pathSegment)))
        notices.forget(id)
        // What is left is fetched again when the server speaks of it.
        fetchedNotices = 0
    }

    /// Reads from a response how many notices there are.
    func readNoticeCount(_ response: TransportResponse) {
        announcedNotices = response.headers[HeaderName.notices].flatMap { Int($0, radix: 10) } ?? 0
        if announcedNotices == 0 { forgetNotices() }
        fetchNoticesIfWanted()
    }

    /// Keeps from later listeners what was for another user, or waits no longer.
    func forgetNotices() {
        announcedNotices = 0
        fetchedNotices = 0
        notices.publish([])
    }

    /// Fetches what waits, once, when somebody listens.
    func fetchNoticesIfWanted() {
        guard announcedNotices > 0, announcedNotices != fetchedNotices, noticeFetch == nil, notices.hasListeners else {
            return
        }
        // Nobody awaits this task: it ends with its one request. When that fails, the next response speaks of them again.
        noticeFetch = Task {
            _ = try? await self.pendingNotices()
            self.noticeFetch = nil
        }
    }
}
