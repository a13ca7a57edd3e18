import Domain
import Testing

@Suite("The language of a mail")
struct MailLanguageTests {
    @Test(
        "is the first one of the person's that mails are written in",
        arguments: [
            (["ja"], MailLanguage.japanese), (["ko-KR"], .korean), (["KO"], .korean), (["ja_JP"], .japanese),
            (["fr", "ko", "ja"], .korean), (["en-GB", "ja"], .english), (["zh-Hant", "de"], .english), ([], .english),
            ([""], .english), (["-", "ja"], .japanese), (["japanese", "ko"], .korean),
        ])
    func best(tags: [String], language: MailLanguage) { #expect(MailLanguage.best(of: tags) == language) }
}
