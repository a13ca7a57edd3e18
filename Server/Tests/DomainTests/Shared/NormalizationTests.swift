import Foundation
import TestWorld
import Testing

@testable import Domain

/// The domain's own ways with texts against Foundation's, which the program for use does not have.
@Suite("A text beside Foundation's")
struct NormalizationTests {
    private static let scalars = (UInt32(0)...0x10_FFFF).lazy.compactMap(Unicode.Scalar.init)

    @Test("is without the same blanks and line ends around it, whichever sign it is")
    func blanks() {
        var different: [String] = []
        for scalar in Self.scalars {
            let text = "\(scalar)a\(scalar)b\(scalar)"
            guard
                text.withoutBlanks == text.trimmingCharacters(in: .whitespaces),
                text.withoutBlanksAndLineEnds == text.trimmingCharacters(in: .whitespacesAndNewlines)
            else {
                different.append(String(scalar.value, radix: 16))
                continue
            }
        }
        #expect(different.isEmpty)
        #expect(" \t\u{3000}".withoutBlanks.isEmpty)
        #expect("".withoutBlanksAndLineEnds.isEmpty)
        #expect("a b\n".dropFirst().withoutBlanks == "b\n")
    }
}
