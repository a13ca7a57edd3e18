#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    public import SwiftUI

    /// The screen that gives a code for another device, drawn.
    public struct TransferCodeScreen: View {
        @StateObject private var runner: ScreenRunner<TransferCodeModel>
        @Environment(\.okaeriProof) private var proof
        private var look = Look()

        /// Draws a screen.
        public init(_ runner: @autoclosure @escaping () -> ScreenRunner<TransferCodeModel>) {
            _runner = StateObject(wrappedValue: runner())
        }

        private var model: TransferCodeModel { runner.model }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .transferCode, model.form, .transferTitle, introduction: .key(.transferIntroduction),
                send: { runner.send(.form($0)) }
            ) {
                if let code = model.code { shown(code) }
                SubmitButton(.transferCode, model.form, .transferButton) { runner.send(.issue) }
                if model.code != nil {
                    Button(look.words(.transferWithdraw)) { runner.send(.withdraw) }
                        .buttonStyle(ThemedButtonStyle.danger)
                        .disabled(!model.form.isEnabled)
                        .accessibilityIdentifier(ScreenName.transferCode.identifier("withdraw"))
                }
            }
            .task { runner.begin() }
            .task(id: proof) {
                if proof.screen == .transferCode { runner.send(.form(.presenceProved)) }
            }
        }

        @ViewBuilder
        private func shown(_ code: TransferCode) -> some View {
            if let picture = QRPicture(svg: code.qrSVG) {
                QRView(picture: picture)
                    .frame(maxWidth: 240)
                    .coveredSecret()
                    .accessibilityLabel(look.words(.transferPicture))
            }
            Text(code.code)
                .font(.system(.title2, design: .monospaced))
                .foregroundStyle(look[.text])
                .environment(\.layoutDirection, .leftToRight)
                .coveredSecret()
                // One character after the other, as it is typed on the other device.
                .accessibilityLabel(code.code.map(String.init).joined(separator: " "))
                .accessibilityIdentifier(ScreenName.transferCode.identifier("code"))
            Text(look.words(.transferExpires, ["time": code.expiresAt.formatted()]))
                .font(look.font(.footnote))
                .foregroundStyle(look[.mutedText])
            if runner.canCopy {
                Button(look.words(.transferCopy)) { runner.send(.copy) }
                    .buttonStyle(ThemedButtonStyle.link)
                    .accessibilityIdentifier(ScreenName.transferCode.identifier("copy"))
            }
        }
    }

    /// A QR code: always dark on white, which cameras want by night too.
    struct QRView: View {
        let picture: QRPicture

        var body: some View {
            ZStack {
                Color.white
                QRShape(picture: picture).fill(Color.black)
            }
            .aspectRatio(1, contentMode: .fit)
        }
    }

    private struct QRShape: Shape {
        let picture: QRPicture

        func path(in rect: CGRect) -> Path {
            let unit = min(rect.width, rect.height) / CGFloat(picture.side)
            var path = Path()
            for bar in picture.bars {
                path.addRect(
                    CGRect(
                        x: rect.minX + CGFloat(bar.column) * unit, y: rect.minY + CGFloat(bar.row) * unit,
                        width: CGFloat(bar.length) * unit, height: unit))
            }
            return path
        }
    }

    /// The screen that takes a code from another device, drawn.
    public struct TransferEntryScreen: View {
        @StateObject private var runner: ScreenRunner<TransferEntryModel>
        private let scan: (@MainActor () async -> String?)?
        private var look = Look()

        /// Draws a screen.
        ///
        /// - Parameters:
        ///   - runner: What runs it.
        ///   - scan: Shows the app's camera and gives what it read from a QR code; without it there is no such button.
        public init(
            _ runner: @autoclosure @escaping () -> ScreenRunner<TransferEntryModel>,
            scan: (@MainActor () async -> String?)? = nil
        ) {
            _runner = StateObject(wrappedValue: runner())
            self.scan = scan
        }

        private var model: TransferEntryModel { runner.model }

        /// The screen.
        public var body: some View {
            ScreenFrame(
                .transferEntry, model.form, .transferEntryTitle,
                introduction: model.erasedAt == nil ? .key(.transferEntryIntroduction) : nil,
                staysUntilRead: model.staysUntilRead, send: { runner.send(.form($0)) }
            ) {
                if let end = model.erasedAt {
                    Text(look.words(.transferEntryLeft, ["time": end.formatted()]))
                        .font(look.font(.body))
                        .foregroundStyle(look[.text])
                        .accessibilityIdentifier(ScreenName.transferEntry.identifier("left"))
                    Button(look.words(.codeButton)) { runner.send(.finished) }
                        .buttonStyle(ThemedButtonStyle.primary)
                        .accessibilityIdentifier(ScreenName.transferEntry.identifier("finished"))
                } else {
                    entry
                }
            }
            .navigationBarBackButtonHidden(model.erasedAt != nil)
            .task { runner.begin() }
        }

        @ViewBuilder
        private var entry: some View {
            FieldsView(.transferEntry, model.form) { runner.send(.form($0)) }
            SubmitButton(.transferEntry, model.form, .transferEntryButton) { runner.send(.form(.submit)) }
            if let scan {
                Button(look.words(.transferEntryScan)) {
                    Task {
                        if let text = await scan() { runner.send(.scanned(text)) }
                    }
                }
                .buttonStyle(ThemedButtonStyle.link)
                .disabled(!model.form.isEnabled)
                .accessibilityIdentifier(ScreenName.transferEntry.identifier("scan"))
            }
        }
    }
#endif
