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
    public final class AppleSignIn: NSObject {
        private let anchor: ASPresentationAnchor
        private let randomness: any Randomness
        private var waiting: CheckedContinuation<AppleCredential, any Error>?
        private var nonce: AppleNonce?

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
            guard waiting == nil else { throw .cancelled }
            let nonce = AppleNonce(randomness: randomness)
            self.nonce = nonce
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.requestedScopes = scopes
            request.nonce = nonce.hashed
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = self
            controller.presentationContextProvider = self
            do {
                return try await withCheckedThrowingContinuation { continuation in
                    waiting = continuation
                    controller.performRequests()
                }
            } catch let error as OkaeriError {
                throw error
            } catch let error as ASAuthorizationError where error.code == .canceled {
                throw .cancelled
            } catch {
                throw .providerRefused(.providerRefused)
            }
        }

        private func finish(_ result: Result<AppleCredential, any Error>) {
            waiting?.resume(with: result)
            waiting = nil
            nonce = nil
        }

        private func read(_ authorization: ASAuthorization) throws(OkaeriError) -> AppleCredential {
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential, let nonce,
                let token = credential.identityToken.map({ String(decoding: $0, as: UTF8.self) }), nonce.isIn(token)
            else { throw .providerRefused(.providerTokenInvalid) }
            let name = credential.fullName.map {
                PersonNameComponentsFormatter.localizedString(from: $0, style: .default)
            }
            return AppleCredential(
                user: credential.user, identityToken: token,
                authorizationCode: credential.authorizationCode.map { String(decoding: $0, as: UTF8.self) },
                nonce: nonce.value, name: name?.isEmpty == false ? name : nil)
        }
    }

    extension AppleSignIn: ASAuthorizationControllerDelegate {
        /// Apple gave something.
        public func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            do throws(OkaeriError) {
                finish(.success(try read(authorization)))
            } catch {
                finish(.failure(error))
            }
        }

        /// Apple gave nothing.
        public func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            finish(.failure(error))
        }
    }

    extension AppleSignIn: ASAuthorizationControllerPresentationContextProviding {
        /// The window that the sheet belongs to.
        public func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }
    }
#endif
