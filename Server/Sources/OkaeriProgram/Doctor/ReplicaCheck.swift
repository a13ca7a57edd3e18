import Backups
import Foundation
import OkaeriServer

/// Whether the replica can be reached, and what it has.
struct ReplicaCheck {
    let settings: ServerSettings

    func findings() -> [Finding] {
        guard let replica = settings.replica else { return [] }
        do throws(BackupFault) {
            return [try finding(at: replica.open(environment: ProcessInfo.processInfo.environment))]
        } catch {
            return [
                .failed(
                    "replica", error.description,
                    advice: "Until it can be reached, the loss of this machine loses what is written.")
            ]
        }
    }

    private func finding(at repository: any BackupRepository) throws(BackupFault) -> Finding {
        let highest = try PrimaryClaim.highest(at: repository)
        let held = PrimaryClaim.held(in: settings.dataFolder)
        // Where nobody has claimed anything, the first server to start is the primary.
        if let highest, try held?.isHighest(highest, at: repository) != true {
            return .failed(
                "replica", "Another machine is the primary, by claim \(highest).",
                advice: "“okaeri standby take-over” makes this one the primary; what only the other has is lost.")
        }
        guard !PrimaryClaim.isCopied(in: settings.dataFolder) else {
            return .failed(
                "replica", "The data folder was copied from another one, which may be the primary.",
                advice: "“okaeri standby take-over” makes this one the primary; what only the other has is lost. "
                    + "Without a replica the copy starts as it is.")
        }
        guard let newest = try ReplicaCatalogue(repository).bases.last else {
            return .warning("replica", "The replica has no copy yet.", advice: "The server makes it when it runs.")
        }
        return .ok("replica", "The replica's last copy is of \(newest.time.localText).")
    }
}
