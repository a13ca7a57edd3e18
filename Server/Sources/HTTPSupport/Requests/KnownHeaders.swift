package import HTTPTypes

extension HTTPFields {
    /// The value of a header, as the subscript tells it; without making a new text when there is one header only.
    package func value(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            if found != nil { return self[name] }
            found = field.value
        }
        return found
    }
}

extension HTTPField.Name {
    /// A name that is known to be a token (RFC 9110 §5.1), so that it always makes a header name.
    package init(known name: StaticString) {
        guard let parsed = HTTPField.Name("\(name)") else { preconditionFailure("\(name) is no header name") }
        self = parsed
    }

    /// The id under which the server logged the request.
    package static let requestId = HTTPField.Name(known: "Request-Id")
    /// The addresses that a request passed on its way through proxies.
    package static let forwardedFor = HTTPField.Name(known: "X-Forwarded-For")
    /// The scheme that the client used.
    package static let forwardedProto = HTTPField.Name(known: "X-Forwarded-Proto")
    /// The host that the client asked for.
    package static let forwardedHost = HTTPField.Name(known: "X-Forwarded-Host")
}
