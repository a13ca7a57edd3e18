package import Domain
package import NIOCore

extension WrittenUser {
    /// The user with the session token of the request, which nothing keeps.
    ///
    /// - Parameter sessionToken: As it was sent.
    /// - Returns: an object in JSON.
    package func bytes(with sessionToken: String) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(bytes.count + sessionToken.utf8.count + 20)
        body.writeBytes(bytes.dropLast())
        body.writeStaticString(",\"sessionToken\":")
        body.writeBytes(JSONBytes.bytes(of: sessionToken))
        body.writeStaticString("}")
        return body
    }
}
