extension SpokenProtocol {
    static let parse = SpokenProtocol(
        name: "parse",
        register: { world, name, password in
            try await world.parse("POST", "/users", #"{"username":"\#(name)","password":"\#(password)"}"#)
        },
        logIn: { world, name, password in
            let answer = try await world.parseLogIn(name, password)
            guard answer.status == 200 else { return nil }
            return Pass(token: try answer.text("sessionToken"), id: try answer.text("objectId"))
        },
        read: { world, pass in
            let answer = try await world.parse("GET", "/users/me", token: pass.token)
            guard answer.status == 200 else { return nil }
            return View(id: try answer.text("objectId"), score: try answer.json()["score"])
        },
        update: { world, pass, score in
            try await world.parse("PUT", "/users/\(pass.id)", #"{"score":\#(score)}"#, token: pass.token)
        },
        logOut: { world, pass in try await world.parse("POST", "/logout", token: pass.token) },
        delete: { world, pass in try await world.parse("DELETE", "/users/\(pass.id)", token: pass.token) })
}
