/// Which program this is.
package enum ProgramVersion {
    package static let current = "0.1.0"
}
