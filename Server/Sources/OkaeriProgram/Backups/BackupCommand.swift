import ArgumentParser

/// `okaeri backup …`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back an installation up, encrypted and checked, while it runs.",
        discussion: """
            A backup is one file, compressed, and encrypted to a public key: the machine that makes backups cannot read them. \
            With the first one a journal begins of all that ends (sessions, codes, keys, users), so that “okaeri restore” \
            brings none of it back.

            Examples:
              okaeri backup new-key --secret-key-file okaeri-backup.secret
              okaeri backup make --data /var/lib/okaeri --to /mnt/backups \\
                --key okaeri-backup-key-1-… --keep 14
              okaeri backup revocations --data /var/lib/okaeri --to s3://backups/okaeri \\
                --key okaeri-backup-key-1-…
              okaeri backup list --from /mnt/backups
            """,
        subcommands: [
            MakeBackupCommand.self, StoreRevocationsCommand.self, ListBackupsCommand.self, CheckBackupCommand.self,
            NewBackupKeyCommand.self,
        ],
        defaultSubcommand: MakeBackupCommand.self)
}
