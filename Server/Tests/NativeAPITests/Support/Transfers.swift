import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

extension Person {
    /// Asks for a transfer code.
    func issueCode(sourceLocation: SourceLocation = #_sourceLocation) async throws -> TransferCodeResponse {
        let answer = try await send(.post, APIPath.transferCode)
        try #require(answer.status == 201, "\(answer.text)", sourceLocation: sourceLocation)
        return try answer.read(TransferCodeResponse.self)
    }

    /// The notices that the device has not acknowledged.
    func notices() async throws -> [NoticeBody] {
        try await send(.get, APIPath.notices).read(NoticeListResponse.self).notices
    }

    /// Acknowledges the devices that joined by a transfer code, as the person who has both phones in hand.
    ///
    /// - Returns: what was acknowledged.
    @discardableResult
    func acknowledgeNotices() async throws -> [NoticeBody] {
        let all = try await notices()
        for notice in all { #expect(try await send(.delete, APIPath.notice(notice.id)).status == 204) }
        return all
    }

    func undo(_ transfer: String) async throws -> Answer {
        try await send(.post, APIPath.undoTransfer, body: #"{"transfer": "\#(transfer)"}"#)
    }
}

extension TestServer {
    /// Enters a transfer code on a device.
    func redeem(
        _ code: String, on device: ProofMaker, name: String? = nil, attempt: String? = nil, peer: String = "192.0.2.1",
        isNamed: Bool = true, _ headers: [(String, String)] = []
    ) async throws -> Answer {
        var body = TransferLogInBody(code: code)
        if let name { body.device = DeviceBody(name: name) }
        let proof = try device.proof("POST", url(APIPath.logInWithTransferCode), at: clock.now)
        var headers = headers + [("DPoP", proof)]
        if let attempt { headers.append(("Idempotency-Key", attempt)) }
        return try await send(
            .post, APIPath.logInWithTransferCode, headers, bytes: Array(try JSONEncoder().encode(body)), peer: peer,
            isNamed: isNamed)
    }

    /// Enters a code that leads somewhere.
    func joined(
        _ code: String, on device: ProofMaker, name: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Person {
        let answer = try await redeem(code, on: device, name: name)
        try #require(answer.status == 200, "\(answer.text)", sourceLocation: sourceLocation)
        return Person(server: self, device: device, logIn: try answer.read(LogInResponse.self))
    }
}

extension Answer {
    /// How many notices wait, as the header tells it.
    var noticeCount: String? { headers[HTTPField.Name("Okaeri-Notices") ?? .contentType] }
}
