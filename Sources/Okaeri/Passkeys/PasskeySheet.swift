#if canImport(AuthenticationServices) && !os(watchOS)
    public import AuthenticationServices
    public import Foundation

    /// The system's passkeys: those of the iCloud Keychain and of other password managers. The app needs the entitlement
    /// for associated domains with `webcredentials:DOMAIN`; see `ApplicationProfile/passkeys`.
    ///
    /// ```swift
    /// try await okaeri.addPasskey(named: "My phone", with: PasskeySheet(anchor: window))
    /// ```
    @MainActor
    public final class PasskeySheet: PasskeyAuthenticator {
        private let anchor: ASPresentationAnchor
        private var shown: PasskeyCeremony?

        /// Makes a sheet that is not shown yet.
        ///
        /// - Parameter anchor: The window that the sheet belongs to.
        public init(anchor: ASPresentationAnchor) {
            self.anchor = anchor
        }

        /// Makes a passkey.
        ///
        /// - Throws: `OkaeriError.cancelled` when the person closed the sheet or one is shown already, `.passkeyRefused`
        ///   with the reason.
        public func create(_ request: PasskeyCreation) async throws(OkaeriError) -> CreatedPasskey {
            // The system makes keys of ES256 alone.
            guard request.algorithms.contains(-7) else { throw .passkeyRefused(.unavailable) }
            let made = try await perform(.sheet, Self.provider(request.domain).registration(request))
            guard case .created(let passkey) = made else { throw .passkeyRefused(.unavailable) }
            return passkey
        }

        /// Shows a passkey.
        ///
        /// - Throws: `OkaeriError.cancelled` when the person closed the sheet, one is shown already, or there is none for
        ///   ``PasskeyPresentation/ifAvailable``; `.passkeyRefused` with the reason.
        public func assert(_ request: PasskeyRequest) async throws(OkaeriError) -> PasskeyAssertion {
            let shown = try await perform(request.presentation, Self.provider(request.domain).assertion(request))
            guard case .shown(let assertion) = shown else { throw .passkeyRefused(.unavailable) }
            return assertion
        }

        /// Tells the system that a passkey leads to nobody, where it takes that: iOS 26, macOS 26 and visionOS 26.
        public func forget(_ credential: Data, of domain: String) async {
            #if compiler(>=6.2) && !os(tvOS)
                if #available(iOS 26.0, macOS 26.0, visionOS 26.0, *) {
                    // A system that does not take it goes on offering the passkey, which the server refuses.
                    try? await ASCredentialUpdater().reportUnknownPublicKeyCredential(
                        relyingPartyIdentifier: domain, credentialID: credential)
                }
            #endif
        }

        private static func provider(_ domain: String) -> ASAuthorizationPlatformPublicKeyCredentialProvider {
            ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
        }

        private func perform(
            _ presentation: PasskeyPresentation, _ request: ASAuthorizationRequest
        ) async throws(OkaeriError) -> PasskeyCeremony.Outcome {
            guard shown == nil, !Task.isCancelled else { throw .cancelled }
            let ceremony = PasskeyCeremony(anchor: anchor, request)
            shown = ceremony
            defer { shown = nil }
            return try await ceremony.perform(presentation)
        }
    }

    extension ASAuthorizationPlatformPublicKeyCredentialProvider {
        fileprivate func registration(_ wanted: PasskeyCreation) -> ASAuthorizationRequest {
            let request = createCredentialRegistrationRequest(
                challenge: wanted.challenge, name: wanted.userName, userID: wanted.userHandle)
            request.displayName = wanted.displayName
            request.userVerificationPreference = .init(rawValue: wanted.userVerification.rawValue)
            if #available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *) {
                request.excludedCredentials = wanted.excluded.map {
                    ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
                }
            }
            return request
        }

        fileprivate func assertion(_ wanted: PasskeyRequest) -> ASAuthorizationRequest {
            let request = createCredentialAssertionRequest(challenge: wanted.challenge)
            request.userVerificationPreference = .init(rawValue: wanted.userVerification.rawValue)
            return request
        }
    }

    /// One showing of the sheet, or one offer above the keyboard.
    @MainActor
    private final class PasskeyCeremony: NSObject {
        /// What the system gave.
        enum Outcome: Sendable {
            case created(CreatedPasskey)
            case shown(PasskeyAssertion)
        }

        private let anchor: ASPresentationAnchor
        private let controller: ASAuthorizationController
        private var waiting: CheckedContinuation<Result<PasskeyCeremony.Outcome, OkaeriError>, Never>?

        init(anchor: ASPresentationAnchor, _ request: ASAuthorizationRequest) {
            self.anchor = anchor
            controller = ASAuthorizationController(authorizationRequests: [request])
        }

        /// When the caller's task is cancelled, the sheet closes.
        func perform(
            _ presentation: PasskeyPresentation
        ) async throws(OkaeriError) -> PasskeyCeremony.Outcome {
            controller.delegate = self
            controller.presentationContextProvider = self
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    waiting = continuation
                    begin(presentation)
                }
            } onCancel: {
                // Nobody else waits for it.
                Task { @MainActor in
                    self.controller.cancel()
                    self.finish(.failure(.cancelled))
                }
            }
            return try result.get()
        }

        private func begin(_ presentation: PasskeyPresentation) {
            switch presentation {
            case .sheet: controller.performRequests()
            case .ifAvailable:
                #if os(macOS)
                    controller.performRequests()
                #else
                    controller.performRequests(options: .preferImmediatelyAvailableCredentials)
                #endif
            case .autoFill:
                #if os(macOS) || os(tvOS)
                    finish(.failure(.passkeyRefused(.unavailable)))
                #else
                    controller.performAutoFillAssistedRequests()
                #endif
            }
        }

        /// The system may tell the end after a cancellation; the first counts.
        private func finish(_ result: Result<PasskeyCeremony.Outcome, OkaeriError>) {
            waiting?.resume(returning: result)
            waiting = nil
        }

        private static func read(_ credential: any ASAuthorizationCredential) -> Outcome? {
            if let made = credential as? ASAuthorizationPlatformPublicKeyCredentialRegistration,
                let attestation = made.rawAttestationObject
            {
                return .created(
                    CreatedPasskey(
                        id: made.credentialID, clientDataJSON: made.rawClientDataJSON, attestationObject: attestation,
                        transports: ["internal", "hybrid"]))
            }
            guard let shown = credential as? ASAuthorizationPlatformPublicKeyCredentialAssertion,
                let data = shown.rawAuthenticatorData, let signature = shown.signature, let user = shown.userID
            else { return nil }
            return .shown(
                PasskeyAssertion(
                    id: shown.credentialID, clientDataJSON: shown.rawClientDataJSON, authenticatorData: data,
                    signature: signature, userHandle: user))
        }

        private static func reason(_ error: any Error) -> OkaeriError {
            guard let error = error as? ASAuthorizationError else { return .passkeyRefused(.unavailable) }
            if error.code == .canceled { return .cancelled }
            if #available(iOS 18.0, macOS 15.0, tvOS 18.0, visionOS 2.0, *), error.code == .matchedExcludedCredential {
                return .passkeyRefused(.alreadyThere)
            }
            return .passkeyRefused(.unavailable)
        }
    }

    extension PasskeyCeremony: ASAuthorizationControllerDelegate {
        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            finish(Self.read(authorization.credential).map { .success($0) } ?? .failure(.passkeyRefused(.unavailable)))
        }

        func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
            finish(.failure(Self.reason(error)))
        }
    }

    extension PasskeyCeremony: ASAuthorizationControllerPresentationContextProviding {
        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }
    }
#endif
