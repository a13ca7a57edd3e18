import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("What an old SDK left on the device")
struct OldSessionsTests {
    let world = World()
    let folder: TemporaryFolder
    let suite = "okaeri-test-\(ProcessInfo.processInfo.globallyUniqueString)"
    private let keychain = Protected<[String: MemoryItems]>([:])

    init() throws {
        folder = try TemporaryFolder()
    }

    private var old: OldSessions {
        OldSessions(home: folder.url.path, bundleIdentifier: "com.example.game", defaultsSuite: suite) {
            [keychain] service in keychain.withValue { $0[service] }
        }
    }

    private func put(_ data: Data, service: String, account: String) throws {
        let items = keychain.withValue { keychain in
            let items = keychain[service] ?? MemoryItems()
            keychain[service] = items
            return items
        }
        try items.replace(account, data)
    }

    private func write(_ text: String, to path: String) throws {
        let file = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test("is found in NCMB's files, that of the newer SDK first")
    func ncmb() throws {
        #expect(try old.session(in: .ncmb) == nil)
        let older = "Library/Private Documents/NCMB/currentUser"
        try write(#"{"className":"user","data":{"objectId":"m1","sessionToken":"first"}}"#, to: older)
        #expect(try old.session(in: .ncmb) == OldSession(.ncmb, token: "first"))
        try write(#"{"objectId":"m1","userName":"hana","sessionToken":"second"}"#, to: older)
        #expect(try old.session(in: .ncmb) == OldSession(.ncmb, token: "second"))
        try write(#"{"objectId":"m1","sessionToken":"third"}"#, to: "Documents/NCMB/currentUser")
        #expect(try old.session(in: .ncmb) == OldSession(.ncmb, token: "third"))
    }

    @Test(
        "is nobody's when NCMB's file holds no session, or nothing that can be read", arguments: ["{}", "{", "[1]", ""])
    func nobody(text: String) throws {
        try write(text, to: "Documents/NCMB/currentUser")
        #expect(try old.session(in: .ncmb) == nil)
    }

    @Test(
        "is found in Parse's Keychain item, under its newer and its older name",
        arguments: ["sessionToken", "session_token"])
    func parse(name: String) throws {
        let user: NSDictionary = [
            NSString(string: name): NSString(string: "r:abc"),
            NSString(string: "authData"): [
                NSString(string: "anonymous"): [NSString(string: "id"): NSString(string: "x")] as NSDictionary
            ] as NSDictionary,
        ]
        let data = try NSKeyedArchiver.archivedData(withRootObject: user, requiringSecureCoding: false)
        try put(data, service: "com.example.game.com.parse.sdk", account: "currentUser")
        #expect(try old.session(in: .parse) == OldSession(.parse, token: "r:abc"))
    }

    @Test("is found in Parse's file, where the SDK is older than its use of the Keychain")
    func oldParse() throws {
        try write(#"{"classname":"_User","session_token":"r:old"}"#, to: "Library/Private Documents/Parse/currentUser")
        #expect(try old.session(in: .parse) == OldSession(.parse, token: "r:old"))
        try put(Data("rubbish".utf8), service: "com.example.game.com.parse.sdk", account: "currentUser")
        #expect(try old.session(in: .parse) == OldSession(.parse, token: "r:old"))
    }

    @Test("is found in UserDefaults, where the app itself kept it", arguments: [OldProtocol.kii, .ncmb, .parse])
    func defaults(name: OldProtocol) throws {
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        #expect(try old.session(in: .defaults(key: "token", name)) == nil)
        defaults.set("", forKey: "token")
        #expect(try old.session(in: .defaults(key: "token", name)) == nil)
        defaults.set("kept", forKey: "token")
        #expect(try old.session(in: .defaults(key: "token", name)) == OldSession(name, token: "kept"))
    }

    @Test("is distinguished from what cannot be read now")
    func locked() throws {
        try put(Data(), service: "com.example.game.com.parse.sdk", account: "currentUser")
        keychain.withValue { $0.values.first }?.isLocked.withValue { $0 = true }
        #expect(throws: OkaeriError.storageLocked) { try old.session(in: .parse) }
        // A folder where the file should be cannot be read, not even by root.
        let path = folder.url.appendingPathComponent("Documents/NCMB/currentUser/x")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        #expect(throws: OkaeriError.storageLocked) { try old.session(in: .ncmb) }
    }

    @Test("is distinguished from entries of UserDefaults that cannot be read now, which the system gives as absent")
    func lockedDefaults() throws {
        for name in [suite, "com.example.game"] {
            let path = folder.url.appendingPathComponent("Library/Preferences/\(name).plist", isDirectory: true)
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            #expect(throws: OkaeriError.storageLocked) { try old.session(in: .defaults(key: "token", .kii)) }
            try FileManager.default.removeItem(at: path)
            #expect(try old.session(in: .defaults(key: "token", .kii)) == nil)
        }
    }

    @Test("is Firebase's user in its Keychain item, with the refresh token", arguments: ["__FIRAPP_DEFAULT", "second"])
    func firebase(appName: String) throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.setClassName("FIRUser", for: OldFirebaseUser.self)
        archiver.setClassName("FIRSecureTokenService", for: OldFirebaseTokens.self)
        archiver.encode(
            OldFirebaseUser(userID: "uid-1", tokens: OldFirebaseTokens(refreshToken: "refresh")),
            forKey: "\(appName)_firebase_user")
        archiver.finishEncoding()
        let path = OldCredentialPlace.firebase(googleAppID: "1:2:ios:3", appName: appName)
        #expect(try old.credential(in: path) == nil)
        let account = "firebase_auth_1_\(appName)_firebase_user"
        try put(archiver.encodedData, service: "firebase_auth_1:2:ios:3", account: account)
        #expect(try old.credential(in: path) == OldCredential(userID: "uid-1", refreshToken: "refresh"))
        try put(Data("rubbish".utf8), service: "firebase_auth_1:2:ios:3", account: account)
        #expect(try old.credential(in: path) == nil)
    }

    @Test(
        "is Supabase's session in its Keychain item, in all forms that there were",
        arguments: [
            ("supabase.gotrue.swift", "supabase.session", #"{"session":{"refresh_token":"r","user":{"id":"u"}}}"#),
            ("supabase.gotrue.swift", "sb-abc-auth-token", #"{"refresh_token":"r","user":{"id":"u"}}"#),
            ("com.example.game", "sb-abc-auth-token", #"{"refreshToken":"r","user":{"id":"u"}}"#),
        ])
    func supabase(service: String, account: String, json: String) throws {
        #expect(try old.credential(in: .supabase(project: "abc")) == nil)
        try put(Data("{}".utf8), service: service, account: account)
        #expect(try old.credential(in: .supabase(project: "abc")) == nil)
        try put(Data(json.utf8), service: service, account: account)
        #expect(try old.credential(in: .supabase(project: "abc")) == OldCredential(userID: "u", refreshToken: "r"))
    }

    @Test("never shows its token, however it is printed")
    func redaction() {
        var shown = ""
        for value in [OldSession(.kii, token: "topsecret"), OldCredential(userID: "u", refreshToken: "topsecret")]
            as [Any]
        {
            dump(value, to: &shown)
            shown += "\(value) \(String(reflecting: value))"
        }
        #expect(!shown.contains("topsecret") && shown.contains("kii"))
    }

    @Test("is handed to the server, which gives the user this device's key; once it has ended, the device gets a user")
    func adoption() async throws {
        try write(#"{"objectId":"m1","sessionToken":"alive"}"#, to: "Documents/NCMB/currentUser")
        let refusal = Problem(title: "no", status: 401, code: .credentialRefused)
        world.server.fail(.problem(refusal), path: APIPath.adopt)
        let client = world.launch()
        guard case .firstVisit = try await logIn(client, after: old) else {
            Issue.record("not .firstVisit")
            return
        }
        let request = try #require(world.server.requests(to: APIPath.adopt).first)
        let body = try JSONDecoder().decode(AdoptionBody.self, from: #require(request.body))
        #expect(body.protocolName == "ncmb" && body.token == "alive")
        #expect(request.headers["DPoP"] != nil)
        // The next launch has a user and asks for no old session any more.
        _ = try await logIn(world.launch(), after: old)
        #expect(world.server.requests(to: APIPath.adopt).count == 1)
    }

    @Test("is taken over once: who has logged out since is not logged in again by what is still there")
    func onceOnly() async throws {
        try write(#"{"objectId":"m1","sessionToken":"alive"}"#, to: "Documents/NCMB/currentUser")
        world.server.takeIn("m1", from: "ncmb", token: "alive")
        let client = world.launch(inBackground: false)
        #expect(try await client.isFirstLaunch)
        #expect(try await logIn(client, after: old).user.id == "m1")
        try await client.upgrade(username: "hana", password: "a long enough secret")
        #expect(try await !client.isFirstLaunch)
        await client.logOut()
        let next = world.launch(inBackground: false)
        #expect(try await !next.isFirstLaunch)
        guard case .firstVisit(let guest) = try await logIn(next, after: old) else {
            Issue.record("not .firstVisit")
            return
        }
        #expect(guest.id != "m1" && world.server.requests(to: APIPath.adopt).count == 1)
    }

    @Test("is taken over later where the phone is locked at first: no log-in is made up for that would make a user")
    func lockedAtFirst() async throws {
        try write(#"{"objectId":"m1","sessionToken":"alive"}"#, to: "Documents/NCMB/currentUser")
        world.server.takeIn("m1", from: "ncmb", token: "alive")
        world.vault.isLocked = true
        let client = world.launch()
        await #expect(throws: OkaeriError.storageLocked) { try await logIn(client, after: old) }
        await world.clock.waitForSleepers()
        world.vault.isLocked = false
        world.clock.advanceToNextSleeper()
        while await client.keeper.recovery != nil { await Task.yield() }
        #expect(world.logInCount == 0)
        #expect(try await client.isFirstLaunch)
        #expect(try await logIn(client, after: old).user.id == "m1")
    }
}
