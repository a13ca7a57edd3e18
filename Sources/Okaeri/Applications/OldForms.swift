import Foundation
import OkaeriWire

/// The forms in which old SDKs wrote. What has another form counts as absent.
enum OldForms {
    /// A JSON object; `nil` for anything else.
    static func object(_ data: Data) -> [String: JSONValue]? {
        object(try? UntrustedJSON.value(data))
    }

    static func object(_ value: JSONValue?) -> [String: JSONValue]? {
        guard case .object(let members)? = value else { return nil }
        return members
    }

    /// A text that is not empty.
    static func text(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value, !text.isEmpty else { return nil }
        return text
    }
}

#if !OKAERI_ESSENTIALS
    extension OldForms {
        /// The first text in a keyed archive of a dictionary that stands under one of the names.
        static func archivedText(in data: Data, under names: [String]) -> String? {
            let classes: [AnyClass] = [
                NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSArray.self, NSNull.self,
            ]
            // An archive of something else is none of ours.
            let root = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
            guard let members = root as? NSDictionary else { return nil }
            return names.lazy.compactMap { text(members.object(forKey: NSString(string: $0))) }.first
        }

        private static func text(_ value: Any?) -> String? {
            let text = (value as? String) ?? (value as? NSString)?.description
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// The two parts that matter of the user whom Firebase's SDK archived as `FIRUser`.
    final class OldFirebaseUser: NSObject, NSSecureCoding {
        static var supportsSecureCoding: Bool { true }
        let userID: String?
        let tokens: OldFirebaseTokens?

        init(userID: String?, tokens: OldFirebaseTokens?) {
            self.userID = userID
            self.tokens = tokens
        }

        required init?(coder: NSCoder) {
            userID = coder.decodeObject(of: NSString.self, forKey: "userID")?.description
            tokens = coder.decodeObject(of: OldFirebaseTokens.self, forKey: "tokenService")
        }

        func encode(with coder: NSCoder) {
            coder.encode(userID.map { NSString(string: $0) }, forKey: "userID")
            coder.encode(tokens, forKey: "tokenService")
        }

        /// Reads what the Keychain holds; `nil` when it has another form.
        static func read(_ data: Data, key: String) -> OldCredential? {
            // An archive that cannot be opened is none of ours.
            guard let archive = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
            archive.requiresSecureCoding = true
            archive.setClass(OldFirebaseUser.self, forClassName: "FIRUser")
            archive.setClass(OldFirebaseTokens.self, forClassName: "FIRSecureTokenService")
            guard let user = archive.decodeObject(of: OldFirebaseUser.self, forKey: key),
                let token = user.tokens?.refreshToken, !token.isEmpty
            else { return nil }
            return OldCredential(userID: user.userID, refreshToken: token, token: user.tokens?.token)
        }
    }

    /// What Firebase's SDK archived as `FIRSecureTokenService`.
    final class OldFirebaseTokens: NSObject, NSSecureCoding {
        static var supportsSecureCoding: Bool { true }
        let refreshToken: String?
        /// An identity token, which the SDK calls the access token.
        let token: String?

        init(refreshToken: String?, token: String? = nil) {
            self.refreshToken = refreshToken
            self.token = token
        }

        required init?(coder: NSCoder) {
            refreshToken = coder.decodeObject(of: NSString.self, forKey: "refreshToken")?.description
            let kept = coder.decodeObject(of: NSString.self, forKey: "accessToken")?.description
            token = kept.flatMap { $0.isEmpty ? nil : $0 }
        }

        func encode(with coder: NSCoder) {
            coder.encode(refreshToken.map { NSString(string: $0) }, forKey: "refreshToken")
            coder.encode(token.map { NSString(string: $0) }, forKey: "accessToken")
        }
    }
#endif
