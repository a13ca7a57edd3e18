import Domain
import Testing

@Suite("The address that a proof names")
struct ProofTargetTests {
    private let target = ProofTarget(scheme: "https", authority: "Id.Example:443", path: "/v1/user")

    @Test(
        "is the request's in every spelling of it",
        arguments: [
            "https://id.example/v1/user", "https://id.example:443/v1/user", "HTTPS://ID.EXAMPLE/v1/user",
            "https://id.example/v1/user?q=1", "https://id.example/v1/user#part",
        ])
    func same(text: String) {
        #expect(target.isNamed(by: text))
    }

    @Test(
        "is not the request's when scheme, host, port or path differ",
        arguments: [
            "http://id.example/v1/user", "https://id.example/v1/users", "https://id.example/v1/use",
            "https://id.example/V1/user", "https://id.example:8443/v1/user", "https://id.examples/v1/user",
            "https://x@id.example/v1/user", "https:/id.example/v1/user", "id.example/v1/user", "",
            "httpz://id.example/v1/user", "wss12://id.example/v1/user", "https:--id.example/v1/user",
            "https://id.exampla/v1/user", "https://id.example/v1/usex",
        ])
    func other(text: String) {
        #expect(!target.isNamed(by: text))
    }

    @Test("never has a query in its path, however it is asked for")
    func query() {
        let odd = ProofTarget(scheme: "https", authority: "id.example", path: "/v1/user?q=1")
        #expect(!odd.isNamed(by: "https://id.example/v1/user?q=1"))
    }
}
