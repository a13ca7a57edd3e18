package import Domain
package import NIOCore
package import OkaeriWire

extension Authenticated {
    /// The own user in the words of a protocol: after the first time from the cache.
    ///
    /// - Parameters:
    ///   - protocolName: The protocol. The one that asks first has its words kept.
    ///   - body: The user, made only when nothing is kept.
    /// - Returns: JSON.
    /// - Throws: what the making throws, or the writing.
    package func written(
        for protocolName: Session.ProtocolName, _ body: @autoclosure () throws -> some Encodable
    ) throws -> EncodedUser {
        if let kept = encodedUser, kept.protocolName == protocolName { return kept }
        let written = EncodedUser(
            protocolName: protocolName, bytes: Array(try JSONBytes.buffer(of: body()).readableBytesView))
        keep(written)
        return written
    }
}

extension EncodedUser {
    /// The user as it is, for an answer's body.
    package var body: ByteBuffer { ByteBuffer(bytes: bytes) }

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

extension Timestamp {
    /// The instant as the API and the commands write it.
    package var wire: WireTime { WireTime(millisecondsSince1970: milliseconds) }
}
