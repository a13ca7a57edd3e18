import Foundation
import Okaeri
import Testing

/// Users who come with hashes of other services log in with the passwords that made them.
@Suite("Passwords of other services")
struct ImportPasswordsTests {
    private struct Report: Decodable {
        let imported: Int
    }

    /// An export with the passwords of its users.
    struct Export: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let command: String
        var file = "users.jsonl"
        let text: String
        var options: [String] = []
        var mapping: String?
        /// Parameters of a project's hashes.
        var hashConfig: String?
        /// By what users log in, and their passwords.
        let passwords: [String: String]
    }

    private static let salt = "AAECAwQFBgcICQoLDA0ODw=="

    /// A user with a password credential in the form of a realm's export.
    private static func keycloak(
        _ name: String, _ algorithm: String, _ rounds: Int, _ value: String, _ salt: String = salt
    ) -> String {
        let argon2 = #"\"memory\":[\"64\"],\"type\":[\"id\"],\"version\":[\"1.3\"],\"parallelism\":[\"1\"]"#
        let additional = algorithm == "argon2" ? argon2 : ""
        let secret = #"{\"value\":\"\#(value)\",\"salt\":\"\#(salt)\",\"additionalParameters\":{}}"#
        let data =
            #"{\"hashIterations\":\#(rounds),\"algorithm\":\"\#(algorithm)\","#
            + #"\"additionalParameters\":{\#(additional)}}"#
        return #"{"id":"\#(name)","username":"\#(name)","enabled":true,"credentials":[{"type":"otp"},"#
            + #"{"type":"password","secretData":"\#(secret)","credentialData":"\#(data)"}]}"#
    }

    private static let bcrypt = "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"

    static let exports = [
        Export(
            // The vector that Firebase publishes.
            testDescription: "Firebase", command: "firebase", file: "users.json",
            text: #"""
                {"users":[{"localId":"1","email":"one@example.com","passwordHash":"lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==","salt":"42xEC+ixf3L2lw=="}]}
                """#,
            hashConfig: #"""
                {"base64_signer_key":"jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==","base64_salt_separator":"Bw==","rounds":8,"mem_cost":14}
                """#,
            passwords: ["one@example.com": "user1password"]),
        Export(
            testDescription: "Firebase, with the parameters as its console shows them", command: "firebase",
            file: "users.json",
            text: #"""
                {"users":[{"localId":"1","email":"one@example.com","passwordHash":"lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==","salt":"42xEC+ixf3L2lw=="}]}
                """#,
            hashConfig: """
                hash_config {
                  algorithm: SCRYPT,
                  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
                  base64_salt_separator: Bw==,
                  rounds: 8,
                  mem_cost: 14,
                }
                """,
            passwords: ["one@example.com": "user1password"]),
        Export(
            testDescription: "Supabase", command: "supabase",
            text: #"""
                {"id":"1","email":"bcrypt@example.com","encrypted_password":"\#(bcrypt)","created_at":"2024-01-02T03:04:05+00:00"}
                {"id":"2","phone":"819012345678","encrypted_password":"$argon2i$v=19$m=20,t=3,p=2$YXBwd3JpdGU$A/54i238ed09ZR4NwlACU5XnkjNBZU9QeOEuhjLiexI"}
                """#,
            passwords: ["bcrypt@example.com": "correct horse", "+819012345678": "appwrite"]),
        Export(
            testDescription: "PocketBase", command: "pocketbase",
            text: #"""
                {"id":"1","username":"one","password":"\#(bcrypt)"}
                {"id":"2","email":"two@example.com","passwordHash":"\#(bcrypt)"}
                """#,
            passwords: ["one": "correct horse", "two@example.com": "correct horse"]),
        Export(
            testDescription: "Nakama", command: "nakama",
            text: #"""
                {"id":"1","username":"one","password":"\\x\#(bcrypt.utf8.map { String($0, radix: 16) }.joined())","create_time":"2024-01-02T03:04:05+00:00"}
                """#,
            passwords: ["one": "correct horse"]),
        Export(
            testDescription: "generic", command: "users",
            text: #"""
                {"id":"1","username":"one","passwordHash":"$1$oKnN0HHt$Aul2g/J4edgga3WE/03cN/"}
                {"id":"2","username":"two","passwordHash":"$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"}
                {"id":"3","username":"three","passwordHash":"$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"}
                {"id":"4","username":"four","passwordHash":"$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"}
                {"id":"5","username":"five","passwordHash":"{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ"}
                {"id":"6","username":"six","passwordHash":"sha1$seasalt$cff36ea83f5706ce9aa7454e63e431fc726b2dc8"}
                {"id":"7","username":"seven","passwordHash":"pbkdf2_sha256$12000$seasalt$Ybw8zsFxqja97tY/o6G+Fy1ksY4U/Hw3DRrGED6Up4s="}
                """#,
            passwords: [
                "one": "hello", "two": "Hello world!", "three": "Hello world!", "four": "test12345", "five": "password",
                "six": "lètmein", "seven": "lètmein",
            ]),
        Export(
            testDescription: "generic with described digests", command: "users", file: "users.csv",
            text: """
                uid,name,pw,extra
                1,one,qZk+NkcGgWq6PiVxeFDCbJzQ2J0=,63
                2,two,$1$oKnN0HHt$Aul2g/J4edgga3WE/03cN/,
                3,three,!,

                """,
            mapping: #"""
                {"id":"uid","username":"name","passwordHash":"pw","passwordDigest":
                {"function":"sha1","salt":"extra","saltAt":"end","encoding":"base64","saltEncoding":"hex"}}
                """#,
            passwords: ["one": "ab", "two": "hello"]),
        Export(
            testDescription: "Auth0", command: "auth0",
            text: #"""
                {"_id":{"$oid":"5dea"},"username":"one","email":"one@example.com","passwordHash":"$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e","tenant":"t"}
                {"user_id":"2","username":"two","custom_password_hash":{"algorithm":"sha1","hash":{"value":"a9993e364706816aba3e25717850c26c9cd0d89d","encoding":"hex"},"salt":{"value":"a"}}}
                {"user_id":"3","username":"three","custom_password_hash":{"algorithm":"sha1","hash":{"value":"qZk+NkcGgWq6PiVxeFDCbJzQ2J0=","encoding":"base64"},"salt":{"value":"63","encoding":"hex","position":"suffix"}}}
                {"user_id":"4","username":"four","custom_password_hash":{"algorithm":"ldap","hash":{"value":"{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ","encoding":"utf8"}}}
                {"user_id":"5","username":"five","custom_password_hash":{"algorithm":"hmac","hash":{"value":"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843","encoding":"hex","digest":"sha256","key":{"value":"Jefe"}}}}
                {"user_id":"6","username":"six","custom_password_hash":{"algorithm":"pbkdf2","hash":{"value":"$pbkdf2-sha256$i=1000,l=32$AAECAwQFBgcICQoLDA0ODw$yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ","encoding":"utf8"}}}
                {"user_id":"7","username":"seven","custom_password_hash":{"algorithm":"scrypt","hash":{"value":"fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640","encoding":"hex"},"salt":{"value":"NaCl"},"keylen":64,"cost":1024,"blockSize":8,"parallelization":16}}
                """#,
            passwords: [
                "one": "correct horse", "two": "bc", "three": "ab", "four": "password",
                "five": "what do ya want for nothing?", "six": "correct horse", "seven": "password",
            ]),
        Export(
            testDescription: "Keycloak", command: "keycloak", file: "realm.json",
            text: #"{"realm":"r","roles":{"realm":[{"name":"user"}]},"users":["#
                + [
                    // Of a realm that a workshop publishes.
                    keycloak(
                        "one", "pbkdf2-sha256", 27500, "JsfNbCOIdZUbyBJ+BT+VoGI91Ec2rWLOvkLPDaX8e9k=",
                        "P5rtFkGtPfoaryJ6PizUJw=="),
                    keycloak(
                        "two", "pbkdf2-sha512", 1000,
                        "x05AgND7tB/uWGjA/2D9dayuJjghWYfl/1T46uIRM5ta0a9uOHvBLdOnC7blqQEIFBxfCONToumEQ5pDM8Qtbg=="),
                    keycloak(
                        "three", "pbkdf2", 1000,
                        "Awni/k4L3+fQ/kgo1BwjRBbi2b+2HN2PZDoRz7/fwRnniw6z2SQ0FXQ7L+T15nxmib0sPlEtD9piLdfRsFZbgw=="),
                    keycloak("four", "argon2", 5, "wOUyenlgVhMLluXY24oH+HXd+6kpTDsllFwGQljv5rI="),
                    #"""
                    {"id":"five","username":"five","credentials":[{"type":"password","hashedSaltedValue":"JsfNbCOIdZUbyBJ+BT+VoGI91Ec2rWLOvkLPDaX8e9k=","salt":"P5rtFkGtPfoaryJ6PizUJw==","hashIterations":27500,"algorithm":"pbkdf2-sha256"}]}
                    """#,
                    #"{"id":"six","username":"six","credentials":[{"type":"password","value":"password"}]}"#,
                ].joined(separator: ",\n") + #"],"clients":[]}"#,
            passwords: [
                "one": "password", "two": "password", "three": "password", "four": "password", "five": "password",
                "six": "password",
            ]),
        Export(
            // Users of Appwrite's own tests, but for bcrypt, which costs a second there.
            testDescription: "Appwrite", command: "appwrite", file: "users.json",
            text: #"""
                {"total":8,"users":[
                {"$id":"1","email":"argon2@example.com","password":"$argon2i$v=19$m=20,t=3,p=2$YXBwd3JpdGU$A/54i238ed09ZR4NwlACU5XnkjNBZU9QeOEuhjLiexI","hash":"argon2","hashOptions":{"type":"argon2"},"prefs":[]},
                {"$id":"2","email":"bcrypt@example.com","password":"$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e","hash":"bcrypt","hashOptions":{"type":"bcrypt"},"prefs":{}},
                {"$id":"3","email":"scrypt@example.com","password":"3fdef49701bc4cfaacd551fe017283513284b4731e6945c263246ef948d3cf63b5d269c31fd697246085111a428245e24a4ddc6b64c687bc60a8910dbafc1d5b","hash":"scrypt","hashOptions":{"type":"scrypt","salt":"appwrite","costCpu":16384,"costMemory":13,"costParallel":2,"length":64}},
                {"$id":"4","email":"scrypt-modified@example.com","password":"UlM7JiXRcQhzAGlaonpSqNSLIz475WMddOgLjej5De9vxTy48K6WtqlEzrRFeK4t0COfMhWCb8wuMHgxOFCHFQ==","hash":"scryptMod","hashOptions":{"type":"scryptMod","salt":"UxLMreBr6tYyjQ==","saltSeparator":"Bw==","signerKey":"XyEKE9RcTDeLEsL/RjwPDBv/RqDl8fb3gpYEOQaPihbxf1ZAtSOHCjuAAa7Q3oHpCYhXSN9tizHgVOwn6krflQ=="}},
                {"$id":"5","email":"md5@example.com","password":"144fa7eaa4904e8ee120651997f70dcc","hash":"md5","hashOptions":{"type":"md5"}},
                {"$id":"6","email":"sha512@example.com","password":"4243da0a694e8a2f727c8060fe0507c8fa01ca68146c76d2c190805b638c20c6bf6ba04e21f11ae138785d0bff63c416e6f87badbffad37f6dee50094cc38c70","hash":"sha","hashOptions":{"type":"sha","version":"sha512"}},
                {"$id":"7","email":"sha@example.com","password":"a9993e364706816aba3e25717850c26c9cd0d89d","hash":"sha","hashOptions":{"type":"sha"}},
                {"$id":"8","email":"phpass@example.com","password":"$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0","hash":"phpass","hashOptions":{"type":"phpass"}}
                ]}
                """#,
            options: ["--sha", "sha1"],
            passwords: [
                "argon2@example.com": "appwrite", "bcrypt@example.com": "correct horse",
                "scrypt@example.com": "appwrite",
                "scrypt-modified@example.com": "appwrite", "md5@example.com": "appwrite",
                "sha512@example.com": "appwrite", "sha@example.com": "abc", "phpass@example.com": "test12345",
            ]),
    ]

    @Test("log their users in, twice, and no other password does", arguments: exports)
    func logIn(export: Export) async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication()
        let file = "\(folder.path)/\(export.file)"
        try export.text.write(toFile: file, atomically: true, encoding: .utf8)
        var command = [
            "import", export.command, file, "--application", application.id, "--data", folder.path, "--json",
        ]
        if let mapping = export.mapping {
            try mapping.write(toFile: "\(folder.path)/mapping.json", atomically: true, encoding: .utf8)
            command += ["--mapping", "\(folder.path)/mapping.json"]
        }
        if let config = export.hashConfig {
            try config.write(toFile: "\(folder.path)/hash.json", atomically: true, encoding: .utf8)
            command += ["--hash-config", "\(folder.path)/hash.json"]
        }
        let finished = try await Program.run(command + export.options)
        let report: Report = try finished.json()
        #expect(finished.status == 0 && report.imported >= export.passwords.count, "\(finished.output)")
        for (name, password) in export.passwords {
            let app = try server.app(in: application.id)
            await #expect(throws: OkaeriError.credentialRefused, "\(name)") {
                try await app.logIn(identifier: name, password: password + "x")
            }
            let first = try await app.logIn(identifier: name, password: password)
            // The hash is another one by now.
            let other = try server.app(in: application.id)
            #expect(try await other.logIn(identifier: name, password: password).user.id == first.user.id, "\(name)")
        }
        try await server.stop()
    }
}
