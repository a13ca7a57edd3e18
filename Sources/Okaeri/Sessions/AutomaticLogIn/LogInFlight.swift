import Foundation
import OkaeriWire

/// A log-in that somebody asked for. Its name goes with every try, so that a repeated request has no second effect.
struct LogInOrder: Sendable {
    let body: AutomaticLogInBody
    let idempotencyKey: String
}

/// Why a log-in happens.
enum LogInReason: Sendable {
    /// Somebody asked for it.
    case asked(LogInOrder)
    /// A request found its session dead.
    case renewal(of: Secret?)
}

/// How a log-in ended.
struct LogInResult: Sendable {
    let welcome: Welcome
    /// The session to go on with; `nil` when the user is the stored copy.
    let session: VaultRecord.StoredSession?
}

/// A log-in under way, which any number of callers may wait for.
struct Flight: Sendable {
    let number: Int64
    let task: Task<Result<LogInResult, OkaeriError>, Never>

    /// Waits for the end. A cancelled caller stops waiting; the log-in goes on.
    func result() async throws(OkaeriError) -> LogInResult {
        let (results, continuation) = AsyncStream<Result<LogInResult, OkaeriError>>.makeStream()
        // Ends with the log-in, whether or not anybody still listens.
        Task { [task] in
            continuation.yield(await task.value)
            continuation.finish()
        }
        for await result in results { return try result.get() }
        throw .cancelled
    }
}

extension SessionKeeper {
    /// Logs in at the server, or joins the log-in that is under way.
    func logIn(_ body: AutomaticLogInBody) async throws(OkaeriError) -> Welcome {
        if let flight { return try await join(flight).welcome }
        let order: LogInOrder
        if let unanswered, unanswered.body == body {
            order = unanswered
        } else {
            order = LogInOrder(body: body, idempotencyKey: randomness.unguessableName())
        }
        return try await join(startLogIn(.asked(order))).welcome
    }

    /// Waits with all others who wait for a log-in.
    private func join(_ flight: Flight) async throws(OkaeriError) -> LogInResult {
        waitingCallers += 1
        defer { waitingCallers -= 1 }
        return try await flight.result()
    }

    /// A session in place of a dead one, without the person's noticing.
    func renew(_ dead: Secret?) async throws(OkaeriError) -> VaultRecord.StoredSession {
        if passing != nil {
            // The device's key leads to somebody else.
            await leavePassing()
            throw .sessionEnded
        }
        let present = flight ?? startLogIn(.renewal(of: dead))
        guard let session = try await join(present).session else { throw .offline }
        return session
    }

    /// Begins a log-in that does not depend on the caller's task.
    func startLogIn(_ reason: LogInReason) -> Flight {
        nextFlight += 1
        let number = nextFlight
        let task = Task { () async -> Result<LogInResult, OkaeriError> in
            do throws(OkaeriError) {
                let result = try await self.logIn(for: reason)
                self.land(number)
                return .success(result)
            } catch {
                self.land(number)
                return .failure(error)
            }
        }
        let new = Flight(number: number, task: task)
        flight = new
        return new
    }

    private func land(_ number: Int64) {
        if flight?.number == number { flight = nil }
    }
}

extension SessionKeeper {
    /// Logs in with what the caller says of device and user.
    func logIn(device: DeviceInfo?, user: NewUser?) async throws(OkaeriError) -> Welcome {
        await leavePassing()
        if let known = try await greetBySession() { return known }
        let device = device ?? configuration.device
        return try await logIn(AutomaticLogInBody(device: device.body, user: user?.body))
    }
}
