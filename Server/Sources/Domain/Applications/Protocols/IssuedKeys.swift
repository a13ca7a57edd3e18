/// An application's keys in one protocol, to be shown to the operator.
package struct IssuedKeys: Sendable {
    package var protocolName: Session.ProtocolName
    /// Those that can be shown. A key that makes an administrator is here only right after it was made or told.
    package var keys: [ProtocolKey: Secret]

    package init(protocolName: Session.ProtocolName, keys: [ProtocolKey: Secret]) {
        self.protocolName = protocolName
        self.keys = keys
    }
}
