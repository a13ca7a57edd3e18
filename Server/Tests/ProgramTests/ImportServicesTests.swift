import Foundation
import Okaeri
import Testing

@Suite("Imports from other services")
struct ImportServicesTests {
    private struct Report: Decodable {
        let records: Int
        let imported: Int
        let present: Int
        let partial: Int
        let refused: [Record]

        struct Record: Decodable {
            let line: Int
            let id: String?
            let reason: String
        }
    }

    private struct Made: Decodable {
        let id: String
    }

    private static let bcrypt = "$2y$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC"
    private static let hashConfig = #"""
        {"hash_config":{"algorithm":"SCRYPT","base64_signer_key":"jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==","base64_salt_separator":"Bw==","rounds":8,"mem_cost":14}}
        """#

    /// An export with what becomes of it.
    struct Export: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var file = "users.json"
        let text: String
        var options: [String] = []
        /// A file that an option names, and what it holds.
        var side: (option: String, text: String)?
        let imported: Int
        /// By line: a word of the reason.
        var refused: [Int: String] = [:]
        /// By user: what “okaeri user show” prints of it.
        let shown: [String: [String]]
        /// Who cannot log in.
        var disabled: [String]?
    }

    static let exports = [
        Export(
            testDescription: "firebase",
            text: #"""
                {"kind":"x","users":[
                {"localId":"fb1","email":"taro@example.com","emailVerified":true,"passwordHash":"lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==","salt":"42xEC+ixf3L2lw==","createdAt":"1503434343000","lastSignedInAt":"1503434344000","disabled":true,"customAttributes":"{\"level\":3}","providerUserInfo":[{"providerId":"password","rawId":"taro@example.com"}]},
                {"localId":"fb2","createdAt":"1503434343000","providerUserInfo":[]},
                {"localId":"fb3","email":"c@example.com","createdAt":"99999999999999999999","providerUserInfo":[]},
                {"localId":"fb4","email":"d@example.com","passwordHash":"AAAA","salt":"","providerUserInfo":[]},
                {"localId":"fb5","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]},
                {"localId":"fb6","email":"TARO@example.com","providerUserInfo":[]},
                {"email":"nobody@example.com"}
                ]}
                """#,
            side: ("--hash-config", hashConfig), imported: 1,
            refused: [3: "nothing leads", 4: "createdAt", 5: "password", 6: "google", 7: "email", 8: "localId"],
            shown: ["fb1": ["taro@example.com", "2017-08-22T20:39:03.000Z", "level", #""hasPassword":true"#]]),
        Export(
            testDescription: "supabase", file: "users.jsonl",
            text: #"""
                {"id":"0b1c","email":"taro@example.com","email_confirmed_at":"2024-01-02T03:04:05.678901+00:00","encrypted_password":"\#(bcrypt)","created_at":"2024-01-02 03:04:05.678901+00","raw_user_meta_data":{"team":"red"},"identities":[{"provider":"email","provider_id":"0b1c"}]}
                {"id":"0b2c","phone":"819012345678","created_at":"2024-01-02T03:04:05+00:00","deleted_at":null,"banned_until":"2999-01-01T00:00:00+00:00"}
                {"id":"0b3c","email":"x@example.com","deleted_at":"2024-01-02T03:04:05+00:00"}
                """#,
            imported: 2, refused: [3: "deleted"],
            shown: ["0b1c": ["2024-01-02T03:04:05.678Z", "team", #""hasPassword":true"#], "0b2c": ["+819012345678"]]),
        Export(
            testDescription: "supabase", file: "users.csv",
            text: #"""
                id,email,encrypted_password,raw_app_meta_data,raw_user_meta_data,created_at
                2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c11,taro@example.com,"$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==","{""provider"":""email"",""providers"":[""email""],""plan"":""pro""}","{""team"":""red""}",2024-01-02 03:04:05.678901+00
                2C1F4A9E-8B7D-4C3A-9F10-6D5E4B3A2C12,hana@example.com,,{},{},2024-01-02 03:04:05+00

                """#,
            options: ["--app-metadata"],
            side: (
                "--identities",
                #"""
                {"user_id":"2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c11","provider":"email","provider_id":"2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c11"}
                {"user_id":"2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c12","provider":"google","provider_id":"1"}
                {"user_id":"2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c19","provider":"google","provider_id":"2"}
                """#
            ),
            imported: 1, refused: [3: "google"],
            shown: [
                "2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c11": [
                    #""plan":"pro""#, #""team":"red""#, #""hasPassword":true"#,
                ]
            ]),
        Export(
            testDescription: "pocketbase",
            text: #"""
                [{"id":"abcdefghijklmno","email":"taro@example.com","verified":1,"password":"\#(bcrypt)","created":"2024-01-01 10:00:00.123Z","updated":"2024-01-01 10:00:00.123Z","tokenKey":"t","score":7,"externalAuths":"[]"},
                {"id":"p2","email":"hana@example.com","vip":1,"plan":"[x","choice":"7","tags":"[\"a\",\"b\"]","settings":"{\"a\":1}","note":"\"text\"","none":"null","home":"{\"lon\":139.7,\"lat\":35.6}","title":"[1]","score":1,"fieldTypes":"{\"vip\":\"bool\",\"plan\":\"select\",\"choice\":\"select\",\"tags\":\"select\",\"settings\":\"json\",\"note\":\"json\",\"none\":\"json\",\"home\":\"geoPoint\",\"title\":\"text\",\"score\":\"number\"}"},
                {"id":"p3","email":"jiro@example.com","externalAuths":"[{\"provider\":\"google\",\"providerId\":\"1\"}]"}]
                """#,
            imported: 2, refused: [3: "identities.google is not offered"],
            shown: [
                "abcdefghijklmno": ["2024-01-01T10:00:00.123Z", "score", #""hasPassword":true"#],
                "p2": [
                    #""vip":true"#, #""plan":"[x""#, #""choice":"7""#, #""a","#, #""settings":{"#, #""note":"text""#,
                    #""lon":139.7"#, #""title":"[1]""#, #""score":1"#,
                ],
            ]),
        Export(
            testDescription: "nakama", file: "users.jsonl",
            text: #"""
                {"id":"n1","username":"taro","email":"taro@example.com","password":"\\x24327924313024","metadata":{"a":1},"create_time":"2024-01-02T03:04:05.678901+00:00","update_time":"2024-01-02T03:04:05+00:00","verify_time":"1970-01-01T00:00:00+00:00","disable_time":"1970-01-01T00:00:00+00:00"}
                {"id":"n2","username":"hana","password":"\\x\#(bcrypt.utf8.map { String($0, radix: 16) }.joined())","create_time":"2024-01-02T03:04:05+00:00"}
                {"id":"n3","username":"aBcDeF","create_time":"2024-01-02T03:04:05+00:00","devices":["8f0e1a5c-3f77-4f0a-9a3e-0c6d2b1f7e55","1B4E28BA-2FA1-11D2-883F-0016D3CCA427"]}
                {"id":"n4","username":"gHiJkL","create_time":"2024-01-02T03:04:05+00:00","devices":[{"id":"my-device-0001"}]}
                {"id":"n5","username":"mNoPqR","create_time":"2024-01-02T03:04:05+00:00","devices":["8f0e1a5c-3f77-4f0a-9a3e-0c6d2b1f7e55"]}
                """#,
            imported: 2, refused: [1: "password", 4: "an id that can be guessed", 5: "identities.anonymous"],
            shown: ["n2": ["hana", #""hasPassword":true"#], "n3": ["aBcDeF", "anonymous"]]),
        Export(
            testDescription: "users", file: "users.csv",
            text: "uid,mail,ok,since,pw,score\r\nu1,taro@example.com,t,1503434343,\(bcrypt),7\r\nu2,,,,,\r\nu3\r\n"
                + "u4,d@example.com,f,1503434343,pbkdf2_sha256$999999999$salt$AAAA,\r\n",
            side: (
                "--mapping",
                #"{"id":"uid","email":"mail","emailVerified":"ok","createdAt":"since","passwordHash":"pw","fields":{"score":"score"},"times":"seconds"}"#
            ),
            imported: 1, refused: [3: "nothing leads", 4: "cells", 5: "password"],
            shown: ["u1": ["2017-08-22T20:39:03.000Z", "score", #""hasPassword":true"#]]),
        Export(
            testDescription: "auth0", file: "users.jsonl",
            text: #"""
                {"user_id":"auth0|1","email":"taro@example.com","email_verified":true,"name":"taro@example.com","nickname":"taro","created_at":"2024-01-02T03:04:05.678Z","last_login":"2024-02-02T03:04:05.000Z","blocked":true,"user_metadata":{"team":"red"},"app_metadata":{"plan":"pro"},"identities":[{"provider":"auth0","user_id":"1","connection":"db"}],"passwordHash":"\#(bcrypt)"}
                {"user_id":"google-oauth2|2","name":"Hana","identities":[{"provider":"google-oauth2","user_id":2,"connection":"google-oauth2"}]}
                {"_id":{"$oid":"5dea"},"alt_id":"euclid","passwordHash":"\#(bcrypt)","identifiers":[{"type":"email","value":"jiro@example.com","verified":true}]}
                {"user_id":"4","email":"d@example.com","custom_password_hash":{"algorithm":"md4","hash":{"value":"00","encoding":"hex"}}}
                {"user_id":"5","email":"e@example.com","custom_password_hash":{"algorithm":"md5","password":{"encoding":"utf16le"},"hash":{"value":"900150983cd24fb0d6963f7d28e17f72","encoding":"hex"}}}
                {"email":"f@example.com"}
                """#,
            imported: 2, refused: [2: "google", 4: "password", 5: "password", 6: "user_id"],
            shown: [
                "auth0|1": [
                    "taro@example.com", "2024-01-02T03:04:05.678Z", "team", "nickname", #""hasPassword":true"#,
                ],
                "auth0|euclid": ["jiro@example.com", #""hasPassword":true"#],
            ]),
        Export(
            testDescription: "keycloak", file: "realm.json",
            text: #"""
                {"realm":"r","groups":[{"name":"users"}],"users":[
                {"id":"k1","createdTimestamp":1503434343000,"username":"taro@example.com","email":"taro@example.com","emailVerified":true,"enabled":false,"firstName":"Taro","lastName":"Yamada","attributes":{"locale":["ja"],"team":["red"],"tags":["a","b"]}},
                {"id":"k2","username":"service-account-app","serviceAccountClientId":"app"},
                {"id":"k3","username":"hana","federatedIdentities":[{"identityProvider":"corp","userId":"7","userName":"hana"}]},
                {"id":"k4","username":"jiro","credentials":[{"type":"password","secretData":"{\"value\":\"AAAA\",\"salt\":\"AAAA\"}","credentialData":"{\"hashIterations\":9000000,\"algorithm\":\"pbkdf2-sha256\"}"}]},
                {"id":"k5","username":"saki","credentials":[{"type":"password","secretData":"?","credentialData":"{}"}]}
                ],"clients":[{"id":"c"}]}
                """#,
            options: ["--provider", "corp=oidc:corp"], imported: 1,
            refused: [3: "service", 4: "identities.oidc:corp", 5: "password", 6: "password"],
            shown: ["k1": ["TaroYamada", "2017-08-22T20:39:03.000Z", #""ja""#, "team", "tags"]]),
        Export(
            testDescription: "keycloak", file: "my-realm-realm.json",
            text: #"{"id":"r","realm":"my-realm","roles":{},"clients":[]}"#, imported: 0,
            refused: [1: "realm without its users"], shown: [:]),
        Export(
            testDescription: "cognito", file: "users.csv",
            text: """
                sub,Username,email,email_verified,phone_number,phone_number_verified,locale,custom:team,identities,UserCreateDate,UserLastModifiedDate,Enabled,UserStatus
                c1,c1,taro@example.com,true,+819012345678,true,ja_JP,red,,2024-01-02T03:04:05.678000+00:00,,true,CONFIRMED
                c2,hana,,,,,,,,1503434343.5,,False,CONFIRMED
                c3,Google_1,x@example.com,false,,,,,"[{""userId"":""1"",""providerName"":""Google""}]",,,true,EXTERNAL_PROVIDER
                c4,c4,,,,,,,,,,true,CONFIRMED

                """,
            imported: 2, refused: [4: "google", 5: "nothing leads"],
            shown: [
                "c1": ["taro@example.com", "+819012345678", "2024-01-02T03:04:05.678Z", "ja-JP", "team"],
                "c2": ["hana", "2017-08-22T20:39:03.500Z"],
            ], disabled: ["c2"]),
        Export(
            testDescription: "cognito", file: "users.json",
            text: #"""
                {"Users":[
                {"Username":"c1","Attributes":[{"Name":"sub","Value":"c1"},{"Name":"email","Value":"taro@example.com"},{"Name":"preferred_username","Value":"taro"},{"Name":"custom:team","Value":"red"}],"UserCreateDate":"2024-01-02T03:04:05.678000+09:00","UserLastModifiedDate":"2024-01-02T03:04:05.678000+09:00","Enabled":true,"UserStatus":"CONFIRMED"}
                ]}
                """#,
            imported: 1, shown: ["c1": ["taro@example.com", "2024-01-01T18:04:05.678Z", "team", #""taro""#]]),
        Export(
            testDescription: "appwrite", file: "users.jsonl",
            text: #"""
                {"$id":"a1","$createdAt":"2024-01-02T03:04:05.678+00:00","$updatedAt":"2024-01-02T03:04:05.678+00:00","name":"Taro","password":"144fa7eaa4904e8ee120651997f70dcc","hash":"md5","hashOptions":{"type":"md5"},"status":false,"labels":["vip"],"email":"taro@example.com","phone":"","emailVerification":true,"phoneVerification":false,"prefs":{"theme":"pink"},"accessedAt":"2024-02-02T03:04:05.678+00:00","identities":[]}
                {"$id":"a2","email":"","phone":"","password":"","hash":"","status":true,"prefs":[]}
                {"$id":"a3","email":"c@example.com","password":"00","hash":"sha","hashOptions":{"type":"sha","version":"sha224"}}
                {"$id":"a4","email":"d@example.com","password":"a9993e364706816aba3e25717850c26c9cd0d89d","hash":"sha","hashOptions":{"type":"sha"}}
                {"$id":"a5","email":"e@example.com","password":"AAAA","hash":"scrypt","hashOptions":{"type":"scrypt","costCpu":8,"costMemory":14,"costParallel":1}}
                {"$id":"a6","email":"f@example.com","identities":[{"provider":"google","providerUid":"1"}]}
                """#,
            imported: 1,
            refused: [2: "nothing leads", 3: "password", 4: "password", 5: "password", 6: "google"],
            shown: ["a1": ["Taro", "2024-01-02T03:04:05.678Z", "theme", #""hasPassword":true"#]], disabled: ["a1"]),
    ]

    @Test("rehearse, import, report by line, and leave alone what is there", arguments: exports)
    func runs(export: Export) async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let application: Made = try await Program.run(
            "application", "create", "New", "--json", "--data", folder.path
        ).json()
        let file = "\(folder.path)/\(export.file)"
        try export.text.write(toFile: file, atomically: true, encoding: .utf8)
        var options = export.options + ["--application", application.id, "--data", folder.path, "--json"]
        if let side = export.side {
            try side.text.write(toFile: "\(folder.path)/side", atomically: true, encoding: .utf8)
            options += [side.option, "\(folder.path)/side"]
        }
        let command = ["import", export.testDescription, file] + options
        let runs: [(options: [String], imported: Int, present: Int)] = [
            (["--dry-run"], export.imported, 0), ([], export.imported, 0), ([], 0, export.imported),
        ]
        for run in runs {
            let finished = try await Program.run(command + run.options)
            let report: Report = try finished.json()
            #expect(report.imported == run.imported && report.present == run.present, "\(finished.output)")
            #expect(finished.status == (export.refused.isEmpty ? 0 : 1))
            #expect(Set(report.refused.map(\.line)) == Set(export.refused.keys), "\(finished.output)")
            for refusal in report.refused {
                #expect(refusal.reason.contains(export.refused[refusal.line] ?? "?"), "\(refusal.reason)")
            }
        }
        for (id, words) in export.shown {
            let shown = try await Program.run(
                "user", "show", id, "--application", application.id, "--data", folder.path, "--json")
            let output = shown.output.replacing(" ", with: "")
            for word in words { #expect(output.contains(word), "\(word) in \(shown.output)") }
        }
        if let disabled = export.disabled {
            let list = try await Program.run(
                "user", "list", "--disabled", "--application", application.id, "--data", folder.path, "--json")
            for id in disabled { #expect(list.output.contains(id), "\(list.output)") }
        }
        try await server.stop()
    }

    @Test(
        "refuse a mapping or parameters that would lose something",
        arguments: [
            ("users", "--mapping", #"{"id":"a","emial":"b"}"#), ("users", "--mapping", #"{"email":"b"}"#),
            ("users", "--mapping", #"{"id":"a","times":"days"}"#), ("users", "--mapping", "[]"),
            ("users", "--mapping", "PK"), ("users", "--mapping", #"{"id":"a","fields":["b"]}"#),
            ("users", "--mapping", #"{"id":"a","passwordDigest":"md5"}"#),
            ("users", "--mapping", #"{"id":"a","passwordDigest":{"function":"md4"}}"#),
            ("users", "--mapping", #"{"id":"a","passwordDigest":{"function":"md5","saltAt":"top"}}"#),
            ("users", "--mapping", #"{"id":"a","passwordDigest":{"function":"md5","pepper":"x"}}"#),
            ("firebase", "--hash-config", "{}"), ("firebase", "--hash-config", "hash_config {\n rounds: 8,\n}"),
            ("firebase", "--hash-config", "hash_config"),
            ("supabase", "--identities", #"{"user_id":5,"provider":"google"}"#),
            ("supabase", "--identities", #"{"user_id":"2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c11"}"#),
            (
                "supabase", "--identities",
                #"{"user_id":"2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c11","provider":"google"}"#
            ),
            ("supabase", "--identities", "{"),
            (
                "firebase", "--hash-config",
                #"{"base64_signer_key":"AAAA","base64_salt_separator":"Bw==","rounds":8,"mem_cost":30}"#
            ),
        ])
    func sideFiles(service: String, option: String, text: String) async throws {
        let folder = TestFolder()
        try folder.make()
        let (file, side) = ("\(folder.path)/users.json", "\(folder.path)/side.json")
        try "[]".write(toFile: file, atomically: true, encoding: .utf8)
        try text.write(toFile: side, atomically: true, encoding: .utf8)
        let finished = try await Program.run(
            ["import", service, file, option, side, "--application", "a", "--data", folder.path])
        #expect(finished.status == 1 && !finished.errors.isEmpty)
    }

    @Test("read Firebase's hash parameters from a pipe, which gives them once", .timeLimit(.minutes(2)))
    func pipe() async throws {
        let folder = TestFolder()
        try folder.make()
        let (file, pipe) = ("\(folder.path)/users.json", "\(folder.path)/hash.json")
        try #"{"users":[]}"#.write(toFile: file, atomically: true, encoding: .utf8)
        let made = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let application: Made = try made.json()
        try #require(mkfifo(pipe, 0o600) == 0)
        // Waits for who reads it.
        Thread.detachNewThread { try? Data(Self.hashConfig.utf8).write(to: URL(fileURLWithPath: pipe)) }
        let finished = try await Program.run([
            "import", "firebase", file, "--hash-config", pipe, "--application", application.id, "--data", folder.path,
        ])
        #expect(finished.status == 0, "\(finished.errors)")
    }

    /// A row of Supabase's `auth.identities`.
    private static func row(_ provider: String, _ subject: String) -> String {
        #"{"user_id":"2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c11","provider":"\#(provider)","provider_id":"\#(subject)"}"#
    }

    @Test(
        "name the row of auth.identities that would be lost or take memory without bound",
        arguments: [
            ((0...50).map { row("google", "\($0)") }.joined(separator: "\n"), "line 51 is one too many of its user"),
            (row("google", String(repeating: "x", count: 300)), "line 1 has a name that is too long"),
            ("\(row("google", "1"))\nPK\u{3}\u{4}", "line 2"), ("[\(row("google", "1").dropLast())", "side.json"),
            (String(repeating: "[", count: 100_000), "side.json"),
            (#"{"user_id":"x","provider":"google"}"#, "line 1 has no user_id"),
            (row("google", ""), "line 1 has no provider_id"),
        ])
    func identityRows(text: String, words: String) async throws {
        let folder = TestFolder()
        try folder.make()
        let (file, side) = ("\(folder.path)/users.json", "\(folder.path)/side.json")
        try "[]".write(toFile: file, atomically: true, encoding: .utf8)
        try text.write(toFile: side, atomically: true, encoding: .utf8)
        let finished = try await Program.run([
            "import", "supabase", file, "--identities", side, "--application", "a", "--data", folder.path,
        ])
        #expect(finished.status == 1 && finished.errors.contains(words), "\(finished.errors)")
    }
}
