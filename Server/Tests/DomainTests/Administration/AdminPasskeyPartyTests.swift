import Testing

@testable import Domain

@Suite("Who takes the passkeys of admins")
struct AdminPasskeyPartyTests {
    @Test(
        "is the domain of the server's own address, and localhost on this machine",
        arguments: [
            ("https://id.example.com", "id.example.com"), ("https://ID.example.com:8443/okaeri", "id.example.com"),
            ("http://localhost:8080", "localhost"), ("http://127.0.0.1:8080", "localhost"),
            ("http://[::1]:8080", "localhost"), ("http://127.0.0.1", "localhost"),
        ])
    func domain(address: String, domain: String) throws {
        #expect(try AdminPasskeyParty(pagesURL: address)().domain == domain)
    }

    @Test(
        "is nobody where the address has no domain",
        arguments: [nil, "http://192.0.2.7:8080", "http://[2001:db8::7]:8080", "https://bad_host", "nonsense"])
    func none(address: String?) {
        #expect(throws: DomainError.passkeysNotEnabled) { try AdminPasskeyParty(pagesURL: address)() }
    }
}
