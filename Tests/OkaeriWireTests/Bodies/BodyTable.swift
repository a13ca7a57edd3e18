import Foundation
import OkaeriWire
import Testing

/// One body with all of its members, and what is known of each.
struct BodyCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// All members, with values that are read and written unchanged.
    let members: [String: JSONValue]
    /// The members without which the body is refused.
    let required: Set<String>
    /// Whether unknown members are refused: requests are closed, responses open.
    let isClosed: Bool
    /// Whether the values read from the first text equal those read after writing them once more.
    let survives: @Sendable (Data) throws -> Bool
    let rewritten: @Sendable (Data) throws -> Data
    /// Whether two texts are read as equal values.
    let areEqual: @Sendable (Data, Data) throws -> Bool

    var testDescription: String { name }

    init<Body: Codable & Hashable & Sendable>(
        _ type: Body.Type, _ members: [String: JSONValue], required: Set<String> = [], isClosed: Bool
    ) {
        name = "\(type)"
        self.members = members
        self.required = required
        self.isClosed = isClosed
        survives = { data in
            let body = try JSONDecoder().decode(type, from: data)
            let again = try JSONDecoder().decode(type, from: JSONEncoder().encode(body))
            return again == body && again.hashValue == body.hashValue
        }
        rewritten = { try JSONEncoder().encode(JSONDecoder().decode(type, from: $0)) }
        areEqual = { try JSONDecoder().decode(type, from: $0) == JSONDecoder().decode(type, from: $1) }
    }

    static func data(_ members: [String: JSONValue]) throws -> Data {
        try JSONEncoder().encode(JSONValue.object(members))
    }

    static func request<Body: Codable & Hashable & Sendable>(
        _ type: Body.Type, _ members: [String: JSONValue], _ required: Set<String> = []
    ) -> BodyCase {
        BodyCase(type, members, required: required, isClosed: true)
    }

    static func response<Body: Codable & Hashable & Sendable>(
        _ type: Body.Type, _ members: [String: JSONValue], optional: Set<String> = []
    ) -> BodyCase {
        BodyCase(type, members, required: Set(members.keys).subtracting(optional), isClosed: false)
    }
}

/// Every body of the API.
enum BodyTable {
    static let time: JSONValue = "2026-11-21T00:15:42.123Z"
    static let playerMembers: [String: JSONValue] = [
        "publicKeyUrl": "https://static.gc.apple.com/public-key/gc-prod-10.cer", "signature": "c2ln",
        "salt": "c2FsdA==",
        "timestamp": 1_764_000_000_000, "playerId": "T:_1", "bundleId": "com.example.app",
    ]
    static let player = JSONValue.object(playerMembers)
    static let device: JSONValue = [
        "name": "Hana's iPhone", "model": "iPhone17,1", "system": "iOS 19.1", "appVersion": "2",
    ]
    static let fields: JSONValue = ["level": 3, "town": "京都", "deep": ["list": [1, true, nil]]]
    static let user: JSONValue = [
        "id": "u", "isAnonymous": false, "username": "hana", "email": "hana@example.com", "emailVerified": true,
        "phone": "+819012345678", "phoneVerified": false, "displayName": "花子", "locale": "ja", "fields": fields,
        "identities": [["provider": "device", "subject": "thumb", "linkedAt": time]], "hasPassword": true,
        "createdAt": time, "updatedAt": time, "lastLogInAt": time, "previousLogInAt": time,
    ]
    static let newSession: JSONValue = ["id": "s", "token": "oks_x", "expiresAt": time, "idleSeconds": 60]
    static let session: JSONValue = [
        "id": "s", "isCurrent": true, "device": device, "address": "192.0.2.1", "protocol": "native",
        "createdWith": "automatic", "createdAt": time, "lastUsedAt": time, "expiresAt": time,
    ]
    static let notice: JSONValue = [
        "id": "n", "kind": "device_added", "createdAt": time, "device": device, "address": "192.0.2.1",
        "undoUntil": time,
    ]
    static let leftUser: JSONValue = ["id": "u", "erasedAt": time]

    static func members(_ value: JSONValue) -> [String: JSONValue] {
        if case .object(let members) = value { members } else { [:] }
    }

    static let requests: [BodyCase] = [
        .request(
            AutomaticLogInBody.self,
            ["device": device, "user": ["displayName": "花子", "locale": "ja", "fields": fields]]),
        .request(DeviceBody.self, members(device)),
        .request(NewUserBody.self, ["displayName": "花子", "locale": "ja", "fields": fields]),
        .request(
            SignUpBody.self,
            [
                "username": "hana", "email": "hana@example.com", "phone": "+81", "password": "secret",
                "displayName": "花子", "locale": "ja", "fields": fields, "device": device, "joinsDevice": true,
            ]),
        .request(
            PasswordLogInBody.self, ["identifier": "hana", "password": "p", "device": device, "joinsDevice": false],
            ["identifier", "password"]),
        .request(PasswordChangeBody.self, ["currentPassword": "old", "newPassword": "new"], ["newPassword"]),
        .request(MailOrderBody.self, ["email": "hana@example.com"], ["email"]),
        .request(
            LogInCodeBody.self, ["ticket": "t", "code": "12345678", "device": device, "joinsDevice": true],
            ["ticket", "code"]),
        .request(PasswordResetBody.self, ["token": "t", "newPassword": "p"], ["token", "newPassword"]),
        .request(EmailVerificationRequestBody.self, ["email": "hana@example.com"]),
        .request(EmailVerificationBody.self, ["code": "123456", "token": "t"]),
        .request(TransferLogInBody.self, ["code": "ACDE", "device": device], ["code"]),
        .request(UndoTransferBody.self, ["transfer": "n"], ["transfer"]),
        .request(MergePreviewBody.self, ["ticket": "t"], ["ticket"]),
        .request(MergeBody.self, ["ticket": "t", "choice": "merge"], ["ticket", "choice"]),
        .request(UndoMergeBody.self, ["merge": "m"], ["merge"]),
        .request(
            AdoptionBody.self, ["protocol": "ncmb", "token": "t", "device": device, "joinsDevice": true],
            ["protocol", "token"]),
        .request(TokenBody.self, ["audience": "shop", "isBound": true]),
        .request(
            ReauthenticationBody.self,
            ["password": "p", "code": "c", "ticket": "t", "provider": "apple", "credential": ["idToken": "jwt"]]),
        .request(
            ProviderLogInBody.self,
            [
                "idToken": "jwt", "nonce": "n", "authorizationCode": "c", "codeVerifier": "v", "redirectUri": "app:/",
                "clientId": "id", "accessToken": "a", "accessTokenSecret": "s", "state": "x",
                "gameCenter": player, "name": "Hana", "device": device, "joinsDevice": true, "user": ["locale": "ja"],
            ]),
        .request(
            ProviderLinkBody.self,
            [
                "idToken": "jwt", "nonce": "n", "authorizationCode": "c", "codeVerifier": "v", "redirectUri": "app:/",
                "clientId": "id", "accessToken": "a", "accessTokenSecret": "s", "state": "x",
                "gameCenter": player, "name": "Hana",
            ]),
        .request(
            PlayerSignatureBody.self, Self.playerMembers,
            ["publicKeyUrl", "signature", "salt", "timestamp", "playerId", "bundleId"]),
        .request(
            UpgradeBody.self,
            [
                "username": "hana", "email": "hana@example.com", "phone": "+81", "password": "secret",
                "displayName": "花子", "locale": nil, "fields": fields,
            ]),
        .request(
            UserPatchBody.self,
            [
                "displayName": "花子", "locale": nil, "fields": fields, "username": "hana", "email": nil, "phone": "+81",
            ]),
    ]

    static let responses: [BodyCase] = [
        .response(
            UserBody.self, members(user),
            optional: [
                "username", "email", "phone", "displayName", "locale", "lastLogInAt", "previousLogInAt",
            ]),
        .response(IdentityBody.self, ["provider": "apple", "subject": "s", "linkedAt": time]),
        .response(
            LogInResponse.self,
            ["isNew": false, "user": user, "previousLogInAt": time, "session": newSession, "leftUser": leftUser],
            optional: ["previousLogInAt", "leftUser"]),
        .response(NewSessionBody.self, members(newSession)),
        .response(SessionBody.self, members(session), optional: ["device", "address"]),
        .response(SessionListResponse.self, ["sessions": [session, session]]),
        .response(EndedSessionsResponse.self, ["ended": 3, "removedDeviceKeys": 1], optional: ["removedDeviceKeys"]),
        .response(
            DeviceKeyBody.self,
            ["thumbprint": "t", "isCurrent": true, "device": device, "addedAt": time, "lastUsedAt": time],
            optional: ["isCurrent", "device", "lastUsedAt"]),
        .response(RemovedDeviceKeysResponse.self, ["removed": 2]),
        .response(ReauthenticationResponse.self, ["session": newSession, "freshUntil": time]),
        .response(TokenResponse.self, ["accessToken": "jwt", "tokenType": "Bearer", "expiresIn": 600]),
        .response(
            KeyBody.self,
            ["kty": "EC", "crv": "P-256", "x": "x", "y": "y", "kid": "k", "use": "sig", "alg": "ES256"]),
        .response(NoticeListResponse.self, ["notices": [notice]]),
        .response(NoticeBody.self, members(notice), optional: ["device", "address", "undoUntil"]),
        .response(
            TransferCodeResponse.self, ["code": "ACDE", "expiresAt": time, "link": "app:/t", "qrSVG": "<svg/>"],
            optional: ["link"]),
        .response(LeftUserBody.self, members(leftUser), optional: ["erasedAt"]),
        .response(MergeOfferBody.self, ["ticket": "t", "expiresAt": time]),
        .response(MergePreviewResponse.self, ["current": user, "other": user, "merged": user, "expiresAt": time]),
        .response(
            MergeResponse.self, ["user": user, "session": newSession, "merge": "m", "leftUser": leftUser],
            optional: ["session", "merge", "leftUser"]),
        .response(LogInCodeRequestResponse.self, ["ticket": "t", "expiresInSeconds": 900]),
        .response(MailOrderResponse.self, ["expiresInSeconds": 900]),
        .response(DeletionResponse.self, ["erasedAt": time]),
        .response(PageAddressResponse.self, ["url": "https://example.com", "expiresAt": time]),
    ]
}
