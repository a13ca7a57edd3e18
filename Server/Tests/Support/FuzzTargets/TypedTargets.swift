import Foundation
import OkaeriWire
import OutboundServices
import WebAuthn

@testable import Domain
@testable import WebPages

extension FuzzTarget {
    /// What people and tenants type into forms, beside what stands in every request.
    static let typed = [
        FuzzTarget("mail-template", maximumBytes: 512) { input in
            let text = String(input: input)
            let template = MailTemplate(subject: "a", text: text, html: text)
            _ = template.faults(for: .passwordReset, field: "template")
            _ = template.partsThatGiveSecretsAway()
            let hostile = Dictionary(uniqueKeysWithValues: MailValue.allCases.map { ($0, "<i>\(text)") })
            let page = HTMLMailRenderer().page(of: MailTemplate(subject: text, text: text), in: .english, hostile)
            // No element of the page's own begins so.
            let bytes = Array(page.utf8)
            expect(
                !zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: "<") && $1 == UInt8(ascii: "i") },
                "neither words nor values bring elements into a page")
        },
        FuzzTarget("line-text") { input in
            let text = String(input: input)
            let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
            let unreadable = ObjectText.unreadableLine(of: text)
            expect(unreadable.map { (1...lines).contains($0) } ?? true, "the line is one of the text")
            _ = (ObjectText.value(of: text, stored: nil), ListText.value(of: text, stored: nil))
            switch try? JSONValue(parsing: input) {
            case .object(let members)?:
                // A double without fraction is written as a whole number, so values are compared as they are written.
                let again = ObjectText.value(of: ObjectText.text(of: members), stored: .object(members))
                expect(written(again) == written(.object(members)), "an object is read as it was written")
            case .array(let entries)?:
                guard let shown = ListText.text(of: entries) else { return }
                guard case .array(let again) = ListText.value(of: shown, stored: .array(entries)) else {
                    return expect(false, "a list is read as a list")
                }
                expect(ListText.text(of: again) == shown, "a list is read as it was written")
            default: break
            }
        },
        FuzzTarget("attestation-roots", maximumBytes: 2048) { input in
            var rules = PasskeyRules()
            rules.attestationRootLines = String(input: input).pieces(at: "\n").map(String.init)
            _ = rules.rootFaults(CertificateChains())
            // Words that are no kinds may be lines of certificates when they are read again; they are refused.
            let kinds = rules.attestationRoots.flatMap(\.authenticators)
            guard kinds.allSatisfy({ AAGUID($0) != nil }) else { return }
            var again = PasskeyRules()
            again.attestationRootLines = rules.attestationRootLines
            expect(again.attestationRoots == rules.attestationRoots, "roots are read as they were written")
        },
    ]

    private static func written(_ value: JSONValue?) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return value.flatMap { try? encoder.encode($0) }
    }
}
