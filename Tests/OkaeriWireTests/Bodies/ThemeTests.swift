import Foundation
import OkaeriWire
import Testing

@Suite("A theme")
struct ThemeTests {
    func theme(_ json: String) throws -> Theme {
        try JSONDecoder().decode(Theme.self, from: Data(json.utf8))
    }

    @Test("that says nothing is the standard one, which keeps WCAG 2.2 AA by day and by night")
    func standard() throws {
        let theme = try theme("{}")
        #expect(theme == Theme())
        #expect(theme.contrastFaults().isEmpty)
    }

    @Test("is read from one file and written into it again, colours, shapes and texts")
    func roundTrip() throws {
        let text = """
            {"brand": "Kaze", "logo": "kaze-logo", "backgroundImage": "https://example.com/sea.jpg", "cornerRadius": 4,
             "buttonShape": "capsule", "font": "serif", "light": {"primary": "#8A1C4A"}, "dark": {"primary": "#ffb1c8"},
             "texts": {"ja": {"logIn.title": "ようこそ"}}, "later": 1}
            """
        let theme = try theme(text)
        #expect(theme.colour(.primary, in: .light) == Colour(red: 0x8A, green: 0x1C, blue: 0x4A))
        #expect(theme.colour(.primary, in: .dark).hex == "#FFB1C8")
        #expect(theme.colour(.text, in: .light) == Theme().colour(.text, in: .light))
        #expect(theme.logo?.place == .asset("kaze-logo"))
        #expect(theme.buttonRadius(height: 44) == 22 && Theme().buttonRadius(height: 44) == 10)
        #expect(try JSONDecoder().decode(Theme.self, from: JSONEncoder().encode(theme)) == theme)
    }

    @Test(
        "refuses what is no colour, so that no style can be smuggled into a page",
        arguments: [
            "red", "#fff", "#12345", "#1234567", "#GGGGGG", "#12345;", "#12 456", "＃123456", "url(x)", "",
            "#123456}body{", "#+12345",
        ])
    func noColour(text: String) {
        #expect(Colour(hex: text) == nil)
        #expect(throws: DecodingError.self) { try theme(#"{"light": {"primary": "\#(text)"}}"#) }
    }

    @Test(
        "refuses pictures from elsewhere and what is more than an address",
        arguments: [
            "javascript:alert(1)", "http://example.com/a.png", "data:image/svg+xml;base64,PHN2Zz4=",
            "data:text/html;base64,PGI+", "data:image/png,rawbytes", "https://example.com/\"onload=x", "https://",
            "https://example.com/a b", "../secret", "a);b", "", "file:///etc/passwd", "logo\u{0}", "//example.com:80",
        ])
    func noPicture(text: String) {
        #expect(ThemePicture(text) == nil)
    }

    @Test("takes a picture that its address holds")
    func inlinePicture() {
        #expect(
            ThemePicture("data:image/png;base64,iVBORw0KGgo=")?.place
                == .inline(mediaType: "image/png", base64: "iVBORw0KGgo="))
    }

    @Test("names the colours that cannot be distinguished, and by how much")
    func contrast() {
        let pale = Theme(light: Theme.Palette([.mutedText: Colour(0xC2C2C2)]))
        let faults = pale.contrastFaults()
        #expect(faults.map(\.pair.front) == [.mutedText, .mutedText] && faults.allSatisfy { $0.appearance == .light })
        #expect(faults.allSatisfy { $0.ratio > 1.7 && $0.ratio < 1.8 })
    }

    @Test(
        "measures contrast as WCAG 2.2 does",
        arguments: [
            (0x000000, 0xFFFFFF, 21.0), (0xFFFFFF, 0xFFFFFF, 1.0), (0x777777, 0xFFFFFF, 4.478),
            (0x0000FF, 0xFFFFFF, 8.592),
        ]
            as [(UInt32, UInt32, Double)])
    func formula(front: UInt32, back: UInt32, ratio: Double) {
        #expect(abs(Colour(front).contrast(with: Colour(back)) - ratio) < 0.001)
        #expect(Colour(front).contrast(with: Colour(back)) == Colour(back).contrast(with: Colour(front)))
    }

    @Test("names its colours for style sheets too")
    func names() {
        #expect(Theme.ColourToken.onPrimary.cssName == "--okaeri-on-primary")
        #expect(Set(Theme.ColourToken.allCases.map(\.cssName)).count == Theme.ColourToken.allCases.count)
    }

    @Test("has no corner of 41 points or less than none", arguments: [-1, 41])
    func corners(radius: Int) {
        #expect(throws: DecodingError.self) { try theme(#"{"cornerRadius": \#(radius)}"#) }
    }

    @Test("has a background for each screen that wants one of its own, and the common one for all others")
    func backgrounds() throws {
        let theme = try theme(
            #"{"backgroundImage": "sea", "backgroundImages": {"logIn": "stars"}, "logoHeight": 40, "logoPosition": "leading"}"#
        )
        #expect(theme.background(of: "logIn") == ThemePicture("stars"))
        #expect(theme.background(of: "signUp") == ThemePicture("sea"))
        #expect(theme.logoHeight == 40 && theme.logoPosition == .leading)
        #expect(try JSONDecoder().decode(Theme.self, from: JSONEncoder().encode(theme)) == theme)
        #expect(Theme().background(of: "logIn") == nil)
    }

    @Test(
        "refuses pictures of screens and heights that are none",
        arguments: [
            #"{"backgroundImages": {"logIn": "javascript:alert(1)"}}"#, #"{"logoHeight": 15}"#,
            #"{"logoHeight": 241}"#, #"{"logoHeight": 9223372036854775807}"#,
            #"{"backgroundImages": {\#((0..<33).map { #""s\#($0)": "x""# }.joined(separator: ","))}}"#,
        ])
    func noBackground(json: String) {
        #expect(throws: DecodingError.self) { try theme(json) }
    }

    @Test("guides people on a screen in their language, or in English")
    func guide() throws {
        let theme = try theme(
            #"{"texts": {"ja": {"logIn.guide": "[規約](https://example.com/ja)"}, "en": {"logIn.guide": "Welcome"}}}"#)
        #expect(theme.guide(of: "logIn", in: ["ja-JP"])?.parts == [.link("規約", address: "https://example.com/ja")])
        #expect(theme.guide(of: "logIn", in: ["fr"])?.parts == [.words("Welcome")])
        #expect(theme.guide(of: "signUp", in: ["en"]) == nil)
    }

    @Test("has texts in the language that is asked for, or in English, or in any")
    func languages() {
        let text: LocalizedText = ["en": "Name", "ja": "名前", "pt-BR": "Nome"]
        #expect(text.text(in: ["ja-JP", "en"]) == "名前" && text.text(in: ["fr"]) == "Name")
        #expect(text.text(in: ["pt-BR"]) == "Nome" && LocalizedText(["ko": "이름"]).text(in: ["fr"]) == "이름")
        #expect(LocalizedText([:]).text(in: ["en"]) == nil)
    }
}
