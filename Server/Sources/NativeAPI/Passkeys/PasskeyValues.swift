package import Domain
package import HTTPSupport
package import OkaeriWire

extension PasskeyAssertion {
    /// - Throws: `RequestError.membersInvalid` for what is no base64url.
    package init(_ credential: PasskeyAuthentication) throws(RequestError) {
        let response = credential.response
        self.init(
            id: credential.id, clientData: try bytes(response.clientDataJSON, "clientDataJSON"),
            authenticatorData: try bytes(response.authenticatorData, "authenticatorData"),
            signature: try bytes(response.signature, "signature"), userHandle: response.userHandle)
    }
}

extension AddPasskey.Registration {
    /// - Throws: `RequestError.membersInvalid` for what is no base64url.
    package init(_ body: NewPasskeyBody) throws(RequestError) {
        let response = body.credential.response
        self.init(
            id: body.credential.id, clientData: try bytes(response.clientDataJSON, "clientDataJSON"),
            attestationObject: try bytes(response.attestationObject, "attestationObject"),
            transports: response.transports ?? [], name: body.name)
    }
}

private func bytes(_ text: String, _ member: String) throws(RequestError) -> [UInt8] {
    guard let bytes = Domain.Base64URL.bytes(of: text.utf8) else {
        throw .membersInvalid([MemberFault(path: "credential.response.\(member)", rule: .malformed)])
    }
    return bytes
}

extension PasskeyCreationOptions {
    package init(_ options: PasskeyRegistrationOptions) {
        self.init(
            rp: Entity(id: options.domain, name: options.applicationName),
            user: Entity(id: options.userHandle, name: options.userName, displayName: options.displayName),
            challenge: options.challenge, pubKeyCredParams: options.algorithms.map { Parameter(alg: $0) },
            timeout: options.lifetime.wholeMilliseconds,
            excludeCredentials: options.excluded.map { Descriptor(id: $0.id, transports: $0.transports) },
            authenticatorSelection: Selection(
                userVerification: Self.userVerification(isRequired: options.requiresUserVerification)))
        if options.demandsAttestation { attestation = "direct" }
    }

    fileprivate static func userVerification(isRequired: Bool) -> String { isRequired ? "required" : "preferred" }
}

extension OkaeriWire.PasskeyRequestOptions {
    package init(_ options: Domain.PasskeyRequestOptions) {
        self.init(
            challenge: options.challenge, timeout: options.lifetime.wholeMilliseconds, rpId: options.domain,
            userVerification: PasskeyCreationOptions.userVerification(isRequired: options.requiresUserVerification))
    }
}

extension PasskeyBody {
    init(_ passkey: Passkey) {
        self.init(
            id: passkey.id, name: passkey.name, aaguid: passkey.aaguid, transports: passkey.transports,
            isBackupEligible: passkey.isBackupEligible, isBackedUp: passkey.isBackedUp,
            createdAt: passkey.createdAt.wire, lastUsedAt: passkey.lastUsedAt?.wire)
    }
}

extension PasskeyFault {
    /// Names what is wrong, so that a developer need not guess.
    var field: FieldProblem {
        FieldProblem(field: "credential.\(member)", code: rule, detail: "The rule of WebAuthn level 3, §7.")
    }
}
