import Foundation
import OkaeriWire

@testable import Okaeri

extension FuzzTarget {
    /// One answer of a server as the SDK reads it: its refusal, its times, and its body as what the calls make of it. The calls
    /// around them are `sdk-calls`.
    ///
    /// An input is a line with the name of what is awaited, then an answer (`HostileServer.answer`).
    static let answer = FuzzTarget("sdk-answer") { input in
        let (line, rest) = input.firstLine
        guard let read = readers[String(input: line)] ?? readers[names[line.digest % names.count]] else { return }
        let answer = HostileServer.answer(rest[...])
        if let asked = answer.retryAfter {
            expect(asked >= .zero && asked <= .seconds(86_400), "nobody waits for longer than a day")
        }
        _ = answer.headers.short("Date").flatMap(HTTPDate.read)
        guard (200..<300).contains(answer.status) else {
            _ = form.refusal(answer) ?? OkaeriError(answer, problem: answer.problem)
            return
        }
        // An error of the library is a good end; anything else would end the program.
        if answer.mayBeOfAPI { try? read(answer) }
    }

    private static let form = APICall(.post, "/a/demo/token", form: [])
    private static let names = readers.keys.sorted()

    private static let readers: [String: @Sendable (TransportResponse) throws(OkaeriError) -> Void] = [
        "creation": { answer throws(OkaeriError) in
            _ = try PasskeyOptions.creation(answer.decoded(PasskeyCreationResponse.self).publicKey)
        },
        "deletion": { answer throws(OkaeriError) in
            _ = Date(try answer.decoded(DeletionResponse.self).erasedAt)
        },
        "deviceKeys": { answer throws(OkaeriError) in
            _ = try answer.decoded(DeviceKeyListResponse.self).deviceKeys.map(RegisteredDeviceKey.init(_:))
        },
        "endedSessions": { answer throws(OkaeriError) in _ = try answer.decoded(EndedSessionsResponse.self).ended },
        "export": { answer throws(OkaeriError) in _ = User(try answer.decoded(ExportResponse.self).user) },
        "logIn": { answer throws(OkaeriError) in
            let response = try answer.decoded(LogInResponse.self)
            _ = (User(response.user), response.previousLogInAt.map(Date.init(_:)))
        },
        "logInCode": { answer throws(OkaeriError) in _ = try answer.decoded(LogInCodeRequestResponse.self) },
        "merge": { answer throws(OkaeriError) in _ = User(try answer.decoded(MergeResponse.self).user) },
        "mergePreview": { answer throws(OkaeriError) in
            let response = try answer.decoded(MergePreviewResponse.self)
            _ = (User(response.current), User(response.other), User(response.merged))
        },
        "newSecondFactor": { answer throws(OkaeriError) in
            _ = AddedSecondFactor(try answer.decoded(NewSecondFactorResponse.self))
        },
        "notices": { answer throws(OkaeriError) in
            _ = try answer.decoded(NoticeListResponse.self).notices.map(Notice.init(_:))
        },
        "passkeyRequest": { answer throws(OkaeriError) in
            let options = try answer.decoded(PasskeyRequestResponse.self).publicKey
            let request = try PasskeyOptions.request(options, .sheet)
            expect(request.lifetime > .zero, "a sheet is shown for a while")
        },
        "passkeys": { answer throws(OkaeriError) in
            _ = try answer.decoded(PasskeyListResponse.self).passkeys.map(Passkey.init(_:))
        },
        "profile": { answer throws(OkaeriError) in _ = try answer.decoded(ApplicationProfile.self) },
        "reauthentication": { answer throws(OkaeriError) in _ = try answer.decoded(ReauthenticationResponse.self) },
        "recoveryCodes": { answer throws(OkaeriError) in
            _ = RecoveryCodes(try answer.decoded(RecoveryCodesResponse.self).recoveryCodes)
        },
        "removedKeys": { answer throws(OkaeriError) in _ = try answer.decoded(RemovedDeviceKeysResponse.self).removed },
        "secondFactors": { answer throws(OkaeriError) in
            _ = SecondFactorList(try answer.decoded(SecondFactorListResponse.self))
        },
        "sessions": { answer throws(OkaeriError) in
            _ = try answer.decoded(SessionListResponse.self).sessions.map(DeviceSession.init(_:))
        },
        "token": { answer throws(OkaeriError) in
            let response = try answer.decoded(TokenResponse.self)
            _ = Date(timeIntervalSince1970: 1_795_305_600).addingTimeInterval(TimeInterval(response.expiresIn))
        },
        "totp": { answer throws(OkaeriError) in _ = TOTPOffer(try answer.decoded(TOTPOfferResponse.self)) },
        "transferCode": { answer throws(OkaeriError) in
            _ = TransferCode(try answer.decoded(TransferCodeResponse.self), clockOffset: 0)
        },
        "user": { answer throws(OkaeriError) in _ = User(try answer.decoded(UserBody.self)) },
        "webLogIn": { answer throws(OkaeriError) in _ = try answer.decoded(WebLogInResponse.self).logIn },
    ]
}
