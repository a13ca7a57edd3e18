import OkaeriWire

/// The look of all screens. What is not named is as standard.
enum Brand {
    static var theme: Theme {
        var theme = Theme(
            brand: "Hoshi",
            light: Theme.Palette([
                .background: Colour(0xF2F5FF), .primary: Colour(0x3447A8), .link: Colour(0x3447A8),
                .secondary: Colour(0x1F6B5C), .focus: Colour(0x3447A8),
            ]))
        theme.logo = ThemePicture("logo")
        theme.logoHeight = 72
        theme.logoPosition = .center
        theme.backgroundImage = ThemePicture("background")
        theme.backgroundImages["signUp"] = ThemePicture("sign-up")
        theme.cornerRadius = 14
        theme.buttonShape = .capsule
        theme.texts = [
            "en": [
                "logIn.title": "Back to the stars",
                "logIn.guide": "New here? Read [what Hoshi is](https://example.com/hoshi).",
            ]
        ]
        return theme
    }
}
