import Foundation
import OkaeriWire

extension FuzzTarget {
    /// What all protocols and the SDK share.
    static let wire = [
        FuzzTarget("json") { input in
            guard let value = try? JSONValue(parsing: input) else { return }
            guard let written = try? JSONEncoder().encode(value) else { return expect(false, "JSON is written again") }
            guard let again = try? JSONValue(parsing: Array(written)) else {
                return expect(false, "written JSON is read again")
            }
            // A double without fraction is written as a whole number, so values are compared as they are written.
            expect(
                (try? JSONEncoder.sorted.encode(value)) == (try? JSONEncoder.sorted.encode(again)), "JSON is the same")
        },
        FuzzTarget("json-decoding") { input in
            guard let value = try? JSONValue(parsing: input) else { return }
            _ = try? value.decoded(as: SignUpBody.self)
            _ = try? value.decoded(as: UpgradeBody.self)
            _ = try? value.decoded(as: LogInResponse.self)
            _ = try? value.decoded(as: Problem.self)
            _ = try? value.decoded(as: Theme.self)
            _ = try? value.decoded(as: UserBody.self)
        },
        FuzzTarget("time", maximumBytes: 64) { input in
            guard let time = WireTime(String(input: input)) else { return }
            expect(WireTime(time.description) == time, "a time is read as it was written")
        },
    ]
}

extension JSONEncoder {
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
