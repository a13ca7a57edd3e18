import Domain
import OkaeriWire

/// Times as pages carry them: in UTC, for scripts to show by the reader's own clock.
enum WireText {
    static func text(of time: Timestamp) -> String {
        WireTime(millisecondsSince1970: time.milliseconds).description
    }

    static func time(of text: String) -> Timestamp? {
        WireTime(text).map { Timestamp(milliseconds: $0.millisecondsSince1970) }
    }
}
