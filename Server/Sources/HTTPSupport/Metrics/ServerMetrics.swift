package import Domain
import Synchronization

/// Everything that `/metrics` tells.
package final class ServerMetrics: Sendable {
    /// Log-ins that made a user.
    package let newUserLogIns = Counter()
    /// Log-ins of users who were known.
    package let knownUserLogIns = Counter()
    /// First launches refused because there were too many from one address.
    package let refusedFirstLaunches = Counter()

    /// Log-ins refused because password or code were wrong.
    package let refusedCredentials = Counter()
    /// Log-ins that have to wait after too many wrong ones.
    package let delayedLogIns = Counter()
    /// Log-ins turned away because too many passwords waited to be hashed.
    package let busyLogIns = Counter()

    private let connections: ConnectionMetrics
    private let gauges: [Gauge]
    private let further: @Sendable () -> [MetricFamily]
    private let routes = Mutex<[RouteName: RouteMetrics]>([:])

    /// A number that goes up and down, read when it is shown.
    package struct Gauge: Sendable {
        var name: String
        var help: String
        var value: @Sendable () -> Double?

        /// - Parameters:
        ///   - name: The name in Prometheus.
        ///   - help: What it is, in a sentence.
        ///   - value: Asked at each reading; `nil` when it is not known here.
        package init(name: String, help: String, value: @escaping @Sendable () -> Double?) {
            self.name = name
            self.help = help
            self.value = value
        }
    }

    private struct RouteName: Hashable {
        var method: String
        var path: String
    }

    /// - Parameters:
    ///   - gauges: Numbers that are read when they are shown.
    ///   - connections: What is counted of connections.
    ///   - further: What others count, asked at each reading.
    package init(
        gauges: [Gauge] = [], connections: ConnectionMetrics = ConnectionMetrics(),
        further: @escaping @Sendable () -> [MetricFamily] = { [] }
    ) {
        self.connections = connections
        self.gauges = gauges
        self.further = further
    }

    /// The counters of a route that is being set up.
    package func route(method: String, path: String) -> RouteMetrics {
        routes.withLock { routes in
            // Two listeners count together what neither has a route for: Prometheus refuses a number that is there twice.
            let name = RouteName(method: method, path: path)
            if let known = routes[name] { return known }
            let route = RouteMetrics(method: method, path: path)
            routes[name] = route
            return route
        }
    }

    /// The Prometheus text format, version 0.0.4.
    package var text: String { PrometheusPage(families).text }

    /// Everything that is measured, as it is now.
    package var families: [MetricFamily] {
        var families = routeFamilies + logInFamilies + connections.families
        for gauge in gauges {
            guard let value = gauge.value() else { continue }
            families.append(MetricFamily(gauge.name, .gauge, gauge.help, .number(value)))
        }
        return families + further()
    }

    private var routeFamilies: [MetricFamily] {
        let routes = routes.withLock { $0 }.values.sorted { ($0.path, $0.method) < ($1.path, $1.method) }
        var requests = MetricFamily("okaeri_http_requests_total", .counter, "Requests by route and status.")
        var durations = MetricFamily(
            "okaeri_http_request_duration_seconds", .histogram, "Time from head to answer, by route.")
        for route in routes {
            let labels = [MetricLabel("method", route.method), MetricLabel("route", route.path)]
            let answered = route.answered
            for (status, count) in answered {
                requests.add(labels + [MetricLabel("status", status)], .count(count))
            }
            if let latency = route.latency { durations.add(labels, latency.value) }
        }
        return [requests, durations]
    }

    private var logInFamilies: [MetricFamily] {
        var logIns = MetricFamily("okaeri_log_ins_total", .counter, "Finished log-ins, by whether they made the user.")
        logIns.add([MetricLabel("user", "new")], .count(newUserLogIns.value))
        logIns.add([MetricLabel("user", "known")], .count(knownUserLogIns.value))
        var refused = MetricFamily(
            "okaeri_log_ins_refused_total", .counter, "Log-ins by password or code that were refused, by reason.")
        refused.add([MetricLabel("reason", "credential")], .count(refusedCredentials.value))
        refused.add([MetricLabel("reason", "rate_limited")], .count(delayedLogIns.value))
        refused.add([MetricLabel("reason", "busy")], .count(busyLogIns.value))
        return [
            logIns, refused,
            MetricFamily(
                "okaeri_first_launches_refused_total", .counter, "First launches refused by the rate limit.",
                .count(refusedFirstLaunches.value)),
        ]
    }
}

extension ServerMetrics {
    /// Counts a log-in, finished or refused. For those by something that a person typed; automatic ones are counted at
    /// their route.
    package func logIn(_ logIn: () async throws(DomainError) -> LogIn) async throws(DomainError) -> LogIn {
        do throws(DomainError) {
            let done = try await logIn()
            (done.isNew ? newUserLogIns : knownUserLogIns).add()
            return done
        } catch {
            switch error {
            case .credentialRefused, .codeRefused: refusedCredentials.add()
            case .rateLimited: delayedLogIns.add()
            case .busy: busyLogIns.add()
            default: break
            }
            throw error
        }
    }
}
