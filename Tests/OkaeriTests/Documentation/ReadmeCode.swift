// swift-format-ignore-file: NeverForceUnwrap
import Foundation
import Okaeri
import OkaeriWire

// The code that README.md, README.ja.md, README.ko.md and the end of `make run` show, so that it compiles. `ReadmeTests` sees
// to it that both stay the same. An address that is written into an app is known to be one.

/// README.md
func readme() async throws {
    let okaeri = OkaeriClient(server: URL(string: "https://id.example.com")!, application: "your application's id")

    switch try await okaeri.logInAutomatically() {
    case .firstVisit(let user): print("はじめまして！", user.id)
    case .returning(let user, let lastLogIn): print("おかえりなさい", user.displayName ?? user.id, lastLogIn)
    }
    try await okaeri.update(UserChanges(displayName: .set("花子"), fields: ["level": 3]))
}

/// README.ja.md
func readmeInJapanese() async throws {
    let okaeri = OkaeriClient(server: URL(string: "https://id.example.com")!, application: "アプリケーション ID")

    switch try await okaeri.logInAutomatically() {
    case .firstVisit(let user): print("はじめまして！", user.id)
    case .returning(let user, let lastLogIn): print("おかえりなさい", user.displayName ?? user.id, lastLogIn)
    }
    try await okaeri.update(UserChanges(displayName: .set("花子"), fields: ["level": 3]))
}

/// README.ko.md
func readmeInKorean() async throws {
    let okaeri = OkaeriClient(server: URL(string: "https://id.example.com")!, application: "애플리케이션 ID")

    switch try await okaeri.logInAutomatically() {
    case .firstVisit(let user): print("처음 뵙겠습니다!", user.id)
    case .returning(let user, let lastLogIn): print("다시 오셨네요!", user.displayName ?? user.id, lastLogIn)
    }
    try await okaeri.update(UserChanges(displayName: .set("지우"), fields: ["level": 3]))
}

/// The end of `make run`, which puts the server's address and the application's id in.
func makeRun() async throws {
    let okaeri = OkaeriClient(server: URL(string: "$url")!, application: "$application")
    switch try await okaeri.logInAutomatically() {
    case .firstVisit(let user): print("はじめまして！", user.id)
    case .returning(let user, let lastLogIn): print("おかえりなさい", user.id, lastLogIn)
    }
}
