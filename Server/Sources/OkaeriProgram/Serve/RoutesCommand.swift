import ArgumentParser
import HTTPSupport
import OkaeriServer

/// `okaeri routes`
struct RoutesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "List every method and path that the server answers.",
        discussion: """
            For firewalls, proxies and tests. Names in braces stand for one segment of a path, ** for any number. HEAD \
            is known wherever GET is, and OPTIONS everywhere. No data is opened.

            Examples:
              okaeri routes
              okaeri routes --surface pages
              okaeri routes --json
            """)

    @Option(help: "Only those of a protocol: native, admin, ncmb, parse, kii, envelope, pages, dashboard.")
    var surface: String?

    @OptionGroup var options: SettingOptions

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try options.settings()
        let all: [RouteDescription]
        do throws(StartFault) {
            all = try await Composition.routeTable(settings, withStatusKey: true)
        } catch {
            throw CommandFault(error)
        }
        let known = Set(all.map(\.surface))
        if let surface, !known.contains(surface) {
            throw CommandFault.usage(
                "No protocol is called \(surface). There are: \(known.sorted().joined(separator: ", ")).")
        }
        let routes = all.filter { surface == nil || $0.surface == surface }
        guard !output.isJSON else {
            Console.write(json: RouteList(routes: routes))
            return
        }
        var table = TextTable("SURFACE", "METHOD", "PATH")
        for route in routes { table.add(route.surface, route.method, route.path) }
        Console.write(table.text())
    }
}

private struct RouteList: Encodable {
    let routes: [RouteDescription]
}
