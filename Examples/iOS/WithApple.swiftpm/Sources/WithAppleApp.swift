import Okaeri
import SwiftUI

@main
struct WithAppleApp: App {
    private let okaeri = URL(string: "http://localhost:8080").map {
        OkaeriClient(server: $0, application: "your application's id")
    }

    var body: some Scene {
        WindowGroup {
            if let okaeri {
                ContentView(okaeri: okaeri)
            } else {
                Text("The server's address is not a URL.")
            }
        }
    }
}
