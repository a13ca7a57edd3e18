import HTTPTypes
import Testing

@testable import HTTPSupport

/// How texts of a request are read, at the edges of what they may be.
@Suite("Texts of a request")
struct RequestTextTests {
    @Test(
        "in percent-encoding are two hexadecimal digits for a byte, and UTF-8 together",
        arguments: [
            ("", ""), ("abc", "abc"), ("%41%7a%7A", "Azz"), ("%c3%A9", "é"), ("é", "é"), ("%09%30%39%46%66", "\t09Ff"),
            ("%2B%25", "+%"), ("%af", nil), ("%ff", nil), ("%c3", nil), ("%", nil), ("%4", nil), ("a%", nil),
            ("%4g", nil), ("%g4", nil), ("%/0", nil), ("%0/", nil), ("%:0", nil), ("%@0", nil), ("%G0", nil),
            ("%`0", nil), ("%-1", nil), ("%+1", nil), ("%%41", nil), ("% 41", nil),
        ] as [(String, String?)])
    func percent(text: String, decoded: String?) {
        #expect(PercentEncoding.text(of: text.utf8, plusIsSpace: false) == decoded)
        #expect(PercentEncoding.text(of: text.utf8, plusIsSpace: true) == decoded)
        #expect(PercentEncoding.text(ofSegment: text) == decoded)
        // A part of a body, and bytes that are not in a row.
        let body = Array("=\(text)&".utf8)
        #expect(PercentEncoding.text(of: body[1..<body.count - 1], plusIsSpace: true) == decoded)
        #expect(PercentEncoding.text(of: AnyCollection(text.utf8), plusIsSpace: true) == decoded)
    }

    @Test("in headers of one kind are read in one pass as each is by itself")
    func headerGroup() throws {
        let lines = [
            ("X-Kind-One", "1"), ("x-kind-two", "a"), ("Other", "o"), ("X-KIND-TWO", "b"), ("X-Kind-Two", "c"),
            ("X-Kin", "short"), ("X-Kind-", "end"), ("X-Kind-Empty", ""),
            ("X-Kind-Marks", "a" + String(repeating: "\u{301}", count: 40)),
        ]
        var headers = HTTPFields()
        for (name, value) in lines { headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        let group = HeaderGroup(headers, prefix: "x-kind-")
        for (name, _) in lines where name.lowercased().hasPrefix("x-kind-") {
            let name = try #require(HTTPField.Name(name))
            #expect(group.value(of: name) == headers.value(of: name))
        }
        #expect(group.value(of: try #require(HTTPField.Name("X-Kind-Two"))) == "a, b, c")
        #expect(group.value(of: try #require(HTTPField.Name("X-Kind-Marks"))) == nil)
        for name in ["Other", "X-Kin", "X-Kind-None"] {
            #expect(group.value(of: try #require(HTTPField.Name(name))) == nil)
        }
    }

    @Test("have a plus for a space in queries and forms alone")
    func plus() {
        #expect(PercentEncoding.text(of: "a+b%2B".utf8, plusIsSpace: true) == "a b+")
        #expect(PercentEncoding.text(of: "a+b%2B".utf8, plusIsSpace: false) == "a+b+")
        #expect(PercentEncoding.text(ofSegment: "a+b") == "a+b")
    }

    @Test(
        "in a query are names and values, each name once",
        arguments: [
            ("", [:]), ("a=1&b=2", ["a": "1", "b": "2"]), ("a", ["a": ""]), ("a=", ["a": ""]), ("a=b=c", ["a": "b=c"]),
            ("&&a=1&", ["a": "1"]), ("=1", ["": "1"]), ("a+b=c+d", ["a b": "c d"]), ("%61=%26", ["a": "&"]),
            ("a=1&A=2", ["a": "1", "A": "2"]),
        ] as [(String, [String: String])])
    func query(text: String, items: [String: String]) throws {
        let query = try QueryItems(parsing: text[...])
        #expect(query.items == items)
        for (name, value) in items { #expect(query[name] == value) }
        #expect(query["none"] == nil)
    }

    @Test(
        "in a query are refused by name",
        arguments: [
            ("a=1&a=2", "a"), ("a=%", "a"), ("%=1", "%"), ("b=1&c=%ff", "c"), ("x&x", "x"), ("a=1&%61=2", "%61"),
        ])
    func badQuery(text: String, name: String) {
        #expect(throws: QueryItems.Fault(name: name)) { try QueryItems(parsing: text[...]) }
    }

    @Test(
        "that name languages are read in the order of their weights",
        arguments: [
            ("ja", ["ja"]), ("ja,en;q=0.8,ko;q=0.5", ["ja", "en", "ko"]), ("en;q=0.5,ja", ["ja", "en"]),
            ("en;q=0,ja", ["ja"]), ("en;q=0", []), ("ja;q=abc,ko", ["ko"]), ("ja; q=0.7, en;q=0.7", ["ja", "en"]),
            ("a;q=0.1,b;q=0.5,c;q=0.5,d", ["d", "b", "c", "a"]), ("ja;x=1;q=0.5,en", ["en", "ja"]),
            ("ja\t;q=1,\ten", ["ja", "en"]), ("", []), (",,,", []), ("*", []), ("ja_JP", []),
            ("zh-Hant-TW", ["zh-Hant-TW"]),
            ("a1", ["a1"]), ("j@", []), ("j[", []), ("j`", []), ("j{", []), ("j/", []), ("j:", []),
            ("AZaz09", ["AZaz09"]),
            ("é", []), (String(repeating: "a", count: 35), [String(repeating: "a", count: 35)]),
            (String(repeating: "a", count: 36), []), (String(repeating: " ", count: 498) + "ja", ["ja"]),
            (String(repeating: " ", count: 499) + "ja", []),
        ] as [(String, [String])])
    func languages(header: String, tags: [String]) { #expect(AcceptLanguage.tags(in: header) == tags) }

    @Test("that name languages name ten at the most, also out of order")
    func tenLanguages() {
        let names = (10...20).map { "l\($0)" }
        #expect(AcceptLanguage.tags(in: names.joined(separator: ",")) == Array(names.prefix(10)))
        let reversed = names.enumerated().map { "\($1);q=0.\($0 + 10)" }.joined(separator: ",")
        #expect(AcceptLanguage.tags(in: reversed) == Array(names.reversed().prefix(10)))
    }

    @Test("that are repeated to their sender are 200 printable characters of ASCII")
    func printable() {
        #expect(MemberFault.printable("user.fields.a b~") == "user.fields.a b~")
        #expect(MemberFault.printable("a\u{1f}\u{7f}é\n花b") == "ab")
        let long = String(repeating: "x", count: 201)
        #expect(MemberFault.printable(String(long.dropLast())).count == 200)
        #expect(MemberFault.printable(long).count == 200)
        #expect(MemberFault.printable(String(repeating: "花", count: 300) + "x") == "x")
    }

    @Test(
        "that number a request are 1 to 128 characters of an alphabet",
        arguments: [
            ("", false), ("a", true), ("azAZ09-_.:/=+", true), (String(repeating: "a", count: 128), true),
            (String(repeating: "a", count: 129), false), ("a b", false), ("é", false), ("a\n", false), ("a,", false),
            ("a\"", false), ("a;", false), ("a@", false),
        ])
    func requestId(text: String, isTaken: Bool) { #expect(RequestIds.isWellFormed(text) == isTaken) }

    @Test("that number requests count upwards, behind five characters of the process")
    func requestIds() {
        let ids = RequestIds(seed: 0)
        let numbers = (0...62).map { _ in ids.next() }
        #expect(numbers[0] == "000000000000000" && numbers[1] == "000000000000001")
        #expect(numbers[10] == "00000000000000A" && numbers[36] == "00000000000000a")
        #expect(numbers[61] == "00000000000000z" && numbers[62] == "000000000000010")
        #expect(Set(numbers).count == 63 && numbers.allSatisfy { RequestIds.isWellFormed($0) })
        for (seed, prefix) in [
            (UInt64(1), "10000"), (61, "z0000"), (62, "01000"), (916_132_831, "zzzzz"), (916_132_832, "00000"),
        ] {
            #expect(RequestIds(seed: seed).next() == prefix + "0000000000", "\(seed)")
        }
    }

    @Test(
        "that say a time are those of RFC 9110",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ])
    func date(second: Int, text: String) {
        let date = HTTPDate()
        #expect(date.text(at: second) == text && date.text(at: second) == text)
        #expect(date.text(at: second + 1) != text)
        #expect(date.text(at: second) == text)
    }
}
