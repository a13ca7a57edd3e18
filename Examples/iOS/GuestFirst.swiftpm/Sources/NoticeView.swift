import Okaeri
import SwiftUI

struct NoticeView: View {
    let okaeri: OkaeriClient
    @State private var notice: Notice?

    var body: some View {
        VStack(spacing: 8) {
            if let notice {
                Text("\(notice.device.name ?? "Another phone") joined your account.")
                Button("That was me") { Task { await accept(notice) } }
                Button("That was not me") { Task { await undo(notice) } }
            }
        }
        .task {
            for await next in okaeri.notices where next.kind == .deviceAdded { notice = next }
        }
    }

    private func accept(_ notice: Notice) async {
        // A notice that could not be acknowledged comes again with the next response.
        try? await okaeri.acknowledge(notice.id)
        self.notice = nil
    }

    private func undo(_ notice: Notice) async {
        // After a day it is too late; the list of devices can still remove the phone.
        try? await okaeri.undoTransfer(notice.id)
        self.notice = nil
    }
}
