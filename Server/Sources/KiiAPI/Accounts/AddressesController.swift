import Domain
import Hummingbird
import enum OkaeriWire.JSONValue

/// Mail addresses, or phone numbers: read, changed, verified.
final class AddressesController: Sendable {
    private let accounts: Accounts
    private let messages: AddressMessages
    private let codes: VerificationCodes
    private let recordReading: RecordReading
    private let kind: AddressKind

    /// What stands behind the link of a mail is longer than any code that is typed.
    private static let leastTokenBytes = 20

    init(_ modules: Modules, kind: AddressKind) {
        accounts = modules.accounts
        messages = AddressMessages(modules)
        codes = modules.messaging.verificationCodes
        recordReading = modules.directory.recordReading
        self.kind = kind
    }

    /// `GET …/email-address`, `GET …/phone-number`
    func read(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        return KiiResponse.response(
            [
                kind.member: .string(try kind.address(of: user)),
                "verified": .bool(kind.counts(of: user, request.options)),
            ], .ok, kind.mediaType)
    }

    /// `PUT …/email-address`, `PUT …/phone-number`: another address. It counts at once, unless it must be verified; an
    /// administrator says whether it is.
    func change(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        let body = try await request.body()
        var asked = try addressAlone(of: body, over: user)
        let pending = try await messages.takePending(&asked.identifiers, of: user, request)
        var edit = UserEdit(compatible: .unchanged, identifiers: asked.identifiers)
        edit.password = .first(nil)
        if request.caller.isAdministrator {
            switch kind {
            case .email: edit.isEmailVerified = try body.truth("verified")
            case .phone: edit.isPhoneVerified = try body.truth("verified")
            }
        }
        do {
            try messages.require(pending, of: user, request)
            let changed = try await accounts.editUser(
                edit, of: user.id, in: request.application, by: request.author(of: user)
            ).user
            try await messages.send(pending, after: changed, from: user, request)
        } catch {
            throw request.refusal(error)
        }
        return KiiResponse.nothing
    }

    private func addressAlone(of body: KiiBody, over user: User) throws -> KiiProfile {
        var address: [String: JSONValue] = [kind.member: .string(try body.requiredText(kind.member))]
        address["country"] = body.members["country"]
        return try KiiProfile(KiiBody(members: address), over: user)
    }

    /// The address that waits to be verified; `nil` where the present one is all there is.
    ///
    /// - Throws: `KiiFault` 404 when there is none, `storageUnavailable`.
    private func pendingAddress(of user: User) async throws -> String? {
        let pending = try await accounts.findPendingAddress(of: user, by: kind.mailKind)
        if pending == nil { _ = try kind.address(of: user) }
        return pending
    }

    /// `POST …/email-address/verify`, `POST …/phone-number/verify`
    func verify(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        let pending = try await pendingAddress(of: user)
        let code = try await request.body().requiredText("verificationCode")
        guard !kind.isVerified(of: user) || pending != nil, let session = request.caller.session else {
            throw KiiFault(
                400, "INVALID_ACCOUNT_STATUS", "InvalidAccountStatus", "The address needs no verification",
                [("userID", user.id.rawValue), ("appID", request.appID), ("accountType", kind.member)])
        }
        do {
            switch kind {
            case .email:
                try await accounts.verifyEmail(
                    code.utf8.count < Self.leastTokenBytes ? .code(code, by: session) : .token(code, of: user.id),
                    in: request.application, from: request.client, origin: request.origin)
            case .phone:
                try await accounts.verifyPhone(code, by: session, from: request.client, origin: request.origin)
            }
        } catch {
            guard case .codeRefused = error else { throw error }
            throw KiiFault.wrongCode(code, in: request.appID)
        }
        return KiiResponse.response(["verificationStatus": "VERIFIED"])
    }

    /// `POST …/email-address/resend-verification`, `POST …/phone-number/resend-verification`: orders a mail or a text
    /// message with a code.
    func resend(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        let pending = try await pendingAddress(of: user)
        // Another code for an address that waits is ordered like the first one.
        try messages.require(pending.map { [kind: $0] } ?? [:], of: user, request)
        try await messages.order(kind, pending, of: user, by: request.caller.session, request)
        return KiiResponse.nothing
    }

    /// `GET …/verification-code`, for administrators: the code that is good now.
    func readCode(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        _ = try await pendingAddress(of: user)
        try await record(request, of: user)
        return try Self.response(try await codes.read(kind.mailKind, of: user, in: request.application))
    }

    /// `POST …/reset-verification-code`, for administrators: another code, which no message says.
    func resetCode(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        _ = try await pendingAddress(of: user)
        try await record(request, of: user)
        return try Self.response(try await codes.renew(kind.mailKind, of: user, in: request.application))
    }

    /// Before the code is read: what cannot be recorded does not happen.
    private func record(_ request: KiiRequest, of user: User) async throws {
        try await recordReading(
            of: user.id, in: request.application.id, by: Operator(actor: .protocolKey(.kii), origin: request.origin))
    }

    private static func response(_ code: Secret?) throws(KiiFault) -> Response {
        guard let code else {
            throw KiiFault(
                404, "VERIFICATION_CODE_NOT_FOUND", "VerificationCodeNotFound", "No code waits to be typed")
        }
        return KiiResponse.response(["verificationCode": .string(code.revealed)])
    }
}
