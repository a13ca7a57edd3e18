import Foundation
import Okaeri
import OkaeriUI
import OkaeriWire
import Testing

@Suite("Every screen, in every state, for every event")
struct ModelWalkTests {
    private func walk<Model: FormScreen>(_ model: Model, _ events: [Model.Event], _ seed: UInt64) {
        var walk = ModelWalk(model, events: events, seed: seed)
        walk.goOn(steps: 240)
        #expect(walk.faults.isEmpty, "\(walk.faults.sorted().prefix(3))")
        #expect(walk.phases.count > 1 && walk.pairs > 500)
    }

    private static func forms<Event>(_ wrap: (FormEvent) -> Event) -> [Event] { ScreenReports.formEvents.map(wrap) }

    @Test("log-in", arguments: 0..<6 as Range<UInt64>)
    func logIn(seed: UInt64) throws {
        let options = LogInOptions(fields: seed.isMultiple(of: 2) ? .default : [.default, .savedCredentials, .passkey])
        walk(
            try LogInModel(options),
            Self.forms(LogInEvent.form)
                + [
                    .passwordForgotten, .signUp, .provider(.apple), .mailedCode, .transferCode, .guest, .web, .passkey,
                    .restore,
                    .fieldsChanged(.default), .fieldsChanged([]), .lastMethodKnown(nil), .guestKnown(isNew: true),
                ], seed)
    }

    @Test("sign-up", arguments: 0..<6 as Range<UInt64>)
    func signUp(seed: UInt64) {
        walk(SignUpModel(), Self.forms(SignUpEvent.form) + [.provider(.apple), .logIn], seed)
    }

    @Test("upgrade", arguments: 0..<6 as Range<UInt64>)
    func upgrade(seed: UInt64) {
        walk(
            UpgradeModel(SignUpOptions(offersPasskeys: true)),
            Self.forms(SignUpEvent.form) + [.provider(.apple), .logIn, .passkey], seed)
    }

    @Test("mailed codes, to log in and to verify", arguments: 0..<6 as Range<UInt64>)
    func code(seed: UInt64) {
        let events = Self.forms(CodeEvent.form) + [.resend, .otherAddress, .restore]
        walk(CodeModel(), events, seed)
        walk(CodeModel(.verification, email: "hana@example.com"), events, seed)
    }

    @Test("a forgotten password, without and with the token of a link", arguments: 0..<6 as Range<UInt64>)
    func reset(seed: UInt64) {
        let events = Self.forms(ResetEvent.form) + [.resend, .otherAddress, .haveCode, .logIn]
        walk(ResetModel(), events, seed)
        walk(ResetModel(token: "token"), events, seed)
    }

    @Test("a transfer code, made and entered", arguments: 0..<6 as Range<UInt64>)
    func transfer(seed: UInt64) {
        walk(TransferCodeModel(), Self.forms(TransferCodeEvent.form) + [.issue, .copy, .withdraw], seed)
        walk(
            TransferEntryModel(),
            Self.forms(TransferEntryEvent.form) + ScreenReports.texts.map(TransferEntryEvent.scanned)
                + [.finished], seed)
    }

    @Test("the question about a device that joined by a code", arguments: 0..<6 as Range<UInt64>)
    func transferNotice(seed: UInt64) {
        walk(
            TransferNoticeModel(),
            Self.forms(TransferNoticeEvent.form) + [.reload, .mine, .notMine, .confirmed, .refused, .finished], seed)
    }

    @Test("sessions", arguments: 0..<6 as Range<UInt64>)
    func sessions(seed: UInt64) {
        walk(
            SessionsModel(),
            Self.forms(RemovalEvent.form) + [
                .reload, .remove("s"), .remove("nobody"), .removeOthers, .confirmed, .refused,
            ], seed)
    }

    @Test("the person's own devices", arguments: 0..<6 as Range<UInt64>)
    func deviceKeys(seed: UInt64) {
        walk(
            DeviceKeysModel(),
            Self.forms(RemovalEvent.form) + [
                .reload, .remove("k"), .remove("nobody"), .removeOthers, .confirmed, .refused,
            ], seed)
    }

    @Test("the person's passkeys", arguments: 0..<6 as Range<UInt64>)
    func passkeys(seed: UInt64) {
        walk(
            PasskeysModel(),
            Self.forms { PasskeysEvent.list(.form($0)) } + [
                .list(.reload), .list(.remove("p")), .list(.remove("nobody")), .list(.removeOthers), .list(.confirmed),
                .list(.refused), .add, .rename("p"), .rename("nobody"), .renameCancelled,
            ], seed)
    }

    @Test("a second factor, of a log-in and once more", arguments: 0..<6 as Range<UInt64>)
    func secondFactor(seed: UInt64) {
        let events = Self.forms(SecondFactorEvent.form) + [.recoveryCode, .authenticator, .passkey, .restore]
        walk(SecondFactorModel(.logIn(ScreenReports.challenge, by: .password), offersPasskey: true), events, seed)
        walk(SecondFactorModel(.presence(for: .secondFactors)), events, seed)
    }

    @Test("an authenticator app that is added, on the way of a log-in and later", arguments: 0..<6 as Range<UInt64>)
    func secondFactorEnrolment(seed: UInt64) {
        let events = Self.forms(SecondFactorEnrolmentEvent.form) + [.copy, .reload]
        walk(SecondFactorEnrolmentModel(.logIn(ScreenReports.challenge, by: .password)), events, seed)
        walk(SecondFactorEnrolmentModel(.account), events, seed)
    }

    @Test("recovery codes", arguments: 0..<6 as Range<UInt64>)
    func recoveryCodes(seed: UInt64) {
        let welcome = Welcome.firstVisit(ScreenReports.user())
        let events = Self.forms(RecoveryCodesEvent.form) + [.copy, .kept]
        walk(RecoveryCodesModel(ScreenReports.codes, after: .logIn(welcome, by: .password)), events, seed)
        walk(RecoveryCodesModel(ScreenReports.codes, after: .account), events, seed)
    }

    @Test("the person's authenticator apps", arguments: 0..<6 as Range<UInt64>)
    func secondFactors(seed: UInt64) {
        walk(
            SecondFactorsModel(),
            Self.forms { SecondFactorsEvent.list(.form($0)) } + [
                .list(.reload), .list(.remove("f")), .list(.remove("nobody")), .list(.removeOthers), .list(.confirmed),
                .list(.refused), .appeared, .add, .replaceCodes,
            ], seed)
    }

    @Test("deletion", arguments: 0..<6 as Range<UInt64>)
    func deletion(seed: UInt64) {
        walk(DeletionModel(word: "DELETE"), Self.forms(DeletionEvent.form) + [.export, .restore], seed)
    }

    @Test(
        "re-authentication of a guest, by password and by mail", arguments: 0..<3 as Range<UInt64>, [false, true])
    func reauthentication(seed: UInt64, hasPassword: Bool) {
        let user = ScreenReports.user(
            isAnonymous: !hasPassword, email: hasPassword ? "hana@example.com" : nil, hasPassword: hasPassword)
        walk(
            ReauthenticationModel(user, for: .deletion),
            Self.forms(ReauthenticationEvent.form) + [.provider(.apple), .mailCode], seed)
    }
}
