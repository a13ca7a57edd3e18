import Foundation

/// What one run of `load` found. Printed as one line of JSON.
package struct LoadResult: Codable, Sendable {
    package var scenario: String
    package var connections: Int
    package var seconds: Double
    package var requests: Int
    /// Answers with a status outside 200–299, and connections that broke. Anything but 0 makes the run void.
    package var failures: Int
    package var requestsPerSecond: Double
    package var medianMicroseconds: Double
    package var p99Microseconds: Double
    /// What the server took of the processors for each request.
    package var serverMicrosecondsPerRequest: Double
    /// The server's share of one processor.
    package var serverShare: Double
    /// The generator's share of one processor: near 1 means that the generator is what was measured.
    package var generatorShare: Double
    package var residentMebibytes: Double
    /// The length of the last answer's body.
    package var bodyBytes: Int
    /// Whether the prepared requests ran out before the time did.
    package var ranOut: Bool

    package init(scenario: String, connections: Int) {
        self.scenario = scenario
        self.connections = connections
        (seconds, requests, failures, requestsPerSecond) = (0, 0, 0, 0)
        (medianMicroseconds, p99Microseconds, serverMicrosecondsPerRequest) = (0, 0, 0)
        (serverShare, generatorShare, residentMebibytes) = (0, 0, 0)
        (bodyBytes, ranOut) = (0, false)
    }
}

/// What a loop of `ceiling` found. Printed as one line of JSON.
package struct CeilingResult: Codable, Sendable {
    package var name: String
    /// What the loop took of the processors for each request's worth of work.
    package var microsecondsPerRequest: Double

    package init(name: String, microsecondsPerRequest: Double) {
        self.name = name
        self.microsecondsPerRequest = microsecondsPerRequest
    }
}

extension Encodable {
    /// The value as one line of JSON.
    package var line: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
