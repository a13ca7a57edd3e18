import Domain
import HTTPTypes
import OkaeriWire
import Testing

/// By apps of the mobile backends.
extension AccountChangeStep {
    private static let anonymous = #"{"authData":{"anonymous":{"id":"0A4F7C11-3D52-4E6B-9C8A-5B1E2F3D4C60"}}}"#
    private static let noAnonymous = #"{"authData":{"anonymous":null}}"#

    static let ncmb: [AccountChangeStep] = [
        AccountChangeStep(.signedUp, .ncmb, "POST /2013-09-01/users") { _ in
            Asked(
                body: #"{"userName":"mina","password":"s3cret"}"#, wrong: #"{"userName":"hana","password":"s3cret"}"#,
                makesUser: true, isOpen: true, status: 201)
        },
        member(.aclChanged, #"{"acl":{"*":{"read":true}}}"#),
        member(.identifiersChanged, #"{"userName":"mikan"}"#),
        member(.addressChanged, #"{"mailAddress":"new@example.com"}"#),
        member(.identityLinked, anonymous), member(.identityUnlinked, noAnonymous, after: anonymous),
        AccountChangeStep(.erasedAtOnce, .ncmb, "DELETE /2013-09-01/users/{objectId}") { world in
            Asked(
                path: "/2013-09-01/users/\(world.owner.logIn.user.id)", token: try await world.ownerToken(.ncmb))
        },
    ]

    private static func member(
        _ row: AccountChange, _ body: String, after first: String? = nil
    ) -> AccountChangeStep {
        AccountChangeStep(row, .ncmb, "PUT /2013-09-01/users/{objectId}") { world in
            let (path, token) = ("/2013-09-01/users/\(world.owner.logIn.user.id)", try await world.ownerToken(.ncmb))
            if let first {
                let made = try await world.ncmb(.put, path, first, token: token)
                try #require(made.status == 200, "\(made.text)")
            }
            return Asked(path: path, body: body, token: token)
        }
    }

    static let parse: [AccountChangeStep] = [
        AccountChangeStep(.signedUp, .parse, "POST /parse/users") { _ in
            Asked(
                body: #"{"username":"mina","password":"s3cret"}"#, wrong: #"{"username":"hana","password":"s3cret"}"#,
                makesUser: true, isOpen: true, status: 201)
        },
        object(.profileChanged, #"{"score":5}"#, isMaster: true),
        object(.aclChanged, #"{"ACL":{"*":{"read":true}}}"#), object(.identifiersChanged, #"{"username":"mikan"}"#),
        object(.addressChanged, #"{"email":"new@example.com"}"#), object(.passwordChanged, #"{"password":"n3w"}"#),
        object(.passwordChanged, #"{"password":"n3w"}"#, isMaster: true),
        object(.disabled, #"{"ACL":{}}"#, isMaster: true, also: [.aclChanged]),
        object(
            .enabled, #"{"ACL":{"*":{"read":true}}}"#, isMaster: true, after: #"{"ACL":{}}"#, also: [.aclChanged]),
        AccountChangeStep(.emailVerified, .parse, "PUT /parse/users/{objectId}") { world in
            try await world.forgetProofOfAddress()
            return Asked(
                path: "/parse/users/\(world.owner.logIn.user.id)", body: #"{"emailVerified":true}"#, isOperator: true)
        },
        AccountChangeStep(.rolesChanged, .parse, "PUT /parse/roles/{objectId}") { world in
            let role = try await world.role()
            let pointer = #"{"__type":"Pointer","className":"_User","objectId":"\#(world.owner.logIn.user.id)"}"#
            return Asked(
                path: "/parse/roles/\(role.id)",
                body: #"{"users":{"__op":"AddRelation","objects":[\#(pointer)]}}"#, isOperator: true)
        },
        object(.identityLinked, anonymous), object(.identityUnlinked, noAnonymous, after: anonymous),
        AccountChangeStep(.erasedAtOnce, .parse, "DELETE /parse/users/{objectId}") { world in
            Asked(path: "/parse/users/\(world.owner.logIn.user.id)", token: try await world.ownerToken(.parse))
        },
    ]

    private static func object(
        _ row: AccountChange, _ body: String, isMaster: Bool = false, after first: String? = nil,
        also: [AccountChange] = []
    ) -> AccountChangeStep {
        AccountChangeStep(row, .parse, "PUT /parse/users/{objectId}") { world in
            let path = "/parse/users/\(world.owner.logIn.user.id)"
            let token = isMaster ? nil : try await world.ownerToken(.parse)
            if let first {
                let made = try await world.parse(.put, path, first, token: token, isMaster: isMaster)
                try #require(made.status == 200, "\(made.text)")
            }
            return Asked(path: path, body: body, token: token, isOperator: isMaster, also: also)
        }
    }

    static let envelope: [AccountChangeStep] = [
        AccountChangeStep(.created, .envelope, "POST /user/signup") { _ in
            Asked(
                body: #"{"id":"mina","password":"s3cret","name":"Mina"}"#,
                wrong: #"{"id":"hana","password":"s3cret","name":"Mina"}"#, makesUser: true, isOpen: true)
        }
    ]
}

/// By apps of Kii Cloud.
extension AccountChangeStep {
    private static let app = "/api/apps/{appID}"
    private static let user = "\(app)/users/{user}"
    private static let number = "+819012345678"

    static let kii: [AccountChangeStep] = [
        AccountChangeStep(.created, .kii, "POST \(app)/users") { _ in
            Asked(
                path: EvictionWorld.kiiPath("/users"), body: #"{"loginName":"mina","password":"123ABC"}"#,
                wrong: #"{"loginName":"hana","password":"123ABC"}"#, makesUser: true, isOpen: true, status: 201)
        },
        AccountChangeStep(.signedUp, .kii, "POST \(app)/integration/facebook") { _ in
            Asked(
                path: EvictionWorld.kiiPath("/integration/facebook"), body: #"{"accessToken":"mina"}"#,
                type: "application/vnd.kii.AuthTokenFacebookRequest+json", wrong: #"{"accessToken":"wrong"}"#,
                makesUser: true, isOpen: true)
        },
        AccountChangeStep(.upgraded, .kii, "POST \(user)") { world in
            let pseudo = try await world.pseudoUser()
            return Asked(
                path: EvictionWorld.kiiPath("/users/\(pseudo.id)"),
                body: #"{"loginName":"mika_1","emailAddress":"mika@example.com","password":"123ABC"}"#,
                token: pseudo.token, user: pseudo.id)
        },
        owned(.profileChanged, "POST", "", #"{"score":5}"#, isOperator: true),
        owned(.identifiersChanged, "POST", "", #"{"loginName":"mikan_1"}"#),
        owned(.addressChanged, "PUT", "/email-address", #"{"emailAddress":"new@example.com"}"#, status: 204),
        owned(.disabled, "PUT", "/status", #"{"disabled":true}"#, isOperator: true, status: 204),
        owned(
            .enabled, "PUT", "/status", #"{"disabled":false}"#, isOperator: true, status: 204,
            after: { world in _ = try await world.admin.send("owner", .post, "\(world.userPath)/disable") }),
        owned(
            .passwordChanged, "PUT", "/password", #"{"oldPassword":"\#(password)","newPassword":"n3wpass"}"#,
            wrong: #"{"oldPassword":"something else","newPassword":"n3wpass"}"#, status: 204),
        owned(
            .identityLinked, "POST", "/facebook/link", #"{"accessToken":"hana"}"#,
            wrong: #"{"accessToken":"wrong"}"#, status: 204),
        owned(
            .identityUnlinked, "POST", "/facebook/unlink", nil, status: 204,
            after: { world in try await world.give(.facebook, "hana") }),
        owned(.erasedAtOnce, "DELETE", "", nil, status: 204),
    ]

    private static func owned(
        _ row: AccountChange, _ method: String, _ rest: String, _ body: String?, wrong: String? = nil,
        isOperator: Bool = false, status: Int = 200,
        after prepare: @escaping @Sendable (EvictionWorld) async throws -> Void = { _ in }
    ) -> AccountChangeStep {
        AccountChangeStep(row, .kii, "\(method) \(user)\(rest)") { world in
            try await prepare(world)
            return Asked(
                path: EvictionWorld.kiiPath("/users/\(world.owner.logIn.user.id)\(rest)"), body: body, wrong: wrong,
                token: isOperator ? nil : try await world.ownerToken(.kii), isOperator: isOperator, status: status)
        }
    }

    /// By a code that was mailed or texted.
    static let kiiByCode: [AccountChangeStep] = [
        AccountChangeStep(.passwordReset, .kii, "POST \(user)/password/complete-reset") { world in
            try await world.givePhone(number)
            let ordered = try await world.kii(
                .post, EvictionWorld.kiiPath("/users/PHONE:\(number)/password/request-reset"),
                #"{"notificationMethod":"SMS","smsResetMethod":"PIN"}"#)
            try #require(ordered.status == 204, "\(ordered.text)")
            let code = try await world.textedCode(number)
            return Asked(
                path: EvictionWorld.kiiPath("/users/\(world.owner.logIn.user.id)/password/complete-reset"),
                body: #"{"pinCode":"\#(code)","newPassword":"n3wpass"}"#,
                wrong: #"{"pinCode":"00000000","newPassword":"n3wpass"}"#, isOpen: true, endsSoon: true, status: 204)
        },
        verification(.emailVerified, "email-address") { world in
            try await world.decide("kii") { $0.demandsVerifiedEmail = true }
            let user = try await world.kiiUser("mika_1", #","emailAddress":"mika@example.com""#)
            return (user, try await world.mailedToken(to: "mika@example.com"))
        },
        verification(.emailReplaced, "email-address") { world in
            try await world.decide("kii") { $0.demandsVerifiedEmail = true }
            let token = try await world.ownerToken(.kii)
            let changed = try await world.kii(
                .put, EvictionWorld.kiiPath("/users/me/email-address"), #"{"emailAddress":"new@example.com"}"#,
                token: token)
            try #require(changed.status == 204, "\(changed.text)")
            return ((world.owner.logIn.user.id, token), try await world.mailedToken(to: "new@example.com"))
        },
        verification(.phoneVerified, "phone-number") { world in
            try await world.decide("kii") { $0.demandsVerifiedPhone = true }
            let user = try await world.kiiUser("mika_1", #","phoneNumber":"\#(number)""#)
            return (user, try await world.textedCode(number))
        },
        verification(.phoneReplaced, "phone-number") { world in
            try await world.decide("kii") { $0.demandsVerifiedPhone = true }
            try await world.givePhone(number)
            let token = try await world.ownerToken(.kii)
            let changed = try await world.kii(
                .put, EvictionWorld.kiiPath("/users/me/phone-number"), #"{"phoneNumber":"+819011112222"}"#,
                token: token)
            try #require(changed.status == 204, "\(changed.text)")
            return ((world.owner.logIn.user.id, token), try await world.textedCode("+819011112222"))
        },
    ]

    private static func verification(
        _ row: AccountChange, _ address: String,
        _ prepare: @escaping @Sendable (EvictionWorld) async throws -> (user: (id: String, token: String), code: String)
    ) -> AccountChangeStep {
        AccountChangeStep(row, .kii, "POST \(user)/\(address)/verify") { world in
            let (user, code) = try await prepare(world)
            return Asked(
                path: EvictionWorld.kiiPath("/users/me/\(address)/verify"),
                body: #"{"verificationCode":"\#(code)"}"#,
                type: "application/vnd.kii.AddressVerificationRequest+json",
                wrong: #"{"verificationCode":"000000"}"#, token: user.token, user: user.id, endsSoon: true)
        }
    }
}
