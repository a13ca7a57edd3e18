import OkaeriWire
import Testing

@Suite("A colour")
struct ColourTests {
    @Test("is read as it was written, in either case, for each value of each channel", arguments: UInt8.min...UInt8.max)
    func written(value: UInt8) {
        for colour in [
            Colour(red: value, green: 0, blue: 255), Colour(red: 7, green: value, blue: 0),
            Colour(red: 255, green: 1, blue: value),
        ] {
            #expect(colour.hex.utf8.count == 7 && colour.hex.uppercased() == colour.hex)
            #expect(Colour(hex: colour.hex) == colour)
            #expect(Colour(hex: colour.hex.lowercased()) == colour)
            let bits = UInt32(colour.red) << 16 | UInt32(colour.green) << 8 | UInt32(colour.blue)
            #expect(Colour(bits) == colour)
        }
    }

    @Test(
        "has no other form",
        arguments: [
            "", "#", "#fff", "#12345", "#1234567", "123456", "#12345g", "#12 456", "#+12345", "#-12345", " #12345",
            "#12345 ", "#0x1234", "＃123456", "#１２", "#12345\u{301}", "#\u{0}12345", "rgb(0,0,0)", "red",
            "\"><b>x",
        ])
    func other(text: String) { #expect(Colour(hex: text) == nil) }

    @Test("is brighter with more of any channel", arguments: UInt8.min..<UInt8.max)
    func brighter(value: UInt8) {
        let more = value + 1
        for (less, bright) in [
            (Colour(red: value, green: 9, blue: 200), Colour(red: more, green: 9, blue: 200)),
            (Colour(red: 200, green: value, blue: 9), Colour(red: 200, green: more, blue: 9)),
            (Colour(red: 9, green: 200, blue: value), Colour(red: 9, green: 200, blue: more)),
        ] {
            #expect(less.relativeLuminance < bright.relativeLuminance)
            #expect((0...1).contains(less.relativeLuminance))
        }
    }

    @Test("has a contrast from 1 with itself to 21 between black and white, the same in both directions")
    func contrast() {
        let colours = stride(from: UInt32(0), through: 0xff_ffff, by: 0x10_f0f1).map { Colour($0) }
        for one in colours {
            #expect(one.contrast(with: one) == 1)
            for other in colours {
                let contrast = one.contrast(with: other)
                #expect(contrast == other.contrast(with: one))
                #expect((1...21.001).contains(contrast))
            }
        }
        let (black, white) = (Colour(red: 0, green: 0, blue: 0), Colour(red: 255, green: 255, blue: 255))
        #expect(abs(black.contrast(with: white) - 21) < 0.000_001)
    }
}
