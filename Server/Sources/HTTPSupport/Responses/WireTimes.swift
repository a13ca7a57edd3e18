package import Domain
package import OkaeriWire

extension Timestamp {
    /// The instant as the API and the commands write it.
    package var wire: WireTime { WireTime(millisecondsSince1970: milliseconds) }
}
