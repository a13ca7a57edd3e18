/// A value that writes itself, member by member, because it is on a hot path: a third of the time that `Encodable` takes.
package protocol JSONWritten: Encodable {
    /// Writes the same JSON as `encode(to:)`, in the same order. A test holds the two against each other.
    func write(to json: JSONByteWriter) throws
}

extension JSONByteWriter {
    /// Writes an object, whose members the closure writes.
    package func object(_ members: () throws -> Void) rethrows {
        let depth = depth
        beginObject()
        try members()
        closeAll(above: depth)
    }

    /// Writes an object as a member.
    package func object(_ name: StaticString, _ members: () throws -> Void) rethrows {
        begin(name)
        try object(members)
    }

    package func member(_ name: StaticString, _ text: String) {
        begin(name)
        write(text: text)
    }

    /// Nothing when there is no text.
    package func member(_ name: StaticString, ifPresent text: String?) {
        if let text { member(name, text) }
    }

    package func member(_ name: StaticString, _ truth: Bool) {
        begin(name)
        write(literal: truth ? "true" : "false")
    }

    package func member(_ name: StaticString, _ number: Int64) {
        begin(name)
        write(integer: number)
    }

    package func member(_ name: StaticString, _ value: some JSONWritten) throws {
        begin(name)
        try value.write(to: self)
    }

    package func member(_ name: StaticString, _ values: [some JSONWritten]) throws {
        let depth = depth
        begin(name)
        beginList()
        for value in values {
            separate()
            try value.write(to: self)
        }
        closeAll(above: depth)
    }

    /// A value of any type, by `Encodable`.
    package func member(_ name: StaticString, encoded value: some Encodable) throws {
        begin(name)
        try write(value)
    }

    private func begin(_ name: StaticString) {
        separate()
        write(literal: "\"")
        write(literal: name)
        write(literal: "\":")
    }
}
