import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@Suite("The header Authorization")
struct AuthorizationTests {
    private func request(_ header: String?) -> Request {
        var fields = HTTPFields()
        if let header { fields[.authorization] = header }
        return Request(
            head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/", headerFields: fields),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test(
        "holds a bearer token by one scheme alone, in letters of any case",
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER abc", "abc"), ("Bearer   abc", "abc"),
            ("Bearer a b", "a b"), ("Bearer", nil), ("abc", nil), ("", nil), ("DPoP abc", nil),
            ("Basic abc", nil), ("Bearers abc", nil), ("Bear abc", nil),
            ("B\u{212A}arer abc", nil),
        ] as [(String, String?)])
    func bearer(header: String, token: String?) {
        #expect(request(header).bearerToken.map { String($0) } == token)
    }

    @Test(
        "carries a session token by two schemes",
        arguments: [
            ("Bearer abc", .bearer), ("DPoP abc", .proof), ("dpop abc", .proof), ("Basic abc", nil), ("x", nil),
        ] as [(String, Authorization.Scheme?)])
    func schemes(header: String, scheme: Authorization.Scheme?) {
        #expect(request(header).authorization?.scheme == scheme)
    }

    @Test("may be missing")
    func missing() {
        #expect(request(nil).authorization == nil)
        #expect(request(nil).bearerToken == nil)
    }
}
