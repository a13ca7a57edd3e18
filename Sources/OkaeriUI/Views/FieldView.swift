#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    import OkaeriWire
    import SwiftUI

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    /// One field with its label, hint, fault and, for a new password, its strength.
    struct FieldView: View {
        let screen: ScreenName
        let form: ScreenForm
        let field: FormField
        let send: @MainActor (FormEvent) -> Void
        private var focus: FocusState<FieldID?>.Binding
        private var look = Look()

        init(
            _ screen: ScreenName, _ form: ScreenForm, _ field: FormField, focus: FocusState<FieldID?>.Binding,
            send: @escaping @MainActor (FormEvent) -> Void
        ) {
            self.screen = screen
            self.form = form
            self.field = field
            self.focus = focus
            self.send = send
        }

        private var label: String { look.words(field.label) }
        /// What VoiceOver says in place of what stands above the field.
        private var spoken: String { field.rule.isRequired ? label : "\(label), \(look.words(.optional))" }
        private var fault: String? { field.fault.map { look.words($0.message(in: field)) } }

        var body: some View {
            VStack(alignment: .leading, spacing: 4) {
                switch field.kind {
                case .checkbox: toggle
                case .consent(let page):
                    toggle
                    if let page {
                        Link(destination: page) { Text(label).font(look.font(.footnote)) }
                            .foregroundStyle(look[.link])
                    }
                case .choice(let choices): picker(choices)
                default: typed
                }
                if let hint = field.hint {
                    Text(look.words(hint)).font(look.font(.footnote)).foregroundStyle(look[.mutedText])
                }
                if let strength = field.strength { StrengthView(strength: strength) }
                if let fault {
                    HStack(alignment: .firstTextBaseline, spacing: 4) {
                        Image(systemName: "exclamationmark.circle").accessibilityHidden(true)
                        Text(fault)
                    }
                    .font(look.font(.footnote))
                    .foregroundStyle(look[.danger])
                    .accessibilityIdentifier(screen.identifier("\(field.id.name).fault"))
                }
            }
            .disabled(!form.isEnabled)
        }

        private var typed: some View {
            VStack(alignment: .leading, spacing: 4) {
                HStack(spacing: 4) {
                    Text(label).font(look.font(.subheadline)).foregroundStyle(look[.text])
                    if !field.rule.isRequired {
                        Text(look.words(.optional)).font(look.font(.footnote)).foregroundStyle(look[.mutedText])
                    }
                }
                .accessibilityHidden(true)
                HStack(spacing: 8) {
                    entry
                    if field.kind.isSecret { eye }
                }
                .padding(.horizontal, 12)
                .frame(minHeight: 44)
                .background(look[.surface])
                .overlay(
                    RoundedRectangle(cornerRadius: look.radius(20), style: .continuous)
                        .stroke(edge, lineWidth: focus.wrappedValue == field.id ? 2 : 1)
                )
                .contentShape(Rectangle())
            }
        }

        private var edge: Color {
            field.fault != nil ? look[.danger] : focus.wrappedValue == field.id ? look[.focus] : look[.border]
        }

        private var text: Binding<String> {
            Binding(get: { @MainActor in field.text }, set: { @MainActor in send(.typed(field.id, $0)) })
        }

        private var entry: some View {
            Group {
                if field.kind.isSecret && !field.isRevealed {
                    SecureField("", text: text)
                } else if field.kind == .multiline {
                    TextField("", text: text, axis: .vertical).lineLimit(3...8)
                } else {
                    TextField("", text: text)
                }
            }
            .font(look.font(.body))
            .foregroundStyle(look[.text])
            .focused(focus, equals: field.id)
            .traits(FieldTraits(field))
            .autocorrectionDisabled(field.kind != .multiline)
            .submitLabel(form.returnSubmits(in: field.id) ? .go : .next)
            .onSubmit { send(.returned(field.id)) }
            .coveredSecret(field.kind.isSecret, isLegible: field.isRevealed)
            .accessibilityLabel(spoken)
            .accessibilityHint(fault ?? field.hint.map { look.words($0) } ?? "")
            .accessibilityIdentifier(screen.identifier(field.id))
        }

        private var eye: some View {
            Button {
                send(.revealed(field.id, !field.isRevealed))
            } label: {
                Image(systemName: field.isRevealed ? "eye.slash" : "eye").frame(minWidth: 44, minHeight: 44)
            }
            .foregroundStyle(look[.mutedText])
            .accessibilityLabel(look.words(field.isRevealed ? .hidePassword : .showPassword))
            .accessibilityIdentifier(screen.identifier("\(field.id.name).reveal"))
        }

        private var toggle: some View {
            Toggle(isOn: Binding(get: { @MainActor in field.isOn }, set: { @MainActor in send(.ticked(field.id, $0)) }))
            {
                Text(label).font(look.font(.body)).foregroundStyle(look[.text])
            }
            .tint(look[.secondary])
            .frame(minHeight: 44)
            .accessibilityHint(fault ?? "")
            .accessibilityIdentifier(screen.identifier(field.id))
        }

        private func picker(_ choices: [FieldChoice]) -> some View {
            Picker(selection: text) {
                Text("–").tag("")
                ForEach(choices, id: \.value) { Text(look.words($0.label)).tag($0.value) }
            } label: {
                Text(label).font(look.font(.body)).foregroundStyle(look[.text])
            }
            .tint(look[.link])
            .frame(minHeight: 44)
            .accessibilityHint(fault ?? "")
            .accessibilityIdentifier(screen.identifier(field.id))
        }
    }

    /// How strong a new password is: four bars, and the word for those who do not see them.
    private struct StrengthView: View {
        let strength: PasswordStrength
        private var look = Look()

        init(strength: PasswordStrength) {
            self.strength = strength
        }

        private var word: TextKey {
            switch strength {
            case .veryWeak: .strengthVeryWeak
            case .weak: .strengthWeak
            case .fair: .strengthFair
            case .strong: .strengthStrong
            }
        }

        var body: some View {
            HStack(spacing: 4) {
                ForEach(PasswordStrength.allCases, id: \.rawValue) { step in
                    Capsule()
                        .fill(step <= strength ? look[strength < .fair ? .danger : .success] : look[.border])
                        .frame(height: 4)
                }
                Text(look.words(word)).font(look.font(.footnote)).foregroundStyle(look[.mutedText])
            }
            .accessibilityElement(children: .ignore)
            .accessibilityLabel(look.words(.strength, ["strength": look.words(word)]))
        }
    }

    extension View {
        /// Keyboard, autofill and direction of a field.
        @ViewBuilder
        fileprivate func traits(_ traits: FieldTraits) -> some View {
            if traits.isLeftToRight {
                keyboard(traits).environment(\.layoutDirection, .leftToRight)
            } else {
                keyboard(traits)
            }
        }

        #if canImport(UIKit)
            private func keyboard(_ traits: FieldTraits) -> some View {
                keyboardType(traits.uiKeyboard).textContentType(traits.uiContent)
                    .textInputAutocapitalization(traits.content == .name ? .words : .never)
            }
        #else
            private func keyboard(_ traits: FieldTraits) -> some View { textContentType(traits.nsContent) }
        #endif
    }

    #if canImport(UIKit)
        extension FieldTraits {
            fileprivate var uiKeyboard: UIKeyboardType {
                switch keyboard {
                case .letters: .default
                case .email: .emailAddress
                case .phone: .phonePad
                case .digits: .numberPad
                case .decimal: .numbersAndPunctuation
                case .address: .URL
                case .ascii: .asciiCapable
                }
            }

            fileprivate var uiContent: UITextContentType? {
                switch content {
                case .username?: .username
                case .email?: .emailAddress
                case .phone?: .telephoneNumber
                case .password?: .password
                case .newPassword?: .newPassword
                case .name?: .name
                case .oneTimeCode?: .oneTimeCode
                case .address?: .URL
                case nil: nil
                }
            }
        }
    #elseif canImport(AppKit)
        extension FieldTraits {
            fileprivate var nsContent: NSTextContentType? {
                switch content {
                case .username?: .username
                case .password?: .password
                case .oneTimeCode?: .oneTimeCode
                case .newPassword?, .email?, .phone?, .name?, .address?, nil: laterContent
                }
            }

            /// What older systems have no word for.
            private var laterContent: NSTextContentType? {
                guard #available(macOS 14, *) else { return nil }
                return switch content {
                case .newPassword?: .newPassword
                case .email?: .emailAddress
                case .phone?: .telephoneNumber
                case .name?: .name
                case .username?, .password?, .oneTimeCode?, .address?, nil: nil
                }
            }
        }
    #endif
#endif
