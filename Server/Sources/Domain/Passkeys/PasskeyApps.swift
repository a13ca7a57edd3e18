extension PasskeyRules {
    package static let maximumApps = 20

    /// Apps for Android as people write them, one a line: the package, then the certificates, with spaces between.
    package var androidAppLines: [String] {
        get { androidApps.map { ([$0.packageName] + $0.certificates).joined(separator: " ") } }
        set {
            androidApps = newValue.compactMap { line in
                let words = line.words
                return words.first.map { AndroidApp(packageName: $0, certificates: Array(words.dropFirst())) }
            }
        }
    }

    /// An app for Android.
    package struct AndroidApp: Hashable, Sendable {
        package static let maximumCertificates = 10

        package var packageName: String
        /// SHA-256 of the certificates that sign it: 32 bytes in capital hexadecimal with colons between, as `keytool` and
        /// the Play Console show them.
        package var certificates: [String]

        package init(packageName: String, certificates: [String]) {
            self.packageName = packageName
            self.certificates = certificates
        }

        /// The certificates' SHA-256, as bytes.
        var digests: [[UInt8]] { certificates.compactMap(Self.digest) }

        /// What Android names as the origin of the app's passkeys.
        var origins: [String] {
            digests.map { "android:apk-key-hash:\(Base64URL.text(of: $0))" }
        }

        var isWellFormed: Bool {
            (1...Self.maximumCertificates).contains(certificates.count)
                && certificates.allSatisfy { Self.digest(of: $0) != nil }
                && PasskeyRules.isAppName(packageName, minimumParts: 2, alphabet: "_")
        }

        private static func digest(of certificate: String) -> [UInt8]? {
            let pairs = certificate.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard pairs.count == 32 else { return nil }
            var bytes: [UInt8] = []
            for pair in pairs {
                // In capitals, as Android writes them.
                let digits = pair.filter { $0 < UInt8(ascii: "a") }.compactMap(Hexadecimal.digit)
                guard pair.count == 2, digits.count == 2 else { return nil }
                bytes.append(digits[0] << 4 | digits[1])
            }
            return bytes
        }
    }

    /// What breaks a rule of the lists of apps.
    var appFaults: [ValidationError] {
        var faults: [ValidationError] = []
        if appleApps.count > Self.maximumApps {
            faults.append(
                ValidationError(field: "passkeys.appleApps", rule: .tooManyFields(maximum: Self.maximumApps)))
        } else if !appleApps.allSatisfy(Self.isAppleApp) {
            faults.append(ValidationError(field: "passkeys.appleApps", rule: .notAnAppleId))
        }
        if androidApps.count > Self.maximumApps {
            faults.append(
                ValidationError(field: "passkeys.androidApps", rule: .tooManyFields(maximum: Self.maximumApps)))
        } else if !androidApps.allSatisfy(\.isWellFormed) {
            faults.append(ValidationError(field: "passkeys.androidApps", rule: .notAnOrigin))
        }
        return faults
    }

    /// Ten capitals and digits, a dot, and the bundle's id.
    static func isAppleApp(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 10 else { return false }
        let isTeam = parts[0].allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
        return isTeam && isAppName(String(text.dropFirst(11)), minimumParts: 1, alphabet: "-")
    }

    /// Letters and digits between dots, and what else the system allows.
    fileprivate static func isAppName(_ text: String, minimumParts: Int, alphabet: String) -> Bool {
        guard text.utf8.count <= 200 else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= minimumParts
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                            || alphabet.utf8.contains(byte)
                    }
            }
    }
}
