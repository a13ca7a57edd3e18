import Domain

/// Phone numbers as Kii's apps send them: in global form, or local with a country.
enum KiiPhoneNumber {
    /// Calling codes of the countries that Kii's regions served, and of their neighbours (ITU-T E.164).
    private static let callingCodes = [
        "JP": "81", "CN": "86", "KR": "82", "TW": "886", "HK": "852", "MO": "853", "SG": "65", "MY": "60", "TH": "66",
        "VN": "84", "PH": "63", "ID": "62", "IN": "91", "AU": "61", "NZ": "64", "US": "1", "CA": "1", "MX": "52",
        "BR": "55", "GB": "44", "IE": "353", "DE": "49", "FR": "33", "ES": "34", "IT": "39", "PT": "351", "NL": "31",
        "BE": "32", "CH": "41", "AT": "43", "SE": "46", "NO": "47", "DK": "45", "FI": "358", "PL": "48",
    ]
    /// Countries whose local numbers keep their zero, or have none to take away.
    private static let keepsZero: Set<String> = ["IT"]

    /// `+819012345678` of that, or of `JP-09012345678`; `nil` for anything else.
    static func global(_ text: String) -> String? {
        if text.hasPrefix("+") { return text }
        guard let parts = text.cut(at: "-") else { return nil }
        return global(String(parts.after), country: String(parts.before))
    }

    /// A number with the country that was sent beside it; `nil` when it is none.
    static func global(_ text: String, country: String?) -> String? {
        if text.hasPrefix("+") { return text }
        guard let country = country?.uppercased(), let code = callingCodes[country], !text.isEmpty,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let number = keepsZero.contains(country) || !text.hasPrefix("0") ? text[...] : text.dropFirst()
        return "+\(code)\(number)"
    }
}
