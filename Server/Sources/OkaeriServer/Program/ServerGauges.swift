import Domain
import HTTPSupport
package import Logging
import OutboundServices

/// What `/metrics` and the collector get of this process.
extension Composition {
    /// Everything that is measured.
    func serverMetrics() -> ServerMetrics {
        ServerMetrics(gauges: gauges, connections: connectionMetrics) {
            [telemetry, auditStreamCounts, eventMetrics, hookMetrics] in
            eventMetrics.families + hookMetrics.families + (telemetry?.exporter.counts.families ?? [])
                + (auditStreamCounts?.families ?? [])
        }
    }

    /// Counts what waits of events while the server runs; `nil` where nobody reads the metrics.
    package func eventBacklogWorker(_ logger: Logger) -> EventBacklogWorker? {
        guard settings.metricsAddress != nil || settings.metricsKey != nil || settings.telemetry?.sendsMetrics == true
        else { return nil }
        return EventBacklogWorker(modules: modules, metrics: eventMetrics, logger: logger)
    }

    /// Gives the rounds of workers spans where traces are made.
    package var roundTracing: RoundTracing { RoundTracing(telemetry?.tracer) }

    private var gauges: [ServerMetrics.Gauge] {
        let (modules, startedAt, passwords) = (modules, startedAt, passwords)
        return (replica?.gauges ?? []) + (standby?.gauges ?? []) + [
            .init(name: "okaeri_session_cache_entries", help: "Sessions kept in memory.") {
                Double(modules.sessions.cachedSessions)
            },
            .init(name: "okaeri_passwords_waiting", help: "Passwords that wait to be hashed.") {
                Double(passwords.waiting)
            },
            .init(name: "okaeri_searches_waiting", help: "Searches that wait for a reader.") {
                Double(modules.waitingSearches)
            },
            .init(name: "okaeri_uptime_seconds", help: "Time since the start.") {
                startedAt.duration(to: .now) / .seconds(1)
            },
            .init(name: "process_resident_memory_bytes", help: "Resident memory.") { ProcessMemory.residentBytes },
        ]
    }
}
