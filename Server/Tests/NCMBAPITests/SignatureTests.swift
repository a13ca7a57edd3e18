import Crypto
import Domain
import Foundation
@testable import NCMBAPI
import Testing

@Suite("A signature of NCMB")
struct SignatureTests {
    struct Vector: Sendable, CustomStringConvertible {
        var name: String
        var method: String
        var host = "auth.example.test"
        var target: String
        var timestamp = "2026-01-02T03:04:05.678Z"
        var keys = (application: NCMBWorld.applicationKey, client: NCMBWorld.clientKey)
        var body: String?
        var signature: String
        var description: String { name }
    }

    static let vectors = [
        Vector(
            name: "V1", method: "GET", host: "mbaas.api.nifcloud.com",
            target: "/2013-09-01/classes/TestClass?where=%7B%22testKey%22%3A%22testValue%22%7D",
            timestamp: "2013-12-02T02:44:35.452Z", signature: "AltGkQgXurEV7u0qMd+87ud7BKuueldoCjaMgVc9Bes="),
        Vector(
            name: "V2", method: "POST", target: "/2013-09-01/login",
            signature: "GZg4NSx9IGZcJsDqDQbtd7vFdEEyqQpDZ+nBmF9VYJw="),
        Vector(
            name: "V3", method: "POST", target: "/2013-09-01/login", timestamp: "2026-01-02T03%3A04%3A05.678Z",
            signature: "Djby+CEB1Nd/6pJzJf8PWAjZCav6qobYjUk3aj0zKKk="),
        Vector(
            name: "V4", method: "GET",
            target: "/2013-09-01/users?where=%7B%22userName%22:%22taro%22%7D&order=-createDate&limit=1&count=1",
            signature: "VdK/Vbg0wcbg0YpOOEOPcH0Qqd91288nN/M58vcvOQ4="),
        Vector(
            name: "V5", method: "GET",
            target: "/2013-09-01/users?count=1&where=%7B%22userName%22%3A%22taro%22%7D&limit=1&order=-createDate",
            signature: "KS3sbZxmDIYlqzF2V01ThwfkSJdO53OX84DA1+viPgo="),
        Vector(
            name: "V6", method: "GET", target: "/2013-09-01/login?userName=taro&password=p%40ss%20word",
            signature: "rmU+vkX/43gggwEPlCDTv64orbkYSAY0kck55igcHaM="),
        Vector(
            name: "V7", method: "GET", target: "/2013-09-01/logout",
            signature: "1qqfl1OcDDce9dVhxb5sJrMSrhjlAmebYJ9fmcTN4Ws="),
        Vector(
            name: "V8", method: "DELETE", target: "/2013-09-01/users/Abc123Def456Ghi7",
            signature: "4HVezQ25j5WSjITuTdCw6SyuJKuDc5ueO2MP2i6AEV4="),
        Vector(
            name: "V9", method: "POST", target: "/2013-09-01/login",
            body: #"{"objectId":"Abc123Def456Ghi7","userName":"taro","mailAddress":null,"mailAddressConfirm":null,"#
                + #""sessionToken":"a1B2c3D4e5F6g7H8i9J0k1L2m","createDate":"2026-01-01T00:00:00.000Z","#
                + #""updateDate":"2026-01-02T03:04:05.678Z","authData":null}"#,
            signature: "bi/cy5ayZZt1MIj9wCmswMb84FiaVCOwQR3tDFTcFao="),
        Vector(
            name: "V10", method: "POST", host: "mbaas.api.nifcloud.com",
            target: "/2013-09-01/classes/ResponseSignatureTest", timestamp: "2016-05-27T04%3A46%3A09.376Z",
            keys: (
                "6e58668eb431b6cef540116a18ac269eeee83383acd61cdb08101e2531cdeece",
                "9714b04345bcdad2d609d3b9ba9bd89c7bed612189d4e6a923c70bf87da60e76"
            ),
            body: #"{"createDate":"2016-05-27T04:46:10.572Z","objectId":"5V67LBiCaOJl5psP"}"#,
            signature: "9XuXzrgyI/B7E8KpXzeGUaAXcdO5h/hlL+4o/GVm/T4="),
        Vector(
            name: "V11", method: "POST", host: "localhost", target: "/2013-09-01/users",
            timestamp: "2017-11-16T09:56:28.373Z", keys: ("apikey", "clientkey"),
            body: #"{"createDate":"2013-08-28T11:27:16.446Z","objectId":"epaKcaYZqsREdSMY","#
                + #""sessionToken":"iXDIelJRY3ULBdms281VTmc5O","userName":"Yamada Tarou","authData":null}"#,
            signature: "c8mzeCvMdRDK5BgI9vC37d2CsngCYnse2Mxqnr/uF2I="),
        Vector(
            name: "Kotlin's own", method: "POST", host: "mbaas.api.nifcloud.com", target: "/2013-09-01/classes/test",
            timestamp: "2020-03-30T05:35:37.974Z",
            keys: (
                "a69ec93ef132f0fdsfdsfds7d24b55d1926bd2c191c0eb054",
                "6afad6056749cb55dfdsggwwcxv54w06bdef688fdsfdsfdsfds3a695d0"
            ),
            signature: "PypCIPOo1vASUWe1IUT5DWky/niMGqS7HWwFwKvj7NA="),
    ]

    @Test("is the published one", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let text = SignedText(
            method: vector.method, host: vector.host[...], target: vector.target,
            applicationKey: vector.keys.application, timestamp: vector.timestamp)
        let signature = text.begun(by: HMAC(key: SymmetricKey(data: Array(vector.keys.client.utf8))))
        #expect(Array((vector.body ?? "").utf8).withUnsafeBytes { signature.text(over: $0) } == vector.signature)
        let bytes = try #require(Data(base64Encoded: vector.signature))
        let sent = try #require(SecretDigest(stored: Array(bytes)))
        #expect(signature.isEqual(to: sent) == (vector.body == nil))
    }

    @Test(
        "counts within a window by any SDK's clock",
        arguments: [
            ("2026-01-02T15:04:05.678Z", true), ("2026-01-02T15%3A04%3A05.678Z", true),
            ("2026-01-02T03%3A04%3A05.678Z", true), ("2026-01-03T00:04:05.6+0900", true),
            ("2026-01-02T15:04:05Z", true), ("2026-01-02T14:00:00.000Z", false), ("2013-12-02T02:44:35.452Z", false),
        ])
    func timestamps(_ header: String, isFresh: Bool) throws {
        let now = try #require(NCMBTimestamp("2026-01-02T15:05:00.000Z")).time
        #expect(try #require(NCMBTimestamp(header)).isWithin(.seconds(300), of: now) == isFresh)
    }

    @Test("lets Android say noon for midnight")
    func midnight() throws {
        let now = try #require(NCMBTimestamp("2026-01-02T00:30:00.000Z")).time
        #expect(try #require(NCMBTimestamp("2026-01-02T12%3A30%3A00.000Z")).isWithin(.seconds(300), of: now))
        #expect(NCMBTimestamp("yesterday") == nil)
        #expect(NCMBTimestamp("2026-13-02T12:30:00.000Z") == nil)
    }
}
