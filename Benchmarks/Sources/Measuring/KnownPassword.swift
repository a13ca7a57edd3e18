/// The users who have a password, all the same one.
package enum KnownPassword {
    /// How many users have one.
    package static let userCount = 64
    package static let text = "four quiet little words"
    /// Its hash as the server makes it: Argon2id, 19 MiB, two passes.
    package static let hash =
        "$argon2id$v=19$m=19456,t=2,p=1$e7Fmt7DnXdMTjHmTlj9glg$sLzcsptdfqsBmcXcY+6ubTEd5cFjtZPai4DMDXXJnag"

    /// The user name of one of them, folded as it is.
    package static func userName(_ number: Int) -> String { "bench-\(number)" }
}
