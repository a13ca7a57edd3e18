import Foundation
import OkaeriWire
import Testing

@Suite("The strict JSON reader (RFC 8259)")
struct JSONParserTests {
    static let right: [(String, JSONValue)] = [
        ("null", nil), (" true ", true), ("false\n", false), ("0", 0), ("-0", 0), ("-12", -12), ("1.5", 1.5),
        ("1e3", 1000), ("1.0", 1), ("-2.5E-1", -0.25), ("9223372036854775807", .integer(.max)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)), (#""""#, ""), (#""おかえり""#, "おかえり"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e9\u304A\ud83d\uDC4B""#, "éお👋"), ("[]", []),
        ("[1,[2,[]],{}]", [1, [2, []], [:]]), (#"{"a":{"b":[null]}, "":0}"#, ["a": ["b": [nil]], "": 0]),
        (#""a\u0000b""#, "a\0b"),
    ]

    @Test("reads what is JSON", arguments: right)
    func reads(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    }

    @Test(
        "refuses what is not",
        arguments: [
            "", " ", "nul", "nulll", "True", "'a'", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}",
            "{\"a\":}", "{1:2}", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "NaN", "Infinity", "1e400",
            "\"", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
            "\"a\nb\"", "\"\u{0}\"", "1 2", "[", "{", "[[]", "{\"a\":1", "// comment\n1", "/* */1", "\u{feff}1",
            "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "]", "}", ",", ":",
        ])
    func refuses(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test(
        "refuses bytes that are no UTF-8",
        arguments: [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe3, 0x81]])
    func noUTF8(bytes: [UInt8]) {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
    }

    @Test(
        "refuses more than 30 combining marks in a row, in names and in values, written or escaped",
        arguments: [#"{"NAME":1}"#, #"{"a":"NAME"}"#, #"["x\n NAME"]"#, #"{"a":{"b NAME y":[]}}"#])
    func marks(text: String) throws {
        for mark in ["\u{301}", #"\u0301"#] {
            for count in [30, 31, 62_500] {
                let bytes = Array(text.replacing("NAME", with: "e" + String(repeating: mark, count: count)).utf8)
                if count <= 30 {
                    _ = try JSONValue(parsing: bytes)
                } else {
                    #expect { try JSONValue(parsing: bytes) } throws: { error in
                        if case .tooManyMarks? = error as? JSONSyntaxError { true } else { false }
                    }
                    // What was checked before may be read again.
                    if count < 100 { _ = try JSONValue(parsing: bytes, isTrusted: true) }
                }
            }
        }
    }

    @Test("reads a megabyte of escapes in time by its length")
    func escapes() throws {
        let start = ContinuousClock.now
        let text = "\"" + String(repeating: #"\n"#, count: 500_000) + "\""
        #expect(try JSONValue(parsing: Array(text.utf8)) == .string(String(repeating: "\n", count: 500_000)))
        #expect(start.duration(to: .now) < .seconds(60))
    }

    @Test("stops at its limit of depth, however deep the text is")
    func depth() throws {
        let text = { (count: Int) in [UInt8](repeating: 0x5b, count: count) + [UInt8](repeating: 0x5d, count: count) }
        _ = try JSONValue(parsing: text(128))
        #expect(throws: JSONSyntaxError.tooDeep) { try JSONValue(parsing: text(129)) }
        #expect(throws: JSONSyntaxError.tooDeep) { try JSONValue(parsing: text(500_000)) }
    }

    @Test(
        "stops at its limit of values, of which lists have four as one, as have names that are not ASCII four bytes",
        arguments: [
            ("[1,2,3]", 2), (#"[1,null,true,false,"a"]"#, 3), ("[[],{}]", 3), (#"{"a":{},"b":[]}"#, 3),
            (#"{"é":1}"#, 3), (#"{"éé":1}"#, 3), (#"{"ée\u0301":1}"#, 4), (#"["é"]"#, 2), ("1", 1), ("[[[]]]", 3),
        ])
    func values(text: String, count: Int) throws {
        let bytes = Array(text.utf8)
        #expect(try JSONValue(parsing: bytes, maximumValues: count) == JSONValue(parsing: bytes))
        #expect(throws: JSONSyntaxError.tooManyValues) { try JSONValue(parsing: bytes, maximumValues: count - 1) }
    }

    @Test(
        "reads objects of any size, and finds a name that is there twice wherever it is",
        arguments: [1, 2, 5, 6, 7, 8, 300])
    func members(count: Int) throws {
        let names = (0..<count).map { "é\($0)" }
        let members = names.enumerated().map { "\"\($1)\":\($0)" }
        let values = names.enumerated().map { ($1, JSONValue.integer(Int64($0))) }
        func parsed(_ members: [String]) throws -> JSONValue {
            try JSONValue(parsing: Array("{\(members.joined(separator: ","))}".utf8))
        }
        #expect(try parsed(members) == .object(Dictionary(values) { first, _ in first }))
        for name in [names[0], names[count / 2], names[count - 1]] {
            // As one sign and as two it is the same name.
            for twice in [name, name.replacing("é", with: "e\u{301}")] {
                #expect(throws: JSONSyntaxError.duplicateMember(name)) { try parsed(members + ["\"\(twice)\":1"]) }
            }
        }
    }

    @Test("reads escapes of every plane, and refuses halves of pairs in whatever order")
    func escapedScalars() throws {
        for scalar in ["\u{0}", "\u{7f}", "\u{d7ff}", "\u{e000}", "\u{fffd}", "\u{ffff}", "\u{10000}", "\u{10ffff}"] {
            let escaped = scalar.utf16.map { "\\u" + String(repeating: "0", count: 4 - hex($0).count) + hex($0) }
            let text = "\"" + escaped.joined() + "\""
            #expect(try JSONValue(parsing: Array(text.utf8)) == .string(scalar), "\(text)")
            #expect(try JSONValue(parsing: Array(text.uppercased().replacing("U", with: "u").utf8)) == .string(scalar))
        }
        for text in [
            #""\udbff\udbff""#, #""\udfff\ud800""#, #""\ud800\ue000""#, #""\ud83dx""#, #""\u00g0""#, #""\u00`0""#,
        ] {
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(text.utf8)) }
        }
    }

    private func hex(_ unit: UInt16) -> String { String(unit, radix: 16) }

    @Test("agrees with Foundation on thousands of changed texts, but for what Foundation takes beyond JSON")
    func fuzzed() throws {
        let sample = Array(#"{"a":[1,-2.5e3,"x\n\u00e9",{"b":null}],"c":true,"d":{"e":[[],{}]}}"#.utf8)
        let marks = Array(",\"[]{}:0\\".utf8)
        var state: UInt64 = 42
        func draw(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<20_000 {
            var changed = sample
            for _ in 0...draw(3) {
                switch draw(3) {
                case 0: changed[draw(changed.count)] = UInt8(draw(128))
                case 1: changed.remove(at: draw(changed.count))
                default: changed.insert(marks[draw(marks.count)], at: draw(changed.count))
                }
            }
            guard let ours = try? JSONValue(parsing: changed) else { continue }
            let theirs = try JSONDecoder().decode(JSONValue.self, from: Data(changed))
            #expect(ours == theirs, "\(String(decoding: changed, as: UTF8.self))")
        }
    }
}

@Suite("Reading a type out of a JSON value")
struct JSONValueDecoderTests {
    struct Sample: Codable, Hashable {
        var text: String
        var number: Double
        var whole: Int
        var byte: UInt8?
        var flags: [Bool]
        var inner: [String: JSONValue]
        var list: [Inner]
        struct Inner: Codable, Hashable { var value: Int64? }
    }

    static let sample = Sample(
        text: "お", number: 0.5, whole: -3, byte: nil, flags: [true, false], inner: ["a": [1, nil, ["b": "c"]]],
        list: [.init(value: 7), .init(value: nil)])

    @Test("gives what Foundation's decoder gives")
    func sameAsFoundation() throws {
        let text = try JSONEncoder().encode(Self.sample)
        #expect(try JSONValue(parsing: Array(text)).decoded(as: Sample.self) == Self.sample)
    }

    @Test(
        "names the member at fault",
        arguments: [
            (#"{"list":[{"value":1},{"value":"x"}]}"#, "list.1.value"), (#"{"list":[{},3]}"#, "list.1"),
            (#"{"list":{}}"#, "list"), (#"{"list":[{"value":1.5}]}"#, "list.0.value"), ("[]", ""),
            (#"{"list":[{"value":99999999999999999999}]}"#, "list.0.value"),
        ])
    func paths(text: String, path: String) throws {
        struct Body: Decodable { var list: [Sample.Inner] }
        let value = try JSONValue(parsing: Array(text.utf8))
        let error = #expect(throws: DecodingError.self) { try value.decoded(as: Body.self) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
    }

    @Test("finds members that a closed body does not know")
    func closed() throws {
        let value = try JSONValue(parsing: Array(#"{"device":{"colour":"red"}}"#.utf8))
        #expect(throws: UnknownMember(path: "device.colour")) { try value.decoded(as: AutomaticLogInBody.self) }
    }
}
