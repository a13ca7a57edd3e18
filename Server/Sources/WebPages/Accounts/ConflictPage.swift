import Domain
import Hummingbird
import PageSupport

extension HostedPageRequest {
    /// Two accounts of one person: what would become of each choice. The ticket is in this page's forms and nowhere else.
    func conflict(_ who: Authenticated, _ offer: MergeOffer) async throws -> Response {
        let preview = try await modules.transfers.previewMerge(offer.ticket.revealed, by: who)
        return try html(
            "conflict",
            model(
                "conflict",
                [
                    "ticket": offer.ticket.revealed, "action": path("account/merge"),
                    "current": summary(of: preview.current), "other": summary(of: preview.other),
                ]),
            status: .conflict, formTargets: formTargets())
    }

    private func summary(of user: User) -> PageTemplates.Model {
        let name = user.displayName ?? user.username ?? user.email ?? text("account.anonymous")
        return [
            "name": name, "initial": name.first.map { String($0).uppercased() } ?? "",
            "since": time(user.createdAt),
        ]
    }
}
