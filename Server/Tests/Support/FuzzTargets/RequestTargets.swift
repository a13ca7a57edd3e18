import Domain
import HTTPTypes
import PageSupport
import enum OkaeriWire.StreamSafeText

@testable import HTTPSupport

extension FuzzTarget {
    /// What stands around and in requests: headers, queries, forms.
    static let requests = [
        FuzzTarget("fast-path-request") { input in
            let difference = FastPathRequestComparison.difference(in: input)
            expect(difference == nil, difference ?? "")
        },
        FuzzTarget("form", maximumBytes: 2048) { input in
            guard let form = try? FormValues(input) else { return }
            _ = form.text("name")
        },
        FuzzTarget("form-value", maximumBytes: 1024) { input in
            guard let text = StreamSafeText.text(of: input) else { return }
            let form = try? FormValues(Array("name=\(text.percentEncoded)".utf8))
            expect(form?["name"] == text, "a form's value is read as it was written")
        },
        FuzzTarget("multipart") { input in
            let (line, rest) = input.firstLine
            _ = try? MultipartForm(rest, contentType: String(input: line))
        },
        FuzzTarget("query", maximumBytes: 1024) { input in _ = try? QueryItems(parsing: String(input: input)[...]) },
        FuzzTarget("cookies", maximumBytes: 512) { input in
            var headers = HTTPFields()
            for line in input.split(separator: 0x0a) {
                headers.append(HTTPField(name: .cookie, value: String(input: Array(line))))
            }
            let cookies = BrowserCookies(headers)
            _ = (cookies["okaeri-session"], cookies["__Host-okaeri-session"])
        },
        FuzzTarget("proxy-headers", maximumBytes: 300) { input in
            let own = "192.0.2.7"
            var (apart, together) = (HTTPFields(), HTTPFields())
            for line in input.split(separator: 0x0a) {
                let text = String(input: Array(line))
                apart.append(HTTPField(name: .forwardedFor, value: text))
                together[.forwardedFor] = "\(text),\(own)"
                expect(together.lastHop(.forwardedFor) == own, "what a proxy wrote is read whatever stands before it")
            }
            apart.append(HTTPField(name: .forwardedFor, value: own))
            let hops = apart.hops(.forwardedFor)
            expect(hops.last.map { IPAddress($0) == IPAddress(own) } ?? false, "the last hop is the last proxy's")
            for hop in hops { _ = IPAddress(hop) }
        },
        FuzzTarget("list-cursor", maximumBytes: 300) { input in
            let text = String(input: input)
            let (users, sessions) = (UserCursor(wire: text), SessionCursor(wire: text))
            expect(UserCursor(wire: users.wire) == users, "a cursor is read as it was written")
            expect(SessionCursor(wire: sessions.wire) == sessions, "a cursor is read as it was written")
        },
        FuzzTarget("authorization") { input in
            // Headers are stream-safe texts before they are read (KnownHeaders).
            guard let text = StreamSafeText.text(of: input), let sent = Authorization(text) else { return }
            for name in [Session.ProtocolName.native, .init(rawValue: "parse")] {
                _ = SessionToken.reference(of: sent.token, in: name)
            }
        },
        FuzzTarget("accept-language", maximumBytes: 600) { input in
            let tags = AcceptLanguage.tags(in: String(input: input))
            expect(tags.count <= 10, "ten languages at the most are read")
        },
        FuzzTarget("trace-parent", maximumBytes: 2048) { input in
            let lines = input.split(separator: 0x0a, omittingEmptySubsequences: false).map { String(input: Array($0)) }
            guard let first = lines.first,
                let context = TraceContext(traceparent: first, tracestate: Array(lines.dropFirst()))
            else { return }
            let again = TraceContext(
                traceparent: context.traceparent, tracestate: context.state.isEmpty ? [] : [context.state])
            expect(again == context, "a trace is read as it was written")
            expect(context.state.utf8.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0x09 }, "no line ends in it")
        },
        FuzzTarget("ip-address", maximumBytes: 300) { input in
            let text = String(input: input)
            if let address = IPAddress(text) {
                expect(IPAddress(address.text) == address, "an address is read as it was written")
                _ = (address.allowanceGroup, IPNetwork(text)?.contains(address))
            }
            for hop in text.split(separator: ",") { _ = IPAddress(hop) }
        },
        FuzzTarget("proof-target", maximumBytes: 1024) { input in
            let text = String(input: input)
            _ = ProofTarget(text)?.isNamed(by: text)
            _ = (RedirectAddress(text), PublicAddress(text, proxies: TrustedProxies([])))
        },
        FuzzTarget("identifier", maximumBytes: 1024) { input in
            let text = String(input: input)
            _ = (MailAddress(text), PhoneNumber(text), TransferCode(typed: text), AnonymousId(text), Password(text))
        },
    ]
}
