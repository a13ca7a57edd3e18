/// The response to `POST /v1/user/transfer-code`: the only time that the code is sent.
public struct TransferCodeResponse: Codable, Hashable, Sendable {
    /// The code as it is shown: four groups of four characters, `ACDE-FGHJ-KMNP-QRTW`.
    public var code: String
    /// When it ends, redeemed or not.
    public var expiresAt: WireTime
    /// The code as a link into the app; `nil` when the application has no pattern for it.
    public var link: String?
    /// A QR code of the link, or of the code alone, as an SVG document.
    public var qrSVG: String

    /// Makes a response.
    public init(code: String, expiresAt: WireTime, link: String?, qrSVG: String) {
        self.code = code
        self.expiresAt = expiresAt
        self.link = link
        self.qrSVG = qrSVG
    }
}

/// The body of `POST /v1/log-in/transfer-code`.
public struct TransferLogInBody: Codable, Hashable, Sendable {
    /// What the person typed: case, spaces, hyphens and full-width forms make no difference.
    public var code: String
    /// What the session remembers of the device, and what the user's other devices show.
    public var device: DeviceBody?

    /// Makes a body.
    public init(code: String, device: DeviceBody? = nil) {
        self.code = code
        self.device = device
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case code, device }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        code = try members.decode(String.self, forKey: .code)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
    }
}

/// The user that a device's key led to before it joined another one.
public struct LeftUserBody: Codable, Hashable, Sendable {
    /// The user's id.
    public var id: String
    /// When it is erased, because nothing leads to it any more; `nil` when something does.
    public var erasedAt: WireTime?

    /// Makes a description.
    public init(id: String, erasedAt: WireTime?) {
        self.id = id
        self.erasedAt = erasedAt
    }
}

/// The body of `POST /v1/user/transfer-code/undo`.
public struct UndoTransferBody: Codable, Hashable, Sendable {
    /// The id of the notice of the transfer.
    public var transfer: String

    /// Makes a body.
    public init(transfer: String) {
        self.transfer = transfer
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case transfer }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        transfer = try decoder.closedContainer(keyedBy: CodingKeys.self).decode(String.self, forKey: .transfer)
    }
}
