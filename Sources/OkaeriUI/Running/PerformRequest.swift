public import Okaeri
import OkaeriWire

/// Where the credentials of providers come from: a sheet of the system, or the provider's own library.
public protocol ProviderCredentials: Sendable {
    /// Asks the person, there.
    ///
    /// - Parameter provider: Which one.
    /// - Returns: What it gave.
    /// - Throws: `OkaeriError.cancelled` when the person closed the sheet, which is no failure.
    func credential(for provider: Provider) async throws(OkaeriError) -> ProviderCredential
}

/// No providers at all.
public struct NoProviders: ProviderCredentials {
    /// Makes none.
    public init() {}

    /// Refuses.
    public func credential(for provider: Provider) async throws(OkaeriError) -> ProviderCredential {
        throw .providerRefused(.providerNotEnabled)
    }
}

/// Asks the server for what a model wants: the only file where screens meet the client.
package struct PerformRequest: Sendable {
    package let client: OkaeriClient
    package let credentials: any ProviderCredentials
    package let saved: (any SavedCredentials)?
    package let web: WebLogInWay?
    package let passkeys: (any PasskeyAuthenticator)?

    package init(
        client: OkaeriClient, credentials: any ProviderCredentials, saved: (any SavedCredentials)? = nil,
        web: WebLogInWay? = nil, passkeys: (any PasskeyAuthenticator)? = nil
    ) {
        self.client = client
        self.credentials = credentials
        self.saved = saved
        self.web = web
        self.passkeys = passkeys
    }

    package func callAsFunction(_ request: ScreenRequest) async throws(OkaeriError) -> ScreenResponse {
        switch request {
        case .logIn(let identifier, let password, let rememberMe, let restoring):
            return .welcome(
                try await client.logIn(
                    identifier: identifier, password: password.revealed, rememberMe: rememberMe, restoring: restoring))
        case .signUp(let values, let rememberMe):
            return .user(
                try await client.signUp(
                    username: values.username, email: values.email, phone: values.phone,
                    password: values.password.revealed,
                    user: NewUser(displayName: values.displayName, fields: values.fields), rememberMe: rememberMe))
        case .upgrade(let values):
            return .user(
                try await client.upgrade(
                    username: values.username, email: values.email, phone: values.phone,
                    password: values.password.revealed,
                    changes: UserChanges(
                        displayName: values.displayName.map { .set($0) } ?? .unchanged, fields: values.fields)))
        case .provider(let provider, let use): return try await perform(use, provider)
        case .logInWithSaved(let rememberMe, let restoring):
            return try await logInWithSaved(rememberMe, restoring: restoring)
        case .logInAutomatically:
            await client.replaceLostKey()
            return .welcome(try await client.logInAutomatically())
        case .logInAsNewGuest:
            // Nobody who has logged in meanwhile, in another window, is logged out for it: a guest would be lost.
            if await client.currentUser == nil { await client.useNewDeviceKey() }
            return .welcome(try await client.logInAutomatically())
        case .logInOnPages(let identifier): return .welcome(try await logInOnPages(identifier))
        case .requestLogInCode(let email): return .codeRequest(try await client.requestLogInCode(email: email))
        case .logInWithCode(let code, let order, let rememberMe, let restoring):
            return .welcome(
                try await client.logIn(
                    code: code.revealed, for: order, rememberMe: rememberMe, restoring: restoring))
        case .requestPasswordReset(let email):
            try await client.requestPasswordReset(email: email)
        case .resetPassword(let token, let password):
            try await client.resetPassword(token: token.revealed, newPassword: password.revealed)
        case .requestEmailVerification: try await client.requestEmailVerification()
        case .verifyEmail(let code): return .user(try await client.verifyEmail(code: code.revealed))
        case .logInWithPasskey(let restoring):
            return .welcome(try await client.logIn(with: try await passkeyProof(), restoring: restoring))
        case .logInWithChosenPasskey(let proof, let restoring):
            return .welcome(try await client.logIn(with: proof, restoring: restoring))
        default: return try await performForUser(request)
        }
        return .done
    }

    private func passkeyProof() async throws(OkaeriError) -> PasskeyProof {
        // An app that shows the button without passkeys behind it finds out in its first test.
        guard let passkeys else { throw .passkeyRefused(.unavailable) }
        return try await client.passkeyProof(from: passkeys)
    }

    private func addPasskey() async throws(OkaeriError) -> ScreenResponse {
        guard let passkeys else { throw .passkeyRefused(.unavailable) }
        let device = DeviceInfo.thisDevice
        let passkey = try await client.addPasskey(named: device.name ?? device.model, with: passkeys)
        return .passkeyAdded(passkey, await client.currentUser)
    }

    private func performForUser(_ request: ScreenRequest) async throws(OkaeriError) -> ScreenResponse {
        switch request {
        case .preview(let conflict): return .preview(try await client.preview(conflict))
        case .resolve(let conflict, let choice): return .resolved(try await client.resolve(conflict, by: choice))
        case .undoMerge(let merge):
            try await client.undoMerge(merge)
            return .mergeUndone(await client.currentUser)
        case .issueTransferCode: return .transferCode(try await client.issueTransferCode())
        case .withdrawTransferCode: try await client.withdrawTransferCode()
        case .redeemTransferCode(let code):
            return .transferred(try await client.redeemTransferCode(code.revealed))
        case .transferNotices:
            return .transferNotices(try await client.pendingNotices().filter { $0.kind == .deviceAdded })
        case .acknowledgeTransfer(let id): try await client.acknowledge(id)
        case .undoTransfer(let id): try await client.undoTransfer(id)
        case .sessions: return .sessions(try await client.sessions())
        case .endSession(let id): try await client.endSession(id)
        case .endOtherSessions: return .ended(count: try await client.endOtherSessions())
        case .deviceKeys: return .deviceKeys(try await client.deviceKeys())
        case .removeDeviceKey(let id): try await client.removeDeviceKey(id)
        case .removeOtherDeviceKeys: return .ended(count: try await client.removeOtherDeviceKeys())
        case .addPasskey: return try await addPasskey()
        case .passkeys: return .passkeys(try await client.passkeys())
        case .renamePasskey(let id, let name): return .passkey(try await client.renamePasskey(id, to: name))
        case .removePasskey(let id): try await client.removePasskey(id, from: passkeys)
        case .reauthenticateWithPasskey: try await client.reauthenticate(with: try await passkeyProof())
        case .secondFactors, .requestTOTP, .confirmTOTP, .removeSecondFactor, .replaceRecoveryCodes,
            .logInWithSecondFactor, .reauthenticateWithSecondFactor:
            return try await performSecondFactor(request)
        case .deleteUser: return .erasedAt(try await client.deleteUser())
        case .restoreUser: return .welcome(try await client.restoreUser())
        case .exportUser: return .export(try await client.exportUser())
        case .reauthenticate(let password): try await client.reauthenticate(password: password?.revealed)
        case .reauthenticateWithCode(let code, let order):
            try await client.reauthenticate(code: code.revealed, for: order)
        case .logIn, .logInWithSaved, .signUp, .upgrade, .provider, .logInAutomatically, .logInAsNewGuest,
            .logInOnPages, .requestLogInCode, .logInWithCode,
            .requestPasswordReset, .resetPassword, .requestEmailVerification, .verifyEmail, .logInWithPasskey,
            .logInWithChosenPasskey:
            return try await callAsFunction(request)
        }
        return .done
    }

    private func performSecondFactor(_ request: ScreenRequest) async throws(OkaeriError) -> ScreenResponse {
        switch request {
        case .logInWithSecondFactor(let proof, let challenge):
            return .welcome(try await client.logIn(secondFactor: proof, for: challenge))
        case .requestTOTP(let challenge?): return .totpOffer(try await client.requestTOTP(for: challenge))
        case .requestTOTP(nil): return .totpOffer(try await client.requestTOTP())
        case .confirmTOTP(let offer, let code, let challenge?):
            return .secondFactorLogIn(
                try await client.logIn(confirming: offer, code: code.revealed, for: challenge))
        case .confirmTOTP(let offer, let code, nil):
            return .secondFactorAdded(try await client.addTOTP(offer, code: code.revealed).recoveryCodes)
        case .secondFactors: return .secondFactors(try await client.secondFactors())
        case .removeSecondFactor(let id): try await client.removeSecondFactor(id)
        case .replaceRecoveryCodes: return .recoveryCodes(try await client.replaceRecoveryCodes())
        case .reauthenticateWithSecondFactor(let proof): try await client.reauthenticate(secondFactor: proof)
        default: return try await callAsFunction(request)
        }
        return .done
    }

    private func logInWithSaved(_ rememberMe: RememberMe, restoring: Bool) async throws(OkaeriError) -> ScreenResponse {
        // Where the app names no source, nothing is saved.
        guard let saved else { throw .cancelled }
        let found: SavedCredential
        do throws(OkaeriError) {
            found = try await saved.savedCredential()
        } catch {
            // Nobody has asked for it: a system that offers nothing, because it has no Apple account for example, is no failure.
            throw .cancelled
        }
        switch found {
        case .apple(let credential):
            let welcome = try await client.logIn(with: .apple(credential), restoring: restoring)
            return .loggedIn(welcome, by: .provider(.apple))
        case .password(let known):
            let welcome = try await client.logIn(
                identifier: known.identifier, password: known.password.revealed, rememberMe: rememberMe,
                restoring: restoring)
            return .loggedIn(welcome, by: .password)
        }
    }

    private func logInOnPages(_ identifier: String) async throws(OkaeriError) -> Welcome {
        // An app that shows the button without a browser behind it finds out in its first test.
        guard let web else { throw .webLogInRefused(.pagesUnavailable) }
        return try await client.logIn(
            through: web.browser, redirect: web.redirect,
            options: WebLogInOptions(identifier: identifier.isEmpty ? nil : identifier))
    }

    private func perform(_ use: ProviderUse, _ provider: Provider) async throws(OkaeriError) -> ScreenResponse {
        let before = await client.currentUser?.id
        let credential = try await credentials.credential(for: provider)
        switch use {
        case .logIn(let restoring):
            return .welcome(try await client.logIn(with: credential, restoring: restoring))
        case .link:
            // Somebody else may have logged in while the sheet was open: the account there is not theirs. A guest whose
            // automatic log-in ended meanwhile is nobody else; where nobody is logged in, the client's own error counts.
            if let present = await client.currentUser, present.id != before, before != nil || !present.isAnonymous {
                throw .userChanged
            }
            return .user(try await client.link(credential))
        case .reauthenticate:
            try await client.reauthenticate(with: credential)
            return .done
        }
    }
}
