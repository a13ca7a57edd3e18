#if DEBUG && canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    import SwiftUI

    #Preview("Log-in") { PreviewScreen { .logIn(identifier: "hana") } }
    #Preview("Sign-up") { PreviewScreen { .signUp(identifier: "hana") } }
    #Preview("Save your data") { PreviewScreen { .upgrade } }
    #Preview("Forgotten password") { PreviewScreen { .reset(email: "hana@example.com") } }
    #Preview("Mailed code") { PreviewScreen { .code(email: "hana@example.com") } }
    #Preview("Verification") { PreviewScreen { .verification(email: "hana@example.com") } }
    #Preview("Two accounts") { PreviewScreen { .conflict(PreviewServer.conflict) } }
    #Preview("To another device") { PreviewScreen { .transferCode } }
    #Preview("From another device") { PreviewScreen { .transferEntry } }
    #Preview("Was that you?") { PreviewScreen { .transferNotice } }
    #Preview("Log-ins") { PreviewScreen { .sessions } }
    #Preview("Devices") { PreviewScreen { .deviceKeys } }
    #Preview("Passkeys") { PreviewScreen { .passkeys } }
    #Preview("Second factor") { PreviewScreen { .secondFactorPresence(for: .secondFactors) } }
    #Preview("Authenticator app") { PreviewScreen { .secondFactorEnrolment(.account) } }
    #Preview("Recovery codes") { PreviewScreen { .recoveryCodes(PreviewServer.recoveryCodes, after: .account) } }
    #Preview("Authenticator apps") { PreviewScreen { .secondFactors } }
    #Preview("Deletion") { PreviewScreen { .deletion } }
    #Preview("Presence") { PreviewScreen { .reauthentication(for: .deletion) } }

    /// A screen of a user who is logged in, at a server that is a handful of responses.
    private struct PreviewScreen: View {
        let destination: ScreenDestination
        private let client: OkaeriClient
        @State private var isReady = false

        init(_ destination: () -> ScreenDestination) {
            self.destination = destination()
            client = OkaeriClient(
                server: URL(fileURLWithPath: "/"), application: "preview", vault: MemoryVault(),
                transport: PreviewServer())
        }

        var body: some View {
            Group {
                if isReady {
                    OkaeriScreens(
                        destination, in: ScreenSurroundings(client: client),
                        logIn: LogInOptions(fields: [.default, .rememberMe, .passkey, .apple, .transferCode]),
                        signUp: SignUpOptions(offersPasskeys: true), finish: {})
                } else {
                    ProgressView()
                }
            }
            .task {
                // Without a user a screen shows how it looks then.
                _ = try? await client.logInAutomatically()
                isReady = true
            }
        }
    }

    /// The responses that previews show; everything else fails as without a network.
    private struct PreviewServer: Transport {
        private static let time = WireTime(millisecondsSince1970: 1_795_220_142_000)
        private static let later = WireTime(millisecondsSince1970: 4_102_444_800_000)

        private static let picture =
            "<svg viewBox=\"0 0 29 29\"><path d=\"M4 4h7v1h-7zM13 4h2v1h-2zM4 24h21v1h-21z\"/></svg>"

        static var conflict: MergeConflict { MergeConflict(MergeOfferBody(ticket: "preview", expiresAt: later)) }

        static var recoveryCodes: RecoveryCodes {
            RecoveryCodes((2...6).flatMap { ["abcd\($0)-efgh\($0)", "klmn\($0)-pqrs\($0)"] })
        }

        private static func user(_ name: String) -> UserBody {
            var user = UserBody(id: name, isAnonymous: false, displayName: name, createdAt: time, updatedAt: time)
            user.username = name
            user.hasPassword = true
            return user
        }

        private static func session(_ name: String, isCurrent: Bool) -> SessionBody {
            var session = SessionBody(
                id: name, isCurrent: isCurrent, protocol: "native", createdWith: "automatic", createdAt: time,
                lastUsedAt: time, expiresAt: later)
            session.device = DeviceBody(name: name)
            return session
        }

        private static func key(_ name: String, isCurrent: Bool) -> DeviceKeyBody {
            DeviceKeyBody(
                thumbprint: name, isCurrent: isCurrent, device: DeviceBody(name: name), addedAt: time, lastUsedAt: time)
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            switch request.url.path {
            case APIPath.logInAutomatically:
                try Self.response(
                    LogInResponse(
                        isNew: false, user: Self.user("hana"), previousLogInAt: Self.time,
                        session: NewSessionBody(
                            id: "preview", token: "oks_preview", expiresAt: Self.later, idleSeconds: 3600)))
            case APIPath.sessions:
                try Self.response(
                    SessionListResponse(sessions: [
                        Self.session("Hana's iPhone", isCurrent: true), Self.session("iPad", isCurrent: false),
                    ]))
            case APIPath.deviceKeys:
                try Self.response(
                    DeviceKeyListResponse(deviceKeys: [
                        Self.key("Hana's iPhone", isCurrent: true), Self.key("iPad", isCurrent: false),
                    ]))
            case APIPath.passkeys:
                try Self.response(
                    PasskeyListResponse(passkeys: [
                        PasskeyBody(
                            id: "preview", name: "Hana's iPhone", aaguid: "", transports: [], isBackupEligible: true,
                            isBackedUp: true, createdAt: Self.time, lastUsedAt: Self.time)
                    ]))
            case APIPath.secondFactors:
                try Self.response(
                    SecondFactorListResponse(
                        factors: [
                            SecondFactorBody(
                                id: "preview", name: "Hana's iPhone", createdAt: Self.time, lastUsedAt: Self.time)
                        ], recoveryCodesLeft: 9))
            case APIPath.requestTOTP:
                try Self.response(
                    TOTPOfferResponse(
                        ticket: "preview", secret: "JBSWY3DPEHPK3PXP",
                        link: "otpauth://totp/preview:hana?secret=JBSWY3DPEHPK3PXP", qrSVG: Self.picture,
                        expiresAt: Self.later))
            case APIPath.mergePreview:
                try Self.response(
                    MergePreviewResponse(
                        current: Self.user("hana"), other: Self.user("hana-2"), merged: Self.user("hana-2"),
                        expiresAt: Self.later))
            case APIPath.transferCode:
                try Self.response(
                    TransferCodeResponse(
                        code: "ACDE-FGHJ-KMNP-QRTW", expiresAt: Self.later, link: nil, qrSVG: Self.picture))
            case APIPath.notices:
                try Self.response(
                    NoticeListResponse(notices: [
                        NoticeBody(
                            id: "preview", kind: NoticeBody.deviceAdded, createdAt: Self.time,
                            device: DeviceBody(name: "iPad"), undoUntil: Self.later)
                    ]))
            default: throw .offline
            }
        }

        private static func response(_ body: some Encodable) throws(TransportError) -> TransportResponse {
            // Nothing of what is here cannot be written.
            guard let data = try? JSONEncoder().encode(body) else { throw .offline }
            return TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: data)
        }
    }
#endif
