import Domain
import OkaeriWire

/// What tells of the server, and what it has nothing to say to.
struct ServiceController: Sendable {
    /// The version of Parse Server whose answers these are.
    private static let version = "7.3.0"

    /// `GET /config`: an app's configuration, of which there is none.
    func config(_ call: ParseCall) async throws -> ParseResponse { ParseResponse(["params": [:]]) }

    /// `GET /serverInfo`: what the dashboard asks first.
    func serverInfo(_ call: ParseCall) async throws -> ParseResponse {
        guard call.caller.isMaster else { throw ParseFault.needsMaster }
        let nothing: JSONValue = ["create": false, "read": false, "update": false, "delete": false]
        return ParseResponse([
            "features": [
                "globalConfig": nothing, "hooks": nothing, "cloudCode": ["jobs": false],
                "logs": ["level": false, "size": false, "order": false, "until": false, "from": false],
                "push": [
                    "immediatePush": false, "scheduledPush": false, "storedPushData": false, "pushAudiences": false,
                ],
                "schemas": [
                    "addField": false, "removeField": false, "addClass": false, "removeClass": false,
                    "clearAllDataFromClass": false, "exportClass": false, "editClassLevelPermissions": false,
                    "editPointerPermissions": false,
                ],
                "settings": ["securityCheck": false],
            ],
            "parseServerVersion": .string(Self.version),
        ])
    }

    /// `POST /challenge`: no provider here has one.
    func challenge(_ call: ParseCall) async throws -> ParseResponse {
        guard let asked = call.body["challengeData"] else { throw ParseFault(-1, "Nothing to challenge.") }
        guard case .object = asked else { throw ParseFault(-1, "challengeData should be an object.") }
        if let authData = call.body["authData"] {
            guard case .object = authData else { throw ParseFault(-1, "authData should be an object.") }
        }
        return ParseResponse(["challengeData": [:]])
    }
}
