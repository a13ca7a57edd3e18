import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestPostgreSQL
import Testing

@Suite("Claims of access tokens")
struct ClaimTests {
    /// What a user's next token says.
    private func claims(_ person: Person) async throws -> [String: JSONValue] {
        let answer = try await person.send(.post, APIPath.token)
        let token = try answer.read(TokenResponse.self).accessToken
        let part = token.split(separator: ".")[1]
        return try JSONDecoder().decode(
            [String: JSONValue].self, from: Data(try #require(Base64URL.bytes(of: part.utf8))))
    }

    private func set(_ world: AdminWorld, _ rules: String) async throws -> Answer {
        try await world.send("owner", .put, world.path("/claims"), body: #"{"claims": [\#(rules)]}"#)
    }

    /// A server with a field that only the server writes, and one that users write.
    private func world() async throws -> AdminWorld {
        let world = try await AdminWorld(roles: [])
        try await world.server.modules.applications.changeFieldRules(
            of: world.server.application.id, mayLoosen: true, by: .local
        ) {
            $0["plan"] = FieldRule(name: "plan", writer: .server)
            $0["mood"] = FieldRule(name: "mood")
        }
        return world
    }

    private func write(_ world: AdminWorld, _ fields: [String: JSONValue], of person: Person) async throws {
        let application = try await world.server.modules.applications.findApplication(world.server.application.id)
        _ = try await world.server.modules.accounts.editUser(
            UserEdit(fields: .set(fields), identifiers: NewIdentifiers(rules: .native)),
            of: Identifier(rawValue: person.logIn.user.id), in: application, by: .operator(.local))
    }

    private func give(
        _ world: AdminWorld, _ name: String, permitting permissions: Set<String>, to person: Person
    ) async throws -> Grant {
        let modules = world.server.modules
        let role = try await modules.applications.changeAccessRules.create(
            name, .role(permissions: permissions), in: world.server.application.id, by: .local)
        let application = try await modules.applications.findApplication(world.server.application.id)
        _ = try await modules.accounts.changeUserRoles(
            .init(adding: [role.id]), of: Identifier(rawValue: person.logIn.user.id), in: application, by: .local)
        return role
    }

    @Test("are none for who has nothing, and the token is as it was")
    func none() async throws {
        let person = try await TestServer().person()
        let claims = try await claims(person)
        #expect(claims["roles"] == nil && claims["claims_version"] == nil)
        #expect(claims["sub"] == .string(person.logIn.user.id))
    }

    @Test("come from roles, permissions, fields of the server and fixed values, and reach the next token")
    func sources() async throws {
        let world = try await world()
        let person = try await world.server.person()
        let answer = try await set(
            world,
            #"""
            {"claim": "roles", "source": "roles", "including": ["user"]}, {"claim": "permissions", "source": "permissions"},
            {"claim": "plan", "within": "app_metadata", "field": "plan"}, {"claim": "tier", "value": {"a": [1, null]}},
            {"claim": "who", "source": "user"}
            """#)
        #expect(answer.status == 200, "\(answer.text)")
        let before = try await claims(person)
        #expect(before["roles"] == ["user"] && before["permissions"] == nil && before["app_metadata"] == nil)
        #expect(before["tier"] == ["a": [1, nil]] && before["who"] == before["sub"])
        _ = try await give(world, "editor", permitting: ["posts:write"], to: person)
        try await write(world, ["plan": "pro", "mood": "good"], of: person)
        let after = try await claims(person)
        #expect(after["roles"] == ["user", "editor"] && after["permissions"] == ["posts:write"])
        #expect(after["app_metadata"] == ["plan": "pro"])
        #expect(before["claims_version"] != nil && after["claims_version"] != before["claims_version"])
        let shown = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(shown.claimsVersion.map { .string($0) } == after["claims_version"])
        // The same claims again have the same version.
        #expect(try await claims(person)["claims_version"] == after["claims_version"])
    }

    @Test("of a role that goes while a token is open are in no further token, and the version tells")
    func removedWhileOpen() async throws {
        let world = try await world()
        let person = try await world.server.person()
        let role = try await give(world, "editor", permitting: [], to: person)
        let open = try await claims(person)
        #expect(open["roles"] == ["editor"])
        try await world.server.modules.applications.changeAccessRules.remove(
            role.id, .role, in: world.server.application.id, by: .local)
        // The session lives on; what it may does not.
        let next = try await claims(person)
        #expect(next["roles"] == nil && next["claims_version"] == nil && next["sid"] == open["sid"])
    }

    @Test(
        "that the token has by itself are refused by name, in any case and as an object",
        arguments: ["sub", "SUB", "iss", "aud", "Exp", "sid", "client_id", "cnf", "claims_version", "is_anonymous"])
    func reserved(name: String) async throws {
        let world = try await world()
        for rule in [
            #"{"claim": "\#(name)", "value": "someone"}"#, #"{"claim": "x", "within": "\#(name)", "value": 1}"#,
            #"{"claim": "\#(name)", "field": "plan"}"#,
        ] {
            let refused = try await set(world, rule)
            #expect(refused.status == 400 && refused.text.contains("reserved"), "\(refused.text)")
            #expect(refused.text.contains("claims."))
        }
        // Within an object of its own it shadows nothing.
        #expect(try await set(world, #"{"claim": "\#(name)", "within": "mine", "value": "x"}"#).status == 200)
        let person = try await world.server.person()
        #expect(try await claims(person)["sub"] == .string(person.logIn.user.id))
    }

    @Test(
        "are refused that users could write, that are there twice, or that are malformed",
        arguments: [
            #"{"claim": "a", "field": "mood"}"#, #"{"claim": "a", "field": "unknown"}"#, #"{"claim": "", "value": 1}"#,
            #"{"claim": "a", "value": null}"#, #"{"claim": "a"}"#, #"{"claim": "a", "value": 1, "field": "plan"}"#,
            #"{"claim": "a", "source": "name"}"#, #"{"claim": "a", "value": 1, "including": ["x"]}"#,
            #"{"claim": "a", "value": 1}, {"claim": "a", "value": 2}"#, #"{"claim": "ｓub", "value": 1}"#,
            #"{"claim": "a", "value": 1}, {"claim": "b", "within": "a", "value": 2}"#, #"{"claim": "a b", "value": 1}"#,
            #"{"claim": "a", "value": "\#(String(repeating: "x", count: 2048))"}"#,
            #"{"claim": "\#(String(repeating: "x", count: 129))", "value": 1}"#,
            (0...50).map { #"{"claim": "c\#($0)", "value": 1}"# }.joined(separator: ","),
            (0..<3).map { #"{"claim": "c\#($0)", "value": "\#(String(repeating: "x", count: 1900))"}"# }
                .joined(separator: ","),
        ])
    func refused(rules: String) async throws {
        let answer = try await set(try await world(), rules)
        #expect(answer.status == 400, "\(answer.text)")
    }

    @Test("keep the rule of their field: it cannot be given to users while a claim is made of it")
    func fieldRule() async throws {
        let world = try await world()
        #expect(try await set(world, #"{"claim": "plan", "field": "plan"}"#).status == 200)
        let given = try await world.send(
            "owner", .put, world.path("/fields/plan"), body: #"{"write": "owner"}"#)
        #expect(given.status == 400 && given.text.contains("not_the_servers"), "\(given.text)")
        let removed = try await world.send("owner", .delete, world.path("/fields/plan"))
        #expect(removed.status == 400, "\(removed.text)")
        #expect(try await set(world, "").status == 200)
        #expect(try await world.send("owner", .delete, world.path("/fields/plan")).status == 204)
    }

    @Test("beyond four kilobytes make no token, and say so")
    func size() async throws {
        let world = try await world()
        let person = try await world.server.person()
        #expect(try await set(world, #"{"claim": "plan", "field": "plan"}"#).status == 200)
        try await write(world, ["plan": .string(String(repeating: "x", count: 4096))], of: person)
        let refused = try await person.send(.post, APIPath.token)
        #expect(refused.status == 400 && refused.text.contains("too_many_bytes"), "\(refused.text)")
        // Neither the app nor an operator sees them half.
        let path = world.path("/users/\(person.logIn.user.id)/roles")
        let shown = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(shown.claims == nil && shown.claimsVersion == nil)
        let listed = try await world.send("owner", .get, path)
        #expect(try listed.json["claims"] == [:] && listed.json["hasTooLargeClaims"] == true)
        try await write(world, ["plan": "pro"], of: person)
        #expect(try await claims(person)["plan"] == "pro")
        #expect(try await world.send("owner", .get, path).json["hasTooLargeClaims"] == nil)
    }

    @Test("that are fields of a user are masked for admins who see no personal data")
    func masked() async throws {
        let world = try await world()
        let person = try await world.server.person()
        let rules = #"{"claim": "plan", "field": "plan"}, {"claim": "tier", "value": "all"}"#
        #expect(try await set(world, rules).status == 200)
        try await write(world, ["plan": "for Hana"], of: person)
        let path = world.path("/users/\(person.logIn.user.id)/roles")
        let open = try await world.send("owner", .get, path)
        #expect(try open.json["claims"]?["plan"] == "for Hana" && open.json["claimsVersion"] != nil)
        let masked = try await world.send(try await world.key([.readUsers]), .get, path)
        #expect(try masked.json["claims"] == ["plan": "•••", "tier": "all"] && masked.json["claimsVersion"] == nil)
    }

    private func register(_ person: Person) async throws -> Answer {
        try await person.send(
            .post, APIPath.upgrade, body: #"{"username": "hana", "password": "correct horse battery"}"#)
    }

    @Test("do not move with a merge, nor do roles: the user that stays has its own")
    func merge() async throws {
        let world = try await world()
        #expect(
            try await set(world, #"{"claim": "plan", "field": "plan"}, {"claim": "roles", "source": "roles"}"#).status
                == 200)
        let (staying, going) = (try await world.server.person(), try await world.server.person())
        try #require(try await register(staying).status == 200)
        _ = try await give(world, "admin", permitting: [], to: going)
        try await write(world, ["plan": "pro", "mood": "good"], of: going)
        let conflict = try await register(going)
        let ticket = try #require(try conflict.read(Problem.self).merge, "\(conflict.text)").ticket
        let merged = try await going.send(
            .post, APIPath.merge, body: #"{"ticket": "\#(ticket)", "choice": "merge"}"#)
        #expect(merged.status == 200, "\(merged.text)")
        let user = try await staying.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.roles == nil && user.fields == ["mood": "good"] && user.claims == nil)
    }

    @Test("let PostgreSQL's policies decide, as the guide shows")
    func rowLevelSecurity() async throws {
        let world = try await world()
        #expect(
            try await set(world, #"{"claim": "permissions", "source": "permissions"}"#).status == 200)
        let (hana, editor) = (try await world.server.person(), try await world.server.person())
        _ = try await give(world, "editor", permitting: ["posts:write"], to: editor)
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        try await cluster.run(try Self.recipe(), in: database)
        try await cluster.run(
            """
            INSERT INTO posts (owner, body) VALUES ('\(hana.logIn.user.id)', 'of hana'), ('taro', 'of taro')
            """, in: database)
        func bodies(_ claims: String) async throws -> [String?] {
            try await cluster.run(
                """
                BEGIN; SET LOCAL ROLE app_user; SELECT set_config('request.jwt.claims', '\(claims)', true);
                SELECT body FROM posts ORDER BY id
                """, in: database
            ).compactMap(\.first)
        }
        func payload(_ person: Person) async throws -> String {
            String(decoding: try JSONEncoder().encode(try await claims(person)), as: UTF8.self)
        }
        #expect(try await bodies(try await payload(hana)) == ["of hana"])
        #expect(try await bodies(try await payload(editor)) == ["of hana", "of taro"])
        #expect(try await bodies("") == [])
        // Nobody writes in somebody else's name, nor moves a row there.
        for statement in [
            "INSERT INTO posts (owner, body) VALUES ('taro', 'of hana')", "UPDATE posts SET owner = 'taro'",
        ] {
            let claims = try await payload(hana)
            await #expect(throws: (any Error).self) {
                try await cluster.run(
                    """
                    BEGIN; SET LOCAL ROLE app_user; SELECT set_config('request.jwt.claims', '\(claims)', true);
                    \(statement)
                    """, in: database)
            }
        }
        // A pooled connection carries nothing over.
        let after = try await cluster.run(
            """
            BEGIN; SET LOCAL ROLE app_user; SELECT set_config('request.jwt.claims', '{"sub": "hana"}', true); COMMIT;
            SELECT claims()::text, (current_user = 'app_user')::text
            """, in: database)
        #expect(after == [["{}", "false"]])
    }

    @Test("in Supabase's form let its own function and the guide's policy decide, by the database role of the token")
    func supabase() async throws {
        let world = try await world()
        let rules = try await world.send(
            "owner", .put, world.path("/claims"), body: try Self.block("json", behind: "### PostgREST"))
        #expect(rules.status == 200, "\(rules.text)")
        let (hana, editor) = (try await world.server.person(), try await world.server.person())
        _ = try await give(world, "editor", permitting: ["posts:write"], to: editor)
        let (none, both) = (try await claims(hana), try await claims(editor))
        #expect(none["role"] == "authenticated" && none["app_metadata"] == nil)
        #expect(both["app_metadata"] == ["roles": ["editor"], "permissions": ["posts:write"]])
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        // `auth.jwt()` as Supabase defines it.
        try await cluster.run(
            """
            DO $$ BEGIN CREATE ROLE authenticated NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            CREATE SCHEMA auth;
            CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS $$
                SELECT coalesce(
                    nullif(current_setting('request.jwt.claim', true), ''),
                    nullif(current_setting('request.jwt.claims', true), ''))::jsonb
            $$;
            GRANT USAGE ON SCHEMA auth TO authenticated;
            CREATE TABLE posts (owner text NOT NULL);
            GRANT SELECT ON posts TO authenticated;
            ALTER TABLE posts ENABLE ROW LEVEL SECURITY;
            CREATE POLICY own ON posts TO authenticated USING (owner = auth.jwt() ->> 'sub');
            CREATE POLICY editors ON posts TO authenticated
                USING (\(try Self.policy(of: "auth.jwt()")));
            INSERT INTO posts VALUES ('\(hana.logIn.user.id)'), ('taro')
            """, in: database)
        for (claims, count) in [(none, "1"), (both, "2")] {
            let payload = String(decoding: try JSONEncoder().encode(claims), as: UTF8.self)
            guard case .string(let role)? = claims["role"] else { throw Missing(description: "role") }
            let rows = try await cluster.run(
                """
                BEGIN; SET LOCAL ROLE \(role); SELECT set_config('request.jwt.claims', '\(payload)', true);
                SELECT count(*)::text FROM posts
                """, in: database)
            #expect(rows == [[count]])
        }
    }

    @Test("in Hasura's form are texts and lists of texts, and the role without another one is among those allowed")
    func hasura() async throws {
        let world = try await world()
        let rules = try await world.send(
            "owner", .put, world.path("/claims"), body: try Self.block("json", behind: "### Hasura"))
        #expect(rules.status == 200, "\(rules.text)")
        let person = try await world.server.person()
        for allowed in [["user"], ["user", "editor"]] as [JSONValue] {
            let claims = try await claims(person)
            #expect(
                claims["https://hasura.io/jwt/claims"] == [
                    "x-hasura-default-role": "user", "x-hasura-allowed-roles": allowed,
                    "x-hasura-user-id": .string(person.logIn.user.id),
                ])
            if allowed == ["user"] { _ = try await give(world, "editor", permitting: [], to: person) }
        }
    }

    private static func guide() throws -> String {
        let guide = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/claims.md")
        return try String(contentsOf: guide, encoding: .utf8)
    }

    /// The statements of the guide.
    private static func recipe() throws -> String { try block("sql", behind: "## Row-level security in PostgreSQL") }

    /// The first block of code of a language behind a heading of the guide.
    private static func block(_ language: String, behind heading: String) throws -> String {
        let section = try #require(try guide().components(separatedBy: "\n\(heading)").dropFirst().first)
        let block = try #require(section.components(separatedBy: "```\(language)\n").dropFirst().first)
        return try #require(block.components(separatedBy: "```").first)
    }

    /// The condition of the guide that begins with a function.
    private static func policy(of function: String) throws -> String {
        let text = try #require(try guide().components(separatedBy: "A policy reads `").dropFirst().first)
        let condition = try #require(text.components(separatedBy: "`").first)
        #expect(condition.hasPrefix(function))
        return condition
    }
}
