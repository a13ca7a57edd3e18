import Crypto
import Foundation
import Testing

/// One whole record of each service, and what of it is a user's here.
@Suite("What imports keep")
struct ImportKeepsTests {
    struct Export: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        var options: [String] = []
        /// What “okaeri user show” prints, without spaces.
        let shown: [String]
        var isDisabled = true
    }

    private static let lastLogIn = #""lastLogInAt":"2024-02-02T03:04:05.000Z""#
    private static let both = [#""g-1""#, "000.apple"]

    static let exports = [
        Export(
            testDescription: "users",
            text: #"""
                {"id":"u1","username":"taro","disabled":true,"lastLogInAt":"2024-02-02T03:04:05Z","providers":{"google":"g-1","apple":"000.apple"},"fields":{"score":3}}
                """#,
            shown: both + [lastLogIn, #""score":3"#]),
        Export(
            testDescription: "firebase",
            text: #"""
                {"users":[{"localId":"u1","phoneNumber":"+819012345678","lastSignedInAt":"1706843045000","disabled":true,"customAttributes":"{\"score\":3}","providerUserInfo":[{"providerId":"google.com","rawId":"g-1"},{"providerId":"apple.com","rawId":"000.apple"}]}]}
                """#,
            shown: both + [lastLogIn, #""score":3"#, "+819012345678", #""phoneVerified":true"#]),
        Export(
            testDescription: "supabase",
            text: #"""
                {"id":"u1","last_sign_in_at":"2024-02-02 03:04:05+00","banned_until":"2999-01-01T00:00:00+00:00","raw_user_meta_data":{"score":3},"identities":[{"provider":"google","provider_id":"g-1"},{"provider":"apple","provider_id":"000.apple"}]}
                """#,
            shown: both + [lastLogIn, #""score":3"#]),
        Export(
            testDescription: "pocketbase",
            text: #"""
                {"id":"u1","username":"taro","score":3,"externalAuths":"[{\"provider\":\"google\",\"providerId\":\"g-1\"},{\"provider\":\"apple\",\"providerId\":\"000.apple\"}]"}
                """#,
            shown: both + [#""score":3"#], isDisabled: false),
        Export(
            testDescription: "nakama",
            text: #"""
                {"id":"u1","username":"taro","google_id":"g-1","apple_id":"000.apple","metadata":{"score":3},"disable_time":"2024-01-03T00:00:00+00:00"}
                """#,
            shown: both + [#""score":3"#]),
        Export(
            testDescription: "auth0",
            text: #"""
                {"user_id":"u1","last_login":"2024-02-02T03:04:05.000Z","blocked":true,"user_metadata":{"score":3},"identities":[{"provider":"google-oauth2","user_id":"g-1"},{"provider":"apple","user_id":"000.apple"}]}
                """#,
            shown: both + [lastLogIn, #""score":3"#]),
        Export(
            testDescription: "keycloak",
            text: #"""
                {"realm":"r","users":[{"id":"u1","username":"taro","enabled":false,"attributes":{"score":["3"]},"federatedIdentities":[{"identityProvider":"google","userId":"g-1"},{"identityProvider":"apple","userId":"000.apple"}]}]}
                """#,
            shown: both + [#""score":"3""#]),
        Export(
            testDescription: "cognito",
            text: #"""
                {"Users":[{"Username":"taro","Attributes":[{"Name":"sub","Value":"u1"},{"Name":"custom:score","Value":"3"},{"Name":"identities","Value":"[{\"providerName\":\"Google\",\"userId\":\"g-1\"},{\"providerName\":\"SignInWithApple\",\"userId\":\"000.apple\"}]"}],"Enabled":false}]}
                """#,
            shown: both + [#""score":"3""#]),
        Export(
            testDescription: "appwrite",
            text: #"""
                {"users":[{"$id":"u1","status":false,"accessedAt":"2024-02-02T03:04:05.000+00:00","prefs":{"score":3},"identities":[{"provider":"google","providerUid":"g-1"},{"provider":"apple","providerUid":"000.apple"}]}]}
                """#,
            shown: both + [lastLogIn, #""score":3"#]),
        Export(
            testDescription: "parse",
            text: #"""
                {"results":[{"objectId":"u1","username":"taro","authData":{"google":{"id":"g-1"},"apple":{"id":"000.apple"}},"score":3,"createdAt":"2016-01-02T03:04:05.678Z"}]}
                """#,
            shown: both + [#""score":3"#], isDisabled: false),
        Export(
            testDescription: "ncmb",
            text: #"""
                {"results":[{"objectId":"u1","userName":"taro","authData":{"google":{"id":"g-1"},"apple":{"id":"000.apple"}},"score":3,"createDate":"2016-01-02T03:04:05.678Z"}]}
                """#,
            shown: both + [#""score":3"#], isDisabled: false),
        Export(
            testDescription: "kii", text: #"{"userID":"u1","loginName":"taro","_disabled":true,"score":3}"#,
            shown: [#""score":3"#]),
    ]

    @Test("of each service: providers, fields, the last log-in and the disabled state", arguments: exports)
    func whole(export: Export) async throws {
        let folder = TestFolder()
        try folder.make()
        let id = try await Program.run("application", "create", "New", "--json", "--data", folder.path)
            .json(CreatedApplication.self).id
        let key = "\(folder.path)/key.p8"
        try P256.Signing.PrivateKey().pemRepresentation.write(toFile: key, atomically: true, encoding: .utf8)
        for command in [
            ["provider", "set", id, "google", "--client", "c"],
            [
                "apple", "set", id, "--team", "TEAM123456", "--bundle", "com.example.app", "--key-id", "KEY1234567",
                "--key-file", key,
            ],
        ] {
            let set = try await Program.run(["application"] + command + ["--data", folder.path])
            #expect(set.status == 0, "\(set.errors)")
        }
        let file = "\(folder.path)/users.json"
        try export.text.write(toFile: file, atomically: true, encoding: .utf8)
        let imported = try await Program.run(
            ["import", export.testDescription, file, "--application", id, "--data", folder.path] + export.options)
        #expect(imported.status == 0, "\(imported.errors)\(imported.output)")
        let shown = try await Program.run(
            "user", "show", "u1", "--application", id, "--data", folder.path, "--json")
        let output = shown.output.replacing(" ", with: "")
        for word in export.shown { #expect(output.contains(word), "\(word) in \(shown.output)\(shown.errors)") }
        let disabled = try await Program.run(
            "user", "list", "--disabled", "--application", id, "--data", folder.path, "--json")
        #expect(disabled.output.contains(#""u1""#) == export.isDisabled, "\(disabled.output)")
    }
}
