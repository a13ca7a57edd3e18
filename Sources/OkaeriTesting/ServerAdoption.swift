import Foundation
public import Okaeri
import OkaeriWire

/// Users who were taken in from other services, and the tokens by which these know them.
extension InMemoryServer {
    /// Takes a user in from another service, as an import does, with a token of that service that counts once. Called again for the
    /// same user it adds a token.
    ///
    /// - Parameters:
    ///   - user: The user's id there, which stays.
    ///   - service: The service, such as `firebase`; at old protocols the protocol, such as `ncmb`.
    ///   - token: What the old SDK left on a device.
    ///   - displayName: The user's name.
    public func takeIn(_ user: User.ID, from service: String, token: String, displayName: String? = nil) {
        contents.withValue { contents in
            contents.oldTokens["\(service) \(token)"] = user
            guard contents.users[user] == nil else { return }
            let now = time(contents)
            contents.users[user] = ServerContents.StoredUser(
                number: contents.newNumber(),
                body: UserBody(
                    id: user, isAnonymous: true, displayName: displayName, fields: [:], createdAt: now, updatedAt: now))
        }
    }

    func adopt(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let thumbprint = try checkProof(of: request, token: nil, &contents)
        let body = try read(AdoptionBody.self, from: request.body ?? Data())
        if let known = try repeated(request, thumbprint, contents) { return known }
        let name = "\(body.protocolName) \(body.token)"
        guard let user = contents.oldTokens[name] else { throw Refusal(401, .credentialRefused) }
        // Sessions of old protocols go on; a service's token is the first device's.
        if OldProtocol(rawValue: body.protocolName) == nil {
            guard contents.oldTokenKeys[name] ?? thumbprint == thumbprint else {
                throw Refusal(401, .providerTokenReplayed)
            }
        }
        let response = try logIn(
            user, request, thumbprint, joins: body.joinsDevice, device: body.device, by: "adoption", &contents)
        contents.oldTokenKeys[name] = thumbprint
        return response
    }
}
