#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import Foundation
    import OkaeriWire
    import SwiftUI

    #if canImport(UIKit)
        import UIKit
    #endif

    /// What all screens have around them: background, logo, title, news, and the way out.
    struct ScreenFrame<Content: View>: View {
        let screen: ScreenName
        let form: ScreenForm
        let title: TextKey
        let introduction: ScreenMessage?
        let showsDismissButton: Bool
        let staysUntilRead: Bool
        let send: @MainActor (FormEvent) -> Void
        let restore: (@MainActor () -> Void)?
        let content: Content
        @Environment(\.okaeriHasDismissButton) private var hasDismissButton
        private var look = Look()

        init(
            _ screen: ScreenName, _ form: ScreenForm, _ title: TextKey, introduction: ScreenMessage? = nil,
            showsDismissButton: Bool = false, staysUntilRead: Bool = false, restore: (@MainActor () -> Void)? = nil,
            send: @escaping @MainActor (FormEvent) -> Void,
            @ViewBuilder content: () -> Content
        ) {
            self.screen = screen
            self.form = form
            self.title = title
            self.introduction = introduction
            self.showsDismissButton = showsDismissButton
            self.staysUntilRead = staysUntilRead
            self.send = send
            self.restore = restore
            self.content = content()
        }

        var body: some View {
            ScrollView {
                VStack(spacing: 16) {
                    if let logo = look.theme.logo {
                        PictureView(picture: logo)
                            .frame(maxHeight: CGFloat(look.theme.logoHeight ?? 96))
                            .frame(maxWidth: .infinity, alignment: look.logoAlignment)
                            .accessibilityHidden(true)
                    }
                    Text(look.words(title))
                        .font(look.font(.largeTitle))
                        .foregroundStyle(look[.text])
                        .accessibilityAddTraits(.isHeader)
                        .accessibilityIdentifier(screen.identifier("title"))
                    if let introduction {
                        Text(look.words(introduction)).font(look.font(.body)).foregroundStyle(look[.mutedText])
                            .multilineTextAlignment(.center)
                    }
                    if let guide = look.guide(of: screen) { GuideView(screen: screen, guide: guide) }
                    if let banner = form.banner { BannerView(screen: screen, banner: banner, restore: restore) }
                    content
                }
                .padding(20)
                .frame(maxWidth: 480)
                .frame(maxWidth: .infinity)
            }
            .scrollDismissesKeyboard(.interactively)
            .background(ground.ignoresSafeArea())
            .animation(look.animation, value: form.banner)
            .interactiveDismissDisabled(!form.canDismiss || staysUntilRead)
            .toolbar {
                if showsDismissButton || hasDismissButton {
                    ToolbarItem(placement: .cancellationAction) {
                        Button(look.words(.dismiss)) { send(.dismiss) }
                            .disabled(!form.canDismiss)
                            .accessibilityIdentifier(screen.identifier("dismiss"))
                    }
                }
            }
            .onAppear { send(.appeared) }
            .onDisappear { send(.disappeared) }
            .task(id: form.banner) { announce() }
        }

        private var ground: some View {
            ZStack {
                look[.background]
                if let picture = look.theme.background(of: screen.rawValue) {
                    PictureView(picture: picture, contentMode: .fill).opacity(0.15).accessibilityHidden(true)
                }
            }
        }

        /// Tells those who do not see the screen.
        private func announce() {
            #if canImport(UIKit)
                guard let banner = form.banner else { return }
                let faults = form.fields.compactMap { field in
                    field.fault.map { "\(look.words(field.label)): \(look.words($0.message(in: field)))" }
                }
                UIAccessibility.post(
                    notification: .announcement,
                    argument: ([look.words(banner.message)] + faults).joined(separator: " "))
            #endif
        }
    }

    /// News above the fields.
    struct BannerView: View {
        let screen: ScreenName
        let banner: ScreenBanner
        let restore: (@MainActor () -> Void)?
        private var look = Look()

        init(screen: ScreenName, banner: ScreenBanner, restore: (@MainActor () -> Void)?) {
            self.screen = screen
            self.banner = banner
            self.restore = restore
        }

        private var token: Theme.ColourToken {
            switch banner.kind {
            case .failure: .danger
            case .success: .success
            case .information: .text
            }
        }

        var body: some View {
            VStack(alignment: .leading, spacing: 8) {
                if let title = banner.title { Text(look.words(title)).font(look.font(.headline)) }
                Text(look.words(banner.message)).font(look.font(.body))
                if banner.offersRestoring, let restore {
                    Button(look.words(.deletionRestore), action: restore)
                        .buttonStyle(ThemedButtonStyle.link)
                        .accessibilityIdentifier(screen.identifier("restore"))
                }
            }
            .foregroundStyle(look[token])
            .padding(12)
            .frame(maxWidth: .infinity, alignment: .leading)
            .background(look[.surface])
            .overlay(
                RoundedRectangle(cornerRadius: look.radius(20), style: .continuous)
                    .stroke(look[token], lineWidth: 1)
            )
            .accessibilityElement(children: .contain)
            .accessibilityIdentifier(screen.identifier("banner"))
        }
    }

    /// A picture of a theme.
    struct PictureView: View {
        let picture: ThemePicture
        /// Whether all of it is shown, or all of the ground is covered.
        var contentMode = ContentMode.fit

        var body: some View {
            switch picture.place {
            case .asset(let name): Image(name).resizable().aspectRatio(contentMode: contentMode)
            case .remote(let address):
                AsyncImage(url: URL(string: address)) { image in
                    image.resizable().aspectRatio(contentMode: contentMode)
                } placeholder: {
                    Color.clear
                }
            case .inline(_, let base64): inline(base64)
            }
        }

        @ViewBuilder
        private func inline(_ base64: String) -> some View {
            #if canImport(UIKit)
                if let data = Data(base64Encoded: base64), let image = UIImage(data: data) {
                    Image(uiImage: image).resizable().aspectRatio(contentMode: contentMode)
                }
            #else
                Color.clear
            #endif
        }
    }

    /// The fields of a form, with the focus that its model decides.
    struct FieldsView: View {
        let screen: ScreenName
        let form: ScreenForm
        let send: @MainActor (FormEvent) -> Void
        @FocusState private var focus: FieldID?
        @State private var watch = FocusWatch()

        init(_ screen: ScreenName, _ form: ScreenForm, send: @escaping @MainActor (FormEvent) -> Void) {
            self.screen = screen
            self.form = form
            self.send = send
            _focus = FocusState()
        }

        var body: some View {
            VStack(spacing: 16) {
                ForEach(form.fields) { FieldView(screen, form, $0, focus: $focus, send: send) }
            }
            .task(id: form.focus) { focus = form.focus }
            .task(id: focus) {
                if watch.takes(focus, wanted: form.focus) { send(.focused(focus)) }
            }
        }
    }
#endif
