import Foundation
import Okaeri
import OkaeriWire

/// One launch of the demo's app: a log-in, and what the app greets with.
struct DemoLaunch {
    let isFirstVisit: Bool
    let userId: String
    /// The time of the log-in before this one.
    let lastLogIn: Date?
    /// What the server knows of the device; `nil` when it could not be asked, or did not need to be.
    let session: DeviceSession?
    /// Whether the greeting comes from the copy on the device.
    let isOffline: Bool

    /// Logs in.
    ///
    /// - Throws: `OkaeriError`.
    init(_ okaeri: OkaeriClient, locale: String) async throws(OkaeriError) {
        let welcome = try await okaeri.logInAutomatically(user: NewUser(locale: locale))
        userId = welcome.user.id
        switch welcome {
        case .firstVisit:
            (isFirstVisit, lastLogIn) = (true, nil)
        case .returning(_, let previous):
            (isFirstVisit, lastLogIn) = (false, previous)
        }
        let isConfirmed = await Self.isFresh(okaeri)
        // A greeting that the server has not confirmed in this process may be the stored copy, or the log-in of another
        // process that started at the same moment. One question tells.
        guard isFirstVisit || !isConfirmed else {
            (session, isOffline) = (nil, false)
            return
        }
        do throws(OkaeriError) {
            session = try await okaeri.sessions().first { $0.isCurrent }
            isOffline = false
        } catch {
            guard error.isTemporary else { throw error }
            session = nil
            isOffline = !isConfirmed
        }
    }

    private static func isFresh(_ okaeri: OkaeriClient) async -> Bool {
        for await state in okaeri.states {
            switch state {
            case .unknown: continue
            case .loggedIn(_, let freshness): return freshness == .fresh
            case .storageLocked, .loggedOut: return false
            }
        }
        return false
    }
}

extension DemoLaunch {
    /// What the app shows.
    func screen(_ texts: DemoTexts) -> String {
        var lines = [isFirstVisit ? texts.firstVisit : texts.welcomeBack]
        if let lastLogIn { lines.append("\(texts.lastLogIn) \(Self.text(of: lastLogIn))") }
        lines.append("\(texts.user) \(userId)")
        if isOffline { lines.append(texts.offline) }
        if isFirstVisit, let session {
            let record = TextTable([
                texts.name: session.device.name,
                texts.model: session.device.model,
                texts.system: session.device.system,
                texts.appVersion: session.device.appVersion,
                texts.address: session.address,
            ])
            lines += [texts.deviceRecord, record.text(indentation: 2)]
        }
        return lines.joined(separator: "\n")
    }

    /// The same for programs.
    func answer(_ texts: DemoTexts) -> some Encodable {
        Output(
            greeting: isFirstVisit ? texts.firstVisit : texts.welcomeBack, isFirstVisit: isFirstVisit, userId: userId,
            lastLogIn: lastLogIn.map { WireTime(millisecondsSince1970: Self.milliseconds(of: $0)) },
            isOffline: isOffline,
            device: session.map {
                Device(
                    name: $0.device.name, model: $0.device.model, system: $0.device.system,
                    appVersion: $0.device.appVersion, address: $0.address)
            })
    }

    private static func text(of date: Date) -> String {
        LocalTime.text(millisecondsSince1970: milliseconds(of: date), separator: "/")
    }

    /// The server's times have whole milliseconds, which a `Date` holds to within a hair.
    private static func milliseconds(of date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    private struct Output: Encodable {
        let greeting: String
        let isFirstVisit: Bool
        let userId: String
        let lastLogIn: WireTime?
        let isOffline: Bool
        let device: Device?
    }

    private struct Device: Encodable {
        let name: String?
        let model: String?
        let system: String?
        let appVersion: String?
        let address: String?
    }
}
