import Domain
import Testing

@Suite("A span of time in words")
struct DurationTextTests {
    @Test(
        "is in the unit that people use for it, in each language",
        arguments: [
            (0, "0 seconds", "0秒", "0초"), (1, "1 second", "1秒", "1초"), (59, "59 seconds", "59秒", "59초"),
            (60, "1 minute", "1分", "1분"), (61, "61 seconds", "61秒", "61초"), (90, "90 seconds", "90秒", "90초"),
            (91, "2 minutes", "2分", "2분"), (600, "10 minutes", "10分", "10분"), (3540, "59 minutes", "59分", "59분"),
            (3541, "1 hour", "1時間", "1시간"), (3600, "1 hour", "1時間", "1시간"),
            (3660, "1 hour 1 minute", "1時間1分", "1시간 1분"), (5400, "1 hour 30 minutes", "1時間30分", "1시간 30분"),
            (7200, "2 hours", "2時間", "2시간"), (86_340, "23 hours 59 minutes", "23時間59分", "23시간 59분"),
            (86_400, "24 hours", "24時間", "24시간"), (172_740, "47 hours 59 minutes", "47時間59分", "47시간 59분"),
            (172_800, "2 days", "2日", "2일"), (172_801, "2 days 1 hour", "2日1時間", "2일 1시간"),
            (176_400, "2 days 1 hour", "2日1時間", "2일 1시간"), (604_800, "7 days", "7日", "7일"),
            (2_592_000, "30 days", "30日", "30일"),
        ])
    func words(seconds: Int, english: String, japanese: String, korean: String) {
        let text = DurationText(.seconds(seconds))
        #expect(text.text(in: .english) == english)
        #expect(text.text(in: .japanese) == japanese)
        #expect(text.text(in: .korean) == korean)
    }

    @Test("says each minute of two days as it is, whatever the language", arguments: MailLanguage.allCases)
    func minutes(language: MailLanguage) {
        for minutes: Int64 in 1..<2880 {
            let text = DurationText(.seconds(minutes * 60)).text(in: language)
            let numbers = text.split { !$0.isASCII || !$0.isNumber }.compactMap { Int64($0) }
            let hasHours = minutes >= 60
            let expected = hasHours ? [minutes / 60, minutes % 60].filter { $0 > 0 } : [minutes]
            #expect(numbers == expected, "\(text)")
        }
    }

    @Test(
        "says no less than the span, and takes the longest and those before the beginning",
        arguments: [
            (Duration.milliseconds(1), "1 second"), (.milliseconds(90_001), "2 minutes"), (.seconds(-5), "0 seconds"),
            (.milliseconds(3_600_001), "1 hour 1 minute"),
        ])
    func rounding(span: Duration, words: String) {
        #expect(DurationText(span).text(in: .english) == words)
    }

    @Test("ends nowhere", arguments: [Duration.seconds(Int64.max), .seconds(Int64.min)])
    func extremes(span: Duration) {
        #expect(!DurationText(span).text(in: .english).isEmpty)
    }
}
