#if canImport(AuthenticationServices) && !os(watchOS)
    public import AuthenticationServices
    import Foundation
    import OkaeriWire

    /// Shows Apple's sheet and gives what ``OkaeriClient/logIn(with:device:user:)`` and ``OkaeriClient/link(_:)`` take.
    ///
    /// ```swift
    /// let credential = try await AppleSignIn(anchor: window).credential()
    /// try await okaeri.link(.apple(credential))
    /// ```
    @MainActor
    public final class AppleSignIn {
        private let anchor: ASPresentationAnchor
        private let randomness: any Randomness
        private var shown: Sheet?

        /// Makes a sheet that is not shown yet.
        ///
        /// - Parameters:
        ///   - anchor: The window that the sheet belongs to.
        ///   - randomness: Where the nonce comes from.
        public init(anchor: ASPresentationAnchor, randomness: any Randomness = SystemRandomness()) {
            self.anchor = anchor
            self.randomness = randomness
        }

        /// Shows the sheet and waits for the person.
        ///
        /// - Parameter scopes: What to ask for. Apple tells each at the first sign-in only.
        /// - Returns: What Apple gave, with the nonce checked.
        /// - Throws: `OkaeriError.cancelled` when the person closed the sheet or it is shown already,
        ///   `OkaeriError.providerRefused` when Apple gave nothing of use.
        public func credential(
            scopes: [ASAuthorization.Scope] = [.fullName, .email]
        ) async throws(OkaeriError) -> AppleCredential {
            guard shown == nil else { throw .cancelled }
            let sheet = Sheet(anchor: anchor, nonce: AppleNonce(randomness: randomness))
            shown = sheet
            defer { shown = nil }
            return try await sheet.credential(scopes: scopes)
        }
    }

    /// One showing of the sheet.
    @MainActor
    private final class Sheet: NSObject {
        private let anchor: ASPresentationAnchor
        private let nonce: AppleNonce
        private var waiting: CheckedContinuation<Result<AppleCredential, OkaeriError>, Never>?

        init(anchor: ASPresentationAnchor, nonce: AppleNonce) {
            self.anchor = anchor
            self.nonce = nonce
        }

        func credential(scopes: [ASAuthorization.Scope]) async throws(OkaeriError) -> AppleCredential {
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.requestedScopes = scopes
            request.nonce = nonce.hashed
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = self
            controller.presentationContextProvider = self
            let result = await withCheckedContinuation { continuation in
                waiting = continuation
                controller.performRequests()
            }
            return try result.get()
        }

        private func finish(_ result: Result<AppleCredential, OkaeriError>) {
            waiting?.resume(returning: result)
            waiting = nil
        }

        private func read(_ authorization: ASAuthorization) -> Result<AppleCredential, OkaeriError> {
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
                let token = credential.identityToken.map({ String(decoding: $0, as: UTF8.self) }), nonce.isIn(token)
            else { return .failure(.providerRefused(.providerTokenInvalid)) }
            // In the order that the person's language has.
            let name = credential.fullName?.formatted()
            return .success(
                AppleCredential(
                    user: credential.user, identityToken: token,
                    authorizationCode: credential.authorizationCode.map { String(decoding: $0, as: UTF8.self) },
                    nonce: nonce.value, name: name?.isEmpty == false ? name : nil))
        }
    }

    extension Sheet: ASAuthorizationControllerDelegate {
        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            finish(read(authorization))
        }

        func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
            let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
            finish(.failure(isCancelled ? .cancelled : .providerRefused(.providerRefused)))
        }
    }

    extension Sheet: ASAuthorizationControllerPresentationContextProviding {
        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }
    }
#endif
