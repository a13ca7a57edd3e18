import Foundation
import Testing

/// Runs the tests on Linux (decision 0302). SwiftPM would write such a program itself, and look for tests of XCTest in an
/// index of all sources, which takes a third of the compiler's time.
@main
struct TestProgram {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        // `swift test` asks for the tests of XCTest, and then starts the program for them.
        if arguments.contains("--dump-tests-json") {
            print(#"{"tests": []}"#)
        } else if arguments.isEmpty || arguments.contains("swift-testing") {
            await Testing.__swiftPMEntryPoint() as Never
        } else {
            print("No test was run. Say: swift test --disable-xctest --enable-swift-testing --filter …")
            exit(EXIT_FAILURE)
        }
    }
}
