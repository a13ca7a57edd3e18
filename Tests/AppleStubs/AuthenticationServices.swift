// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// A stand-in for Apple's AuthenticationServices: the few declarations that the SDK uses, without behaviour.

public import Foundation
public import UIKit

public typealias ASPresentationAnchor = UIWindow

public protocol ASAuthorizationCredential: AnyObject {}

open class ASAuthorization: NSObject {
    public struct Scope: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let fullName = Scope(rawValue: "full_name")
        public static let email = Scope(rawValue: "email")
    }

    public var credential: any ASAuthorizationCredential { fatalError("a stand-in") }
}

public final class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    public var user: String { "" }
    public var identityToken: Data? { nil }
    public var authorizationCode: Data? { nil }
    public var fullName: PersonNameComponents? { nil }
    public var email: String? { nil }
}

open class ASAuthorizationRequest: NSObject {}

open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    public var requestedScopes: [ASAuthorization.Scope]?
    public var nonce: String?
}

public final class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {}

public final class ASAuthorizationAppleIDProvider: NSObject {
    public enum CredentialState: Int, Sendable {
        case revoked, authorized, notFound, transferred
    }

    public static let credentialRevokedNotification = Notification.Name("revoked")

    public func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }
    public func credentialState(forUserID user: String) async throws -> CredentialState { .authorized }
}

public final class ASAuthorizationPasswordRequest: ASAuthorizationRequest {}

public final class ASAuthorizationPasswordProvider: NSObject {
    public func createRequest() -> ASAuthorizationPasswordRequest { ASAuthorizationPasswordRequest() }
}

public final class ASPasswordCredential: NSObject, ASAuthorizationCredential {
    public var user: String { "" }
    public var password: String { "" }
}

@MainActor public final class ASAuthorizationAppleIDButton: UIControl {
    public enum ButtonType: Int, Sendable {
        case signIn, `continue`, signUp
    }

    public enum Style: Int, Sendable {
        case white, whiteOutline, black
    }

    public init(type: ButtonType, style: Style) {}
    public var cornerRadius: CGFloat = 6
}

public struct ASAuthorizationError: Error {
    public enum Code: Int, Sendable {
        case unknown = 1000
        case canceled, invalidResponse, notHandled, failed, notInteractive, matchedExcludedCredential
    }

    public var code: Code { .unknown }
}

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let required = Self(rawValue: "required")
    public static let preferred = Self(rawValue: "preferred")
    public static let discouraged = Self(rawValue: "discouraged")
}

public final class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
    public init(credentialID: Data) {}
}

public final class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    public var displayName: String?
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    public var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?
}

public final class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
}

public final class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject {
    public init(relyingPartyIdentifier: String) {}
    public func createCredentialRegistrationRequest(
        challenge: Data, name: String, userID: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest()
    }
    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
        ASAuthorizationPlatformPublicKeyCredentialAssertionRequest()
    }
}

public final class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject, ASAuthorizationCredential {
    public var credentialID: Data { Data() }
    public var rawClientDataJSON: Data { Data() }
    public var rawAttestationObject: Data? { nil }
}

public final class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject, ASAuthorizationCredential {
    public var credentialID: Data { Data() }
    public var rawClientDataJSON: Data { Data() }
    public var rawAuthenticatorData: Data! { nil }
    public var userID: Data! { nil }
    public var signature: Data! { nil }
}

@available(iOS 26.0, macOS 26.0, visionOS 26.0, *)
public final class ASCredentialUpdater: NSObject {
    public func reportUnknownPublicKeyCredential(relyingPartyIdentifier: String, credentialID: Data) async throws {}
}

@MainActor public protocol ASAuthorizationControllerDelegate: AnyObject {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: AnyObject {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

@MainActor public final class ASAuthorizationController: NSObject {
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?
    public struct RequestOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let preferImmediatelyAvailableCredentials = RequestOptions(rawValue: 1)
    }

    public init(authorizationRequests: [ASAuthorizationRequest]) {}
    public func performRequests() {}
    public func performRequests(options: RequestOptions) {}
    public func performAutoFillAssistedRequests() {}
    public func cancel() {}
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: AnyObject {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@MainActor public final class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    public final class Callback: NSObject {
        public static func customScheme(_ scheme: String) -> Callback { Callback() }
        public static func https(host: String, path: String) -> Callback { Callback() }
    }

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false
    public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
    public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}
    public func start() -> Bool { true }
    public func cancel() {}
}
