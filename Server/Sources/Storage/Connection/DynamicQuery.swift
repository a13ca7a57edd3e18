/// A question that is put together for one request, with `$1`, `$2` … for its values. Nothing of a request is ever in
/// its text.
package struct DynamicQuery: Sendable {
    package enum Value: Hashable, Sendable {
        case integer(Int64)
        case text(String)
    }

    package var text: String
    package var values: [Value] = []

    package init(text: String = "") {
        self.text = text
    }

    /// Takes a value in.
    ///
    /// - Returns: what stands for it in the text.
    mutating func bind(_ value: Value) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    /// A text, said to be one: PostgreSQL cannot always tell what a value is.
    mutating func bind(text: String) -> String {
        "CAST(\(bind(.text(text))) AS TEXT)"
    }

    /// A whole number, said to be one.
    mutating func bind(integer: Int64) -> String {
        "CAST(\(bind(.integer(integer))) AS BIGINT)"
    }

    /// A number of double precision.
    mutating func bind(number: Double) -> String {
        "CAST(\(bind(text: "\(number)")) AS DOUBLE PRECISION)"
    }
}
