package import OkaeriWire

extension Theme {
    /// Reads what is stored; `nil` for what is no theme, which only an older or newer program can have stored.
    package init?(stored: JSONValue) {
        guard let theme = try? stored.decoded(as: Theme.self) else { return nil }  // Then the standard one is shown.
        self = theme
    }

    /// The theme as custom properties. Colours are hexadecimal digits and shapes are numbers: nothing can end the style.
    ///
    /// - Parameters:
    ///   - backgroundPath: Where the picture behind the page is.
    ///   - appearance: Light or dark for who wants it so; `nil` follows the device.
    /// - Returns: rules for the page's head.
    package func style(backgroundPath: String?, only appearance: Appearance? = nil) -> String {
        func colours(_ appearance: Appearance) -> String {
            ColourToken.allCases.map { "\($0.cssName):\(colour($0, in: appearance).hex)" }.joined(separator: ";")
        }
        let radius = cornerRadius ?? Theme.standardCornerRadius
        let letters =
            switch font {
            case .serif?: #""Hiragino Mincho ProN","Noto Serif CJK JP",ui-serif,Georgia,serif"#
            case .rounded?: #"ui-rounded,"Hiragino Maru Gothic ProN","SF Pro Rounded",system-ui,sans-serif"#
            case .monospaced?: #"ui-monospace,"SFMono-Regular",Menlo,monospace"#
            default:
                #"system-ui,-apple-system,"Segoe UI","Hiragino Sans","Noto Sans CJK JP","Noto Sans KR",sans-serif"#
            }
        let alignment =
            switch logoPosition {
            case .center?: ";--okaeri-logo-position:center"
            case .trailing?: ";--okaeri-logo-position:flex-end"
            default: ""
            }
        let logo = (logoHeight.map { ";--okaeri-logo-height:\($0)px" } ?? "") + alignment
        let dark = "@media (prefers-color-scheme:dark){:root{\(colours(.dark))}}"
        let picture = backgroundPath.map { #";--okaeri-picture:url("\#($0)")"# } ?? ""
        return """
            :root{\(colours(appearance ?? .light));--okaeri-radius:\(radius)px;\
            --okaeri-button-radius:\(buttonRadius(height: 48))px;--okaeri-font:\(letters)\(logo)\(picture)}\
            \(appearance.map { ":root{color-scheme:\($0.rawValue)}" } ?? dark)
            """
    }
}
