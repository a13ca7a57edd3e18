import Measuring

/// What does the hosted log-in page cost, beside a bare route that answers as many bytes?
struct PagesPhase {
    let workbench: Workbench
    let isQuick: Bool

    func measure(into report: inout Report) throws {
        let data = try workbench.seeded(users: 1_000).copy(to: workbench.folder + "/run")
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        let bodyBytes = try server.load("log-in-page", LoadRun(connections: 1, seconds: 0.5)).bodyBytes
        let bare = try ServerUnderTest.bare(workbench, bodyBytes: bodyBytes, logInBytes: 1)
        var (pages, bares): ([LoadResult], [LoadResult]) = ([], [])
        for _ in 0..<(isQuick ? 1 : 3) {
            bares.append(try bare.load("bare-log-in-page", run))
            pages.append(try server.load("log-in-page", run))
        }
        server.child.stop()
        bare.child.stop()
        report.add("log-in page", pages[pages.count / 2])
        report.add("bare Hummingbird route with a page's request", bares[bares.count / 2])
        report.add(
            ratio: "log-in page ÷ bare route",
            zip(pages, bares).map { $0.requestsPerSecond / $1.requestsPerSecond }.median,
            "requests/s at 64 connections, \(bodyBytes) bytes of body")
    }

    private var run: LoadRun { LoadRun(connections: 64, seconds: isQuick ? 2 : 5) }
}
