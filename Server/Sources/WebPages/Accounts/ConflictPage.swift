import Domain
import Hummingbird
import PageSupport

extension HostedPageRequest {
    /// Two accounts of one person: what would become of each choice. The ticket is in this page's forms and nowhere else.
    func conflict(_ who: Authenticated, _ offer: MergeOffer) async throws -> Response {
        let keepHint =
            switch offer.cause {
            case .identifiers: text("conflict.keepHint")
            case .identity: text("conflict.keepIdentityHint")
            }
        let preview = try await modules.transfers.previewMerge(offer.ticket.revealed, by: who)
        return try html(
            "conflict",
            model(
                "conflict",
                [
                    "ticket": offer.ticket.revealed, "action": path("account/merge"),
                    "current": summary(of: preview.current), "other": summary(of: preview.other),
                    // A registered user's account is brought into no other.
                    "canMerge": preview.current.isAnonymous, "keepHint": keepHint,
                ]),
            status: .conflict, formTargets: formTargets())
    }

    private func summary(of user: User) -> PageTemplates.Model {
        let name = shownName(of: user)
        return [
            "name": name, "initial": name.initial,
            "since": time(user.createdAt),
        ]
    }
}
