/// What can be wrong with a request before any rule is asked.
package enum PageFault: Error, Hashable, Sendable {
    /// The form did not come from a page of ours, or the cookie is another one by now (requirement 43).
    case forged
    /// There is no such page.
    case unknown
}
