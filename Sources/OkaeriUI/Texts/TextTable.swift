/// The standard words. A test sees to it that every key has a text in every language, with the same places for values.
enum TextTable {
    struct Entry {
        let english: String
        let japanese: String
        let korean: String

        init(_ english: String, _ japanese: String, _ korean: String) {
            self.english = english
            self.japanese = japanese
            self.korean = korean
        }
    }

    /// Built once: screens draw from it with every letter that is typed.
    static let entries: [TextKey: Entry] = fields.merging(ways) { $1 }.merging(accounts) { $1 }
}
