import Foundation
import HTTPSupport
import PageSupport
import Testing

@Suite("A form with files")
struct MultipartFormTests {
    private static let type = "multipart/form-data; boundary=b"

    private func form(_ text: String, _ type: String = Self.type) throws(RequestError) -> MultipartForm {
        try MultipartForm(Array(text.utf8), contentType: type)
    }

    private static let whole = [
        "--b", #"Content-Disposition: form-data; name="name""#, "", "日本", "--b",
        #"content-disposition: form-data; name="logo"; filename="a;b.png""#, "Content-Type: text/html", "",
        "\u{1}--b is no end\r\n--x\r\n", "--b", #"Content-Disposition: form-data; name="none"; filename="""#,
        "Content-Type: application/octet-stream", "", "", "--b--", "",
    ].joined(separator: "\r\n")

    @Test(
        "gives fields as texts and files as bytes", arguments: [type, #"Multipart/Form-Data; charset=x; BOUNDARY="b""#])
    func reads(type: String) throws {
        let form = try form(Self.whole, type)
        #expect(form.fields.all.map(\.name) == ["name"] && form.fields.text("name") == "日本")
        // A field where no file was chosen is none.
        #expect(form.files == ["logo": Array("\u{1}--b is no end\r\n--x\r\n".utf8)])
    }

    @Test(
        "takes a file whatever it is called",
        arguments: ["\u{301}a.png", "a\u{0600}", "\u{FF9E}", "a\u{037E} name=\u{0600}", "\u{301}"])
    func fileNames(name: String) throws {
        let head = "--b\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"\(name)\"\r\n\r\n"
        #expect(try form(head + "x\r\n--b--").files == ["logo": [UInt8(ascii: "x")]])
    }

    @Test(
        "is refused when it is not whole",
        arguments: [
            "", "--", "--b", "--b\r\n", "--c--\r\n", "--b\r\n\r\n\r\n--b--",
            "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--",
            "--b\r\nContent-Disposition: form-data; name=x\r\n\r\nx\r\n--b--",
            "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nx",
            "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nx\r\n--b",
            "--b\r\n" + String(repeating: "a", count: 2000) + "\r\n\r\nx\r\n--b--",
        ])
    func broken(text: String) {
        #expect(throws: RequestError.self) { try form(text) }
    }

    @Test("is refused with a name twice, with too many of them, without a boundary, or when it is too large")
    func limits() {
        func part(_ name: String, _ more: String = "") -> String {
            "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)\r\n\r\nx\r\n"
        }
        let many = (0...FormValues.maximumFields).map { part("n\($0)") }.joined()
        let file = "; filename=\"f\""
        for text in [part("a") + part("a"), part("a", file) + part("a", file), many] {
            #expect(throws: RequestError.self) { try form(text + "--b--\r\n") }
        }
        for type in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=a b"] {
            #expect(throws: RequestError.self) { try form(part("a") + "--b--\r\n", type) }
        }
        let huge = String(repeating: "x", count: MultipartForm.maximumBytes + 1)
        #expect(throws: RequestError.bodyTooLarge(maximumBytes: MultipartForm.maximumBytes)) { try form(huge) }
    }

    @Test("has names of so many bytes together, also without files", arguments: [FormValues.maximumNameBytes, 1000])
    func longNames(bytes: Int) throws {
        func fields(_ bytes: Int) throws -> Int {
            let name = String(repeating: "é", count: bytes / 2) + String(repeating: "n", count: bytes % 2)
            return try FormValues(Array("\(name)=1".utf8), maximumBytes: 1_048_576).all.count
        }
        #expect(try fields(bytes) == 1)
        #expect(throws: RequestError.self) { try fields(FormValues.maximumNameBytes + 1) }
    }

    @Test("of hostile bytes has nothing that is not among them, or is refused as malformed", arguments: 0..<40)
    func hostile(seed: Int) {
        var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let whole = Array(Self.whole.utf8)
        for _ in 0..<100 {
            var bytes = whole
            for _ in 0...next(4) {
                switch next(3) {
                case 0: bytes[next(bytes.count)] = UInt8(next(256))
                case 1: bytes.removeSubrange(next(bytes.count)..<bytes.count)
                default: bytes.insert(contentsOf: whole[next(whole.count)...], at: next(bytes.count + 1))
                }
                if bytes.isEmpty { break }
            }
            do throws(RequestError) {
                let form = try MultipartForm(bytes, contentType: Self.type)
                var texts = form.fields.all.flatMap { [$0.name, $0.value] }
                texts += form.files.keys
                var parts = texts.map { Data($0.utf8) }
                parts += form.files.values.map { Data($0) }
                let body = Data(bytes)
                for part in parts where !part.isEmpty { #expect(body.range(of: part) != nil) }
                #expect(parts.map(\.count).reduce(0, +) <= bytes.count)
            } catch {
                guard case .bodyMalformed = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }
}
