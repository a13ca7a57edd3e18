#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import Okaeri
    import OkaeriWire
    import SwiftUI

    /// What a list of devices says.
    struct DeviceListTexts {
        let title: TextKey
        var introduction: ScreenMessage?
        let remove: TextKey
        var removeOthers: TextKey?
        /// The name of the button that removes the others, for tests of apps.
        var othersName = "removeOthers"
    }

    /// A screen with a list of devices, of which the others can be removed together. Each removal is asked about first.
    struct DeviceList<Rows: View>: View {
        let screen: ScreenName
        let form: ScreenForm
        let texts: DeviceListTexts
        let isLoaded: Bool
        let hasOthers: Bool
        /// The question that is open.
        let question: String?
        let send: @MainActor (RemovalEvent) -> Void
        let rows: Rows
        private var look = Look()

        init(
            _ screen: ScreenName, _ form: ScreenForm, _ texts: DeviceListTexts, isLoaded: Bool, hasOthers: Bool,
            question: String?, send: @escaping @MainActor (RemovalEvent) -> Void, @ViewBuilder rows: () -> Rows
        ) {
            self.screen = screen
            self.form = form
            self.texts = texts
            self.isLoaded = isLoaded
            self.hasOthers = hasOthers
            self.question = question
            self.send = send
            self.rows = rows()
        }

        var body: some View {
            ScreenFrame(
                screen, form, texts.title, introduction: texts.introduction, send: { send(.form($0)) }
            ) {
                if form.isRunning { ProgressView().accessibilityLabel(look.words(.working)) }
                rows
                if hasOthers, let title = texts.removeOthers {
                    Button(look.words(title)) { send(.removeOthers) }
                        .buttonStyle(ThemedButtonStyle.danger)
                        .disabled(!form.isEnabled)
                        .accessibilityIdentifier(screen.identifier(texts.othersName))
                }
                if !isLoaded, form.isEnabled {
                    Button(look.words(.reload)) { send(.reload) }
                        .buttonStyle(ThemedButtonStyle.link)
                        .accessibilityIdentifier(screen.identifier("reload"))
                }
            }
            .refreshable { @MainActor in send(.reload) }
            .confirmationDialog(
                question ?? "",
                isPresented: Binding(
                    get: { @MainActor in question != nil },
                    set: { @MainActor in if !$0 { send(.refused) } }),
                titleVisibility: .visible
            ) {
                Button(look.words(texts.remove), role: .destructive) { send(.confirmed) }
                Button(look.words(.cancel), role: .cancel) { send(.refused) }
            }
        }
    }

    /// One device in a list, with what can be done about it.
    struct DeviceRow: View {
        let screen: ScreenName
        let id: String
        let name: String
        let detail: String
        let title: TextKey?
        let question: String
        let isEnabled: Bool
        let action: @MainActor () -> Void
        private var look = Look()

        init(
            _ screen: ScreenName, id: String, name: String, detail: String, action title: TextKey?, question: String,
            isEnabled: Bool, perform action: @escaping @MainActor () -> Void
        ) {
            self.screen = screen
            self.id = id
            self.name = name
            self.detail = detail
            self.title = title
            self.question = question
            self.isEnabled = isEnabled
            self.action = action
        }

        var body: some View {
            HStack(spacing: 12) {
                VStack(alignment: .leading, spacing: 2) {
                    Text(name).font(look.font(.headline)).foregroundStyle(look[.text])
                    Text(detail).font(look.font(.footnote)).foregroundStyle(look[.mutedText])
                }
                Spacer()
                if let title {
                    Button(look.words(title), action: action)
                        .foregroundStyle(look[.danger])
                        .frame(minHeight: 44)
                        .disabled(!isEnabled)
                        .accessibilityLabel(question)
                        .accessibilityIdentifier(screen.identifier("end.\(id)"))
                }
            }
            .padding(12)
            .background(look[.surface])
            .clipShape(RoundedRectangle(cornerRadius: look.radius(20), style: .continuous))
        }
    }
#endif
