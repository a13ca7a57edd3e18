package import HTTPSupport
package import OkaeriWire

// The bodies of the hot paths.

extension LogInResponse: JSONWritten {
    package func write(to json: JSONByteWriter) throws {
        try json.object {
            json.member("isNew", isNew)
            try json.member("user", user)
            json.member("previousLogInAt", ifPresent: previousLogInAt?.description)
            try json.member("session", session)
            if let leftUser { try json.member("leftUser", encoded: leftUser) }
            if let recoveryCodes { try json.member("recoveryCodes", encoded: recoveryCodes) }
        }
    }
}

extension NewSessionBody: JSONWritten {
    package func write(to json: JSONByteWriter) throws {
        json.object {
            json.member("id", id)
            json.member("token", token)
            json.member("expiresAt", expiresAt.description)
            json.member("idleSeconds", idleSeconds)
        }
    }
}

extension UserBody: JSONWritten {
    package func write(to json: JSONByteWriter) throws {
        try json.object {
            json.member("id", id)
            json.member("isAnonymous", isAnonymous)
            json.member("username", ifPresent: username)
            json.member("email", ifPresent: email)
            json.member("emailVerified", emailVerified)
            if let emailIsRelay { json.member("emailIsRelay", emailIsRelay) }
            json.member("phone", ifPresent: phone)
            json.member("phoneVerified", phoneVerified)
            json.member("displayName", ifPresent: displayName)
            json.member("locale", ifPresent: locale)
            if fields.isEmpty {
                json.object("fields") {}
            } else {
                try json.member("fields", encoded: fields)
            }
            try json.member("identities", identities)
            json.member("hasPassword", hasPassword)
            if let roles { try json.member("roles", encoded: roles) }
            if let groups { try json.member("groups", encoded: groups) }
            if let permissions { try json.member("permissions", encoded: permissions) }
            if let claims { try json.member("claims", encoded: claims) }
            json.member("claimsVersion", ifPresent: claimsVersion)
            json.member("createdAt", createdAt.description)
            json.member("updatedAt", updatedAt.description)
            json.member("lastLogInAt", ifPresent: lastLogInAt?.description)
            json.member("previousLogInAt", ifPresent: previousLogInAt?.description)
        }
    }
}

extension IdentityBody: JSONWritten {
    package func write(to json: JSONByteWriter) throws {
        json.object {
            json.member("provider", provider)
            json.member("subject", subject)
            json.member("linkedAt", linkedAt.description)
        }
    }
}
