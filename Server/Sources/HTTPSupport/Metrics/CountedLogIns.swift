package import Domain

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
