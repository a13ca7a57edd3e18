import Foundation
import OkaeriWire

/// Where a service that signs tokens has its log-in.
public typealias OldCredentialLocation = OldCredentialPlace

#if !OKAERI_ESSENTIALS
    /// Finds what an old SDK left on this device of the user who was logged in, without the old SDK. It only reads; what was handed over
    /// is removed by ``OkaeriClient/adopt(from:in:)``.
    ///
    /// The locations are those of the SDKs' published sources, as of 2026; what is not there, or cannot be understood, counts as
    /// absent. Nothing of this was tried with an app that an old SDK was built into.
    public struct OldSessions: Sendable {
        let items: @Sendable (_ service: String) -> (any SecureItems)?
        let home: String
        let bundleIdentifier: String?
        let defaultsSuite: String?

        init(
            home: String, bundleIdentifier: String?, defaultsSuite: String?,
            items: @escaping @Sendable (_ service: String) -> (any SecureItems)?
        ) {
            self.items = items
            self.home = home
            self.bundleIdentifier = bundleIdentifier
            self.defaultsSuite = defaultsSuite
        }

        #if canImport(Security)
            /// Looks into this app's folders, its Keychain and its `UserDefaults`.
            ///
            /// - Parameters:
            ///   - defaultsSuite: The suite in which the app kept its entry; by default the app's own.
            ///   - accessGroup: The Keychain access group of the old items; by default all groups of the app.
            public init(defaultsSuite: String? = nil, accessGroup: String? = nil) {
                self.init(
                    home: NSHomeDirectory(), bundleIdentifier: Bundle.main.bundleIdentifier,
                    defaultsSuite: defaultsSuite
                ) { KeychainItems(service: $0, accessGroup: accessGroup) }
            }
        #else
            /// Looks into the person's folders and `UserDefaults`; there is no Keychain here.
            ///
            /// - Parameter defaultsSuite: The suite in which the app kept its entry; by default the app's own.
            public init(defaultsSuite: String? = nil) {
                self.init(
                    home: NSHomeDirectory(), bundleIdentifier: Bundle.main.bundleIdentifier,
                    defaultsSuite: defaultsSuite
                ) { _ in nil }
            }
        #endif

        /// The session that an old SDK left, to be given to ``OkaeriClient/adopt(_:)``.
        ///
        /// - Parameter place: Where to look.
        /// - Returns: The session; `nil` when nobody was logged in there.
        /// - Throws: `OkaeriError.storageLocked` when the location cannot be read now: it may be there.
        public func session(in place: OldSessionPlace) throws(OkaeriError) -> OldSession? {
            do throws(VaultError) {
                switch place {
                case .ncmb: return try ncmbToken().map { OldSession(.ncmb, token: $0) }
                case .parse: return try parseToken().map { OldSession(.parse, token: $0) }
                case .defaults(let key, let name): return try entry(key).map { OldSession(name, token: $0) }
                }
            } catch {
                throw OkaeriError(error)
            }
        }

        /// What Firebase's, Supabase's or Amplify's SDK left.
        ///
        /// - Parameter location: Where to look.
        /// - Returns: The credential; `nil` when nobody was logged in there.
        /// - Throws: `OkaeriError.storageLocked` when the location cannot be read now: it may be there.
        public func credential(in location: OldCredentialLocation) throws(OkaeriError) -> OldCredential? {
            do throws(VaultError) {
                switch location {
                case .firebase(let id, let appName): return try firebase(id, appName)
                case .supabase(let project): return try supabase(project)
                case .cognito(let userPool, let identityPool): return try cognito(userPool, identityPool)
                }
            } catch {
                throw OkaeriError(error)
            }
        }

        /// Before a phone's first unlock the system gives no entries and no error. That they cannot be read now, their file says.
        private func entry(_ key: String) throws(VaultError) -> String? {
            let defaults = defaultsSuite.flatMap { UserDefaults(suiteName: $0) } ?? .standard
            if let text = defaults.string(forKey: key), !text.isEmpty { return text }
            for name in [defaultsSuite, bundleIdentifier].compactMap(\.self) {
                _ = try PrivateFile.read("\(home)/Library/Preferences/\(name).plist")
            }
            return nil
        }

        func item(_ service: String, _ account: String) throws(VaultError) -> Data? {
            try items(service)?.read(account)
        }

        private func file(_ path: String) throws(VaultError) -> [String: JSONValue]? {
            try PrivateFile.read("\(home)/\(path)").flatMap(OldForms.object)
        }
    }

    extension OldSessions {
        /// `Documents/NCMB/currentUser` (NCMB Swift SDK, `NCMBLocalFileManager`), else the older
        /// `Library/Private Documents/NCMB/currentUser` (NCMB iOS SDK, `NCMBUser.m`). Both are the member as JSON; the latter's
        /// first version wrapped it into `className` and `data`.
        private func ncmbToken() throws(VaultError) -> String? {
            for path in ["Documents/NCMB/currentUser", "Library/Private Documents/NCMB/currentUser"] {
                guard let member = try file(path) else { continue }
                let inner = OldForms.object(member["data"]) ?? member
                if let token = OldForms.text(inner["sessionToken"]) { return token }
            }
            return nil
        }

        /// The Keychain item `currentUser` of the service `BUNDLE.com.parse.sdk`: a keyed archive of a dictionary with
        /// `sessionToken`, formerly `session_token` (Parse SDK for iOS, `PFCurrentUserController.m`, `PFKeychainStore.m`,
        /// `ParseManager.m`). Before there was one, the same names in `Library/Private Documents/Parse/currentUser`.
        private func parseToken() throws(VaultError) -> String? {
            let names = ["sessionToken", "session_token"]
            if let bundleIdentifier, let data = try item("\(bundleIdentifier).com.parse.sdk", "currentUser"),
                let token = OldForms.archivedText(in: data, under: names)
            {
                return token
            }
            let user = try file("Library/Private Documents/Parse/currentUser")
            return names.lazy.compactMap { OldForms.text(user?[$0]) }.first
        }

        /// The items that an old SDK may have written there, newest form first.
        func items(in location: OldCredentialLocation) -> [(service: String, account: String)] {
            switch location {
            case .firebase(let id, let appName):
                return [("firebase_auth_\(id)", "firebase_auth_1_\(appName)_firebase_user")]
            case .supabase(let project):
                return [bundleIdentifier, "supabase.gotrue.swift"].compactMap(\.self).flatMap { service in
                    ["sb-\(project)-auth-token", "supabase.session"].map { (service, $0) }
                }
            case .cognito(let userPool, let identityPool):
                let pools = [userPool] + (identityPool.map { [$0] } ?? [])
                return [("com.amplify.awsCognitoAuthPlugin", "amplify.\(pools.joined(separator: ".")).session")]
            }
        }

        /// The item `firebase_auth_1_APP_firebase_user` of the service `firebase_auth_ID`: a keyed archive of the user under
        /// `APP_firebase_user` (firebase-ios-sdk, `Auth.swift`, `AuthKeychainServices.swift`, `User.swift`). Users in a shared
        /// access group (`useUserAccessGroup`) are stored elsewhere and not found.
        private func firebase(_ id: String, _ appName: String) throws(VaultError) -> OldCredential? {
            let key = "\(appName)_firebase_user"
            for (service, account) in items(in: .firebase(googleAppID: id, appName: appName)) {
                if let found = try item(service, account).flatMap({ OldFirebaseUser.read($0, key: key) }) {
                    return found
                }
            }
            return nil
        }

        /// The item `sb-PROJECT-auth-token`, formerly `supabase.session`, of the service `supabase.gotrue.swift`, since version 3
        /// that of the app's bundle: the session as JSON, formerly within `session`, its names in either of two manners
        /// (supabase-swift, `KeychainLocalStorage.swift`, `SessionStorage.swift`, `SupabaseClient.swift`).
        private func supabase(_ project: String) throws(VaultError) -> OldCredential? {
            for (service, account) in items(in: .supabase(project: project)) {
                guard let stored = try item(service, account).flatMap(OldForms.object) else { continue }
                let session = OldForms.object(stored["session"]) ?? stored
                let token = OldForms.text(session["refresh_token"]) ?? OldForms.text(session["refreshToken"])
                guard let token else { continue }
                return OldCredential(
                    userID: OldForms.text(OldForms.object(session["user"])?["id"]), refreshToken: token,
                    token: OldForms.text(session["access_token"]) ?? OldForms.text(session["accessToken"]))
            }
            return nil
        }

        /// The item `amplify.USERPOOL.session`, with an identity pool `amplify.USERPOOL.IDENTITYPOOL.session`, of the service
        /// `com.amplify.awsCognitoAuthPlugin`: one of several forms of credentials as JSON, by its name, of which two hold the
        /// tokens of a user pool in `signedInData.cognitoUserPoolTokens` (amplify-swift 2, `AWSCognitoAuthCredentialStore.swift`,
        /// `AmplifyCredentials.swift`, `AWSCognitoUserPoolTokens.swift`). Users in a shared access group are stored elsewhere and
        /// not found.
        private func cognito(_ userPool: String, _ identityPool: String?) throws(VaultError) -> OldCredential? {
            for (service, account) in items(in: .cognito(userPool: userPool, identityPool: identityPool)) {
                guard let stored = try item(service, account).flatMap(OldForms.object) else { continue }
                let form = OldForms.object(stored["userPoolAndIdentityPool"]) ?? OldForms.object(stored["userPoolOnly"])
                let data = OldForms.object(form?["signedInData"])
                let tokens = OldForms.object(data?["cognitoUserPoolTokens"])
                guard let token = OldForms.text(tokens?["refreshToken"]) else { continue }
                let device = OldForms.object(OldForms.object(data?["deviceMetadata"])?["metadata"])
                return OldCredential(
                    userID: OldForms.text(data?["userId"]), refreshToken: token,
                    token: OldForms.text(tokens?["idToken"]),
                    deviceKey: OldForms.text(OldForms.object(device?["_0"])?["deviceKey"]))
            }
            return nil
        }
    }
#endif
