import Foundation
import OkaeriWire

extension SessionKeeper {
    /// Changes the user's values.
    func update(_ changes: UserChanges) async throws(OkaeriError) -> User {
        try await takeUser(APICall(.patch, APIPath.user, body: changes.body))
    }

    /// The user's values as the server has them now.
    func reloadUser() async throws(OkaeriError) -> User {
        try await takeUser(APICall(.get, APIPath.user))
    }

    func takeUser(_ call: APICall) async throws(OkaeriError) -> User {
        let answered = try await authenticated(call)
        let body = try answered.response.decoded(UserBody.self)
        await change { $0.take(body, epoch: answered.epoch) }
        return User(body)
    }
}
