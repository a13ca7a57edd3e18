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
            let shown = try await show { sheet async throws(OkaeriError) in try await sheet.credential(scopes: scopes) }
            guard case .apple(let credential) = shown else { throw .providerRefused(.providerTokenInvalid) }
            return credential
        }

        /// Offers what the person has saved for this app: Sign in with Apple, and passwords of the iCloud Keychain. Nothing is
        /// shown when there is none.
        ///
        /// - Returns: What the person chose.
        /// - Throws: `OkaeriError.cancelled` when nothing is saved, the person closed the sheet or it is shown already,
        ///   `OkaeriError.providerRefused` when the system gave nothing of use.
        public func savedCredential() async throws(OkaeriError) -> SavedCredential {
            try await show { sheet async throws(OkaeriError) in try await sheet.savedCredential() }
        }

        private func show(
            _ ask: @MainActor (Sheet) async throws(OkaeriError) -> SavedCredential
        ) async throws(OkaeriError) -> SavedCredential {
            guard shown == nil else { throw .cancelled }
            let sheet = Sheet(anchor: anchor, nonce: AppleNonce(randomness: randomness))
            shown = sheet
            defer { shown = nil }
            return try await ask(sheet)
        }
    }

    /// One showing of the sheet.
    @MainActor
    private final class Sheet: NSObject {
        private let anchor: ASPresentationAnchor
        private let nonce: AppleNonce
        private var waiting: CheckedContinuation<Result<SavedCredential, OkaeriError>, Never>?

        init(anchor: ASPresentationAnchor, nonce: AppleNonce) {
            self.anchor = anchor
            self.nonce = nonce
        }

        func credential(scopes: [ASAuthorization.Scope]) async throws(OkaeriError) -> SavedCredential {
            let request = appleRequest()
            request.requestedScopes = scopes
            return try await perform([request]) { $0.performRequests() }
        }

        func savedCredential() async throws(OkaeriError) -> SavedCredential {
            try await perform([appleRequest(), ASAuthorizationPasswordProvider().createRequest()]) {
                #if os(macOS)
                    $0.performRequests()
                #else
                    $0.performRequests(options: .preferImmediatelyAvailableCredentials)
                #endif
            }
        }

        private func appleRequest() -> ASAuthorizationAppleIDRequest {
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.nonce = nonce.hashed
            return request
        }

        private func perform(
            _ requests: [ASAuthorizationRequest], _ begin: @MainActor (ASAuthorizationController) -> Void
        ) async throws(OkaeriError) -> SavedCredential {
            let controller = ASAuthorizationController(authorizationRequests: requests)
            controller.delegate = self
            controller.presentationContextProvider = self
            let result = await withCheckedContinuation { continuation in
                waiting = continuation
                begin(controller)
            }
            return try result.get()
        }

        private func finish(_ result: Result<SavedCredential, OkaeriError>) {
            waiting?.resume(returning: result)
            waiting = nil
        }

        private func read(_ authorization: ASAuthorization) -> Result<SavedCredential, OkaeriError> {
            if let saved = authorization.credential as? ASPasswordCredential {
                return .success(.password(SavedPassword(identifier: saved.user, password: saved.password)))
            }
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
                let token = credential.identityToken.map({ String(decoding: $0, as: UTF8.self) }), nonce.isIn(token)
            else { return .failure(.providerRefused(.providerTokenInvalid)) }
            // In the order that the person's language has.
            let name = credential.fullName?.formatted()
            return .success(
                .apple(
                    AppleCredential(
                        user: credential.user, identityToken: token,
                        authorizationCode: credential.authorizationCode.map { String(decoding: $0, as: UTF8.self) },
                        nonce: nonce.value, name: name?.isEmpty == false ? name : nil)))
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
