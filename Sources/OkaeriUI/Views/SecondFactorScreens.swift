#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    public import SwiftUI

    /// The screen that asks for a second factor, drawn.
    public struct SecondFactorScreen: View {
        @StateObject private var runner: ScreenRunner<SecondFactorModel>
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<SecondFactorModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: SecondFactorModel { runner.model }

        private var introduction: TextKey {
            model.step == .authenticator ? .secondFactorIntroduction : .secondFactorRecoveryIntroduction
        }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .secondFactor, model.form, .secondFactorTitle, introduction: .key(introduction),
                restore: { runner.send(.restore) }, send: { runner.send(.form($0)) }
            ) {
                if model.offersPasskey {
                    PasskeyButton(.secondFactor, .presencePasskey, model.form) { runner.send(.passkey) }
                }
                FieldsView(.secondFactor, model.form) { runner.send(.form($0)) }
                SubmitButton(.secondFactor, model.form, .secondFactorButton) { runner.send(.form(.submit)) }
                if model.canChangeStep {
                    if model.step == .authenticator {
                        link(.secondFactorUseRecoveryCode, "recoveryCode", .recoveryCode)
                    } else {
                        link(.secondFactorUseApp, "authenticator", .authenticator)
                    }
                }
            }
            .task { runner.begin() }
        }

        private func link(_ title: TextKey, _ name: String, _ event: SecondFactorEvent) -> some View {
            Button(look.words(title)) { runner.send(event) }
                .buttonStyle(ThemedButtonStyle.link)
                .disabled(!model.form.isEnabled)
                .accessibilityIdentifier(ScreenName.secondFactor.identifier(name))
        }
    }

    /// The screen that adds an authenticator app, drawn.
    public struct SecondFactorEnrolmentScreen: View {
        @StateObject private var runner: ScreenRunner<SecondFactorEnrolmentModel>
        @Environment(\.okaeriProof) private var proof
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<SecondFactorEnrolmentModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: SecondFactorEnrolmentModel { runner.model }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .secondFactorEnrolment, model.form, .enrolmentTitle, introduction: .key(.enrolmentIntroduction),
                send: { runner.send(.form($0)) }
            ) {
                if let offer = model.offer {
                    shown(offer)
                    FieldsView(.secondFactorEnrolment, model.form) { runner.send(.form($0)) }
                    SubmitButton(.secondFactorEnrolment, model.form, .enrolmentButton) { runner.send(.form(.submit)) }
                } else if model.form.isRunning {
                    ProgressView().accessibilityLabel(look.words(.working))
                } else {
                    Button(look.words(.reload)) { runner.send(.reload) }
                        .buttonStyle(ThemedButtonStyle.link)
                        .disabled(!model.form.isEnabled)
                        .accessibilityIdentifier(ScreenName.secondFactorEnrolment.identifier("reload"))
                }
            }
            .task { runner.begin() }
            .task(id: proof) {
                if proof.screen == .secondFactorEnrolment { runner.send(.form(.presenceProved)) }
            }
        }

        @ViewBuilder
        private func shown(_ offer: TOTPOffer) -> some View {
            if let picture = QRPicture(svg: offer.qrSVG) {
                QRView(picture: picture)
                    .frame(maxWidth: 240)
                    .coveredSecret()
                    .accessibilityLabel(look.words(.enrolmentPicture))
            }
            if let link = offer.link {
                Link(destination: link) { Text(look.words(.enrolmentOpen)) }
                    .accessibilityIdentifier(ScreenName.secondFactorEnrolment.identifier("open"))
            }
            Text(offer.secret)
                .font(.system(.body, design: .monospaced))
                .foregroundStyle(look[.text])
                .environment(\.layoutDirection, .leftToRight)
                .coveredSecret()
                // One character after the other, as it is typed into the app.
                .accessibilityLabel(offer.secret.map(String.init).joined(separator: " "))
                .accessibilityIdentifier(ScreenName.secondFactorEnrolment.identifier("secret"))
            if runner.canCopy {
                Button(look.words(.enrolmentCopy)) { runner.send(.copy) }
                    .buttonStyle(ThemedButtonStyle.link)
                    .accessibilityIdentifier(ScreenName.secondFactorEnrolment.identifier("copy"))
            }
        }
    }

    /// The screen that shows recovery codes once, drawn.
    public struct RecoveryCodesScreen: View {
        @StateObject private var runner: ScreenRunner<RecoveryCodesModel>
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<RecoveryCodesModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: RecoveryCodesModel { runner.model }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .recoveryCodes, model.form, .recoveryCodesTitle, introduction: .key(.recoveryCodesIntroduction),
                staysUntilRead: model.staysUntilRead, send: { runner.send(.form($0)) }
            ) {
                ForEach(model.codes, id: \.self) { code in
                    Text(code)
                        .font(.system(.body, design: .monospaced))
                        .foregroundStyle(look[.text])
                        .environment(\.layoutDirection, .leftToRight)
                        .coveredSecret()
                        .accessibilityLabel(code.map(String.init).joined(separator: " "))
                }
                if runner.canCopy {
                    Button(look.words(.recoveryCodesCopy)) { runner.send(.copy) }
                        .buttonStyle(ThemedButtonStyle.secondary)
                        .accessibilityIdentifier(ScreenName.recoveryCodes.identifier("copy"))
                }
                ShareLink(item: model.text)
                    .accessibilityIdentifier(ScreenName.recoveryCodes.identifier("share"))
                Button(look.words(.recoveryCodesKept)) { runner.send(.kept) }
                    .buttonStyle(ThemedButtonStyle.primary)
                    .accessibilityIdentifier(ScreenName.recoveryCodes.identifier("kept"))
            }
            .navigationBarBackButtonHidden()
            .task { runner.begin() }
        }
    }

    /// The screen of the person's authenticator apps, drawn.
    public struct SecondFactorsScreen: View {
        @StateObject private var runner: ScreenRunner<SecondFactorsModel>
        @Environment(\.okaeriProof) private var proof
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<SecondFactorsModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: SecondFactorsModel { runner.model }

        private var question: String? {
            guard case .remove(let factor)? = model.question else { return nil }
            return removal(of: factor)
        }

        private static let texts = DeviceListTexts(
            title: .secondFactorsTitle, introduction: .key(.secondFactorsIntroduction), remove: .deviceKeysRemove)

        /// The screen.
        public var body: some View {
            DeviceList(
                .secondFactors, model.form, Self.texts, isLoaded: model.factors != nil, hasOthers: false,
                question: question, send: { runner.send(.list($0)) }
            ) {
                ForEach(model.factors ?? []) { row($0) }
                Button(look.words(.secondFactorsAdd)) { runner.send(.add) }
                    .buttonStyle(ThemedButtonStyle.primary)
                    .disabled(!model.form.isEnabled)
                    .accessibilityIdentifier(ScreenName.secondFactors.identifier("add"))
                if model.hasFactors {
                    Text(look.words(.secondFactorsLeft, ["count": String(model.recoveryCodesLeft)]))
                        .font(look.font(.footnote))
                        .foregroundStyle(look[.mutedText])
                    Button(look.words(.secondFactorsReplace)) { runner.send(.replaceCodes) }
                        .buttonStyle(ThemedButtonStyle.secondary)
                        .disabled(!model.form.isEnabled)
                        .accessibilityIdentifier(ScreenName.secondFactors.identifier("replaceCodes"))
                }
            }
            .task {
                runner.begin()
                // After a screen on top of this one, which may have added an app.
                runner.send(.appeared)
            }
            .task(id: proof) {
                if proof.screen == .secondFactors { runner.send(.list(.form(.presenceProved))) }
            }
        }

        private func removal(of factor: SecondFactor) -> String {
            look.words(.secondFactorsRemoveQuestion, ["name": factor.name])
        }

        private func row(_ factor: SecondFactor) -> some View {
            DeviceRow(
                .secondFactors, id: factor.id, name: factor.name,
                detail: factor.lastUsedAt.map { look.words(.sessionsLastUsed, ["time": $0.formatted()]) }
                    ?? look.words(.deviceKeysAdded, ["time": factor.createdAt.formatted()]),
                action: .deviceKeysRemove, question: removal(of: factor), isEnabled: model.form.isEnabled
            ) { runner.send(.list(.remove(factor.id))) }
        }
    }
#endif
