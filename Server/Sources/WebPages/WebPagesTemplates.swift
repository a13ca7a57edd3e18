extension WebPages {
    /// The hosted pages' own templates, by name.
    static var ownTemplates: [String: [UInt8]] {
        [
            "card": PackageResources.card_mustache, "log-in": PackageResources.log_in_mustache,
            "password": PackageResources.password_mustache, "form": PackageResources.form_mustache,
            "sign-up": PackageResources.sign_up_mustache, "message": PackageResources.message_mustache,
            "account": PackageResources.account_mustache, "conflict": PackageResources.conflict_mustache,
            "providers": PackageResources.providers_mustache, "consent": PackageResources.consent_mustache,
        ]
    }
}
