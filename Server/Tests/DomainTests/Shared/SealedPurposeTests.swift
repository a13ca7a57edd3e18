import Testing

@testable import Domain

/// What is sealed says for what: a purpose that changes makes unreadable what every installation has stored.
@Suite("What a sealed value is bound to")
struct SealedPurposeTests {
    private static let rows: [(SealedColumn, [String], String)] = [
        (.providerSecrets, ["app", "google", ""], "provider secret app google"),
        (.providerGrants, ["app", "google", "subject"], "provider grant app google"),
        (.providerGrants, ["app", "anonymous", "subject"], "anonymous id app"),
        (.providerRevocations, ["app", "revocation", "google"], "provider grant app google"),
        (.providerRevocations, ["app", "anonymous", "google"], "provider grant app google"),
        (.eventSecrets, ["app", "e", ""], "event endpoint app e"),
        (.formerEventSecrets, ["app", "e", ""], "event endpoint app e"),
        (.userTOTP, ["app", "hana", "factor"], "okaeri user totp app hana"),
        (.adminTOTP, ["", "admin", ""], "okaeri admin totp"),
        (.adminLinkTOTP, ["", "link", ""], "okaeri admin totp"),
        (.protocolKeys, ["app", "ncmb", "client"], "protocol key app ncmb client"),
        (.signingKeys, ["app", "key", ""], "access token signing key"),
    ]

    @Test("is the same for good", arguments: rows.indices)
    func purposes(index: Int) {
        let (column, row, purpose) = Self.rows[index]
        #expect(SealedValue(column: column, row: row, sealed: []).purpose == purpose)
    }

    @Test("needs the three texts of its row", arguments: SealedColumn.allCases, [0, 1, 2, 4])
    func incomplete(column: SealedColumn, count: Int) {
        let row = [String](repeating: "app", count: count)
        #expect(SealedValue(column: column, row: row, sealed: []).purpose == nil)
    }

    @Test("is another one for each application, where it is an application's")
    func applications() {
        for (column, row, purpose) in Self.rows where row[0] == "app" && column != .signingKeys {
            let other = SealedValue(column: column, row: ["other"] + row.dropFirst(), sealed: [])
            #expect(other.purpose != nil && other.purpose != purpose, "\(column)")
        }
    }

    @Test("in an application's settings is nothing where there is nothing of the name")
    func settings() {
        func purpose(_ name: String, _ kind: String) -> String? {
            SealedValue(column: .applicationSettings, row: ["app", name, kind], sealed: []).purpose
        }
        let application = Identifier<Application>(rawValue: "app")
        #expect(purpose("com.example", "play-key") == PlayKeys.purpose("com.example", application))
        for kind in ["hook-secret", "former-hook-secret"] {
            #expect(purpose(HookPoint.signUp.rawValue, kind) == Hook.purpose(.signUp, application))
            #expect(purpose("none", kind) == nil)
        }
        #expect(purpose("com.example", "none") == nil && purpose("com.example", "") == nil)
    }

    @Test("is known of every column that holds nothing else")
    func columns() {
        #expect(SealedColumn.allCases.filter { !$0.isPlain } == [.applicationSettings, .protocolKeys])
        #expect(Set(SealedColumn.small).isSubset(of: SealedColumn.allCases))
    }
}
