import Testing

@testable import Domain

/// The numbers that the documents and the wire formats promise. A limit that changes does so here, in the documents and in
/// the code together.
@Suite("The promised limits")
struct PromisedLimitTests {
    private static let spans: [(String, Duration, seconds: Int)] = [
        ("a transfer code", StoredTransferCode.lifetime, 86_400),
        ("undoing a transfer", Transfer.undoSpan, 86_400),
        ("a merge ticket", MergeTicket.lifetime, 600),
        ("undoing a merge", Merge.undoSpan, 7 * 86_400),
        ("failures of a log-in", LogInFailures.memory, 86_400),
        ("the longest wait between two passwords", LogInFailures.longestDelay, 900),
        ("a device key that was taken away", RemovedDeviceKey.memory, 400 * 86_400),
        ("a session's freshness", Session.freshness, 600),
        ("the exactness of a session's last use", SessionActivity.resolution, 300),
        ("parallel log-ins of one device", SessionIssuer.parallelLogIns, 600),
        ("the same pair for a refresh that comes again", RefreshSession.repetition, 600),
        ("a device proof", ProofVerifier.window, 60),
        ("an access token", MintAccessToken.lifetime, 600),
        ("an authorization code", IssueAuthorizationCode.life, 60),
        ("a one-time log-in token", IssueOneTimeLogInToken.life, 60),
        ("a session without end", SessionRules.endless, 2_147_483_647),
        ("a passkey's challenge", PasskeyChallenges.lifetime, 300),
        ("a challenge of a first launch", FirstLaunchChallenges.lifetime, 120),
        ("the state of an authorization", StartAuthorization.life, 600),
        ("a notification of Apple", TakeAppleNotification.memory, 30 * 86_400),
        ("an attempt to end a grant", RevokeGrants.patience, 30 * 86_400),
        ("a token of an app or an administrator of an old protocol", ProtocolTokens.lifetime, 86_400),
        ("a mail that is being sent", DeliverMail.lease, 120),
        ("the first wait after a mail that failed", DeliverMail.retries.meanWait(after: 1) ?? .zero, 5),
        ("the longest wait after a mail that failed", DeliverMail.retries.meanWait(after: 99) ?? .zero, 900),
        ("the first wait after silence", DeliverMail.unansweredRetries.meanWait(after: 1) ?? .zero, 900),
        ("the longest wait after silence", DeliverMail.unansweredRetries.meanWait(after: 99) ?? .zero, 14_400),
        ("the first wait after a grant was not ended", RevokeGrants.retries.meanWait(after: 1) ?? .zero, 60),
        ("the longest wait after a grant was not ended", RevokeGrants.retries.meanWait(after: 99) ?? .zero, 6 * 3600),
        ("an admin's session without use", AdminSession.idleLifetime, 3600),
        ("an admin's session", AdminSession.lifetime, 12 * 3600),
        ("the exactness of an admin's last use", AdminSession.resolution, 60),
        ("an admin's password and code", AdminSession.freshness, 600),
        ("an admin's link", AdminLink.lifetime, 86_400),
        ("a key of an admin", AdminKey.longestLife, 400 * 86_400),
        ("the shortest span of a setting", ApplicationSettings.spans.lowerBound, 86_400),
        ("the longest span of a setting", ApplicationSettings.spans.upperBound, 3650 * 86_400),
        ("a session without use, unless set", ApplicationSettings().sessionIdleLifetime, 60 * 86_400),
        ("a session, unless set", ApplicationSettings().sessionLifetime, 400 * 86_400),
        ("the grace of a deletion, unless set", ApplicationSettings().deletionGrace, 7 * 86_400),
        ("the wait for a reader", SearchLimits.longestWait, 1),
        ("the wait after a search without a reader", SearchLimits.retry, 1),
        ("a mail's code", CodeForm.digits(count: 6).life, 600),
        ("a link that verifies an address", CodeForm.form(of: .emailVerification, hasLink: true).life, 86_400),
        ("a new password by mail", CodeForm.form(of: .passwordReset, hasLink: true).life, 3600),
        ("a registration by mail", CodeForm.form(of: .registration, hasLink: true).life, 86_400),
        ("a new password by text message", CodeForm.form(of: .textedReset, hasLink: true).life, 3600),
        ("a token of a service that users have left", OldService.longestTokenAge, 86_400),
        ("the memory of an adopted token", VerifyOldToken.memory, 30 * 86_400),
        ("the memory of an adopted id of a device", OldDeviceId.memory, 3650 * 86_400),
        ("the longest pause of a hook that does not respond", HookBreaker.longestBrake, 60),
        ("the longest pause that a receiver of events can ask for", DeliverEvents.longestRetryAfter, 3600),
        ("an event that is being sent", DeliverEvents.lease, 120),
        ("a use of a scheme of passwords", PasswordSchemeUse.span, 86_400),
    ]

    @Test("of time hold", arguments: spans.indices)
    func time(index: Int) {
        let (name, span, seconds) = Self.spans[index]
        #expect(span == .seconds(seconds), "\(name)")
    }

    private static let counts: [(String, Int, Int)] = [
        ("bytes of a mail address", MailAddress.maximumBytes, 254),
        ("bytes of a password", Password.maximumBytes, 1024),
        ("characters of the shortest password", PasswordRules.lowestMinimum, 8),
        ("characters that an application can ask of a password", PasswordRules.highestMinimum, 64),
        ("characters of an admin's password", SetUpAdmin.minimumCharacters, 12),
        ("passwords without a wait", LogInFailures.free, 5),
        ("passwords of a day", LogInFailures.maximum, 100),
        ("characters of a user name", NewIdentifiers.maximumCharacters, 64),
        ("bytes of an identifier", LogInIdentifier.maximumBytes, 2048),
        ("characters of a language", ProfileRules.maximumLocaleCharacters, 35),
        ("levels of a field", ProfileRules.maximumFieldLevels, 16),
        ("operations of a change", ProfileRules.maximumOperations, 500),
        ("values of an operation", ProfileRules.maximumOperands, 1000),
        ("fields", ProfileLimits.standard.fields, 100),
        ("bytes of fields", ProfileLimits.standard.fieldsBytes, 32_768),
        ("rules of fields", FieldRules.maximumRules, 100),
        ("bytes of defaults", FieldRules.maximumDefaultBytes, 8192),
        ("languages of a label", FieldRule.maximumLabels, 20),
        ("characters of a label", FieldRule.maximumLabelCharacters, 100),
        ("applications of an admin", Admin.maximumApplications, 1000),
        ("users in a count of broken rules", CountRuleBreakers.maximumUsers, 10_000),
        ("entries of an access list", ACL.maximumEntries, 100),
        ("bytes of a subject of an access list", ACL.maximumSubjectBytes, 128),
        ("characters of a transfer code", TransferCode.characterCount, 16),
        ("characters of the alphabet of transfer codes", TransferCode.alphabet.count, 23),
        ("sessions of a user", SessionIssuer.maximumSessionsPerUser, 100),
        ("bytes of a token of another service", SessionToken.maximumForeignBytes, 4096),
        ("bytes of the sealing key", SealingKey.byteCount, 32),
        ("passkeys of a user", Passkey.maximumPerUser, 20),
        ("characters of a passkey's name", Passkey.maximumNameCharacters, 100),
        ("transports of a passkey", Passkey.maximumTransports, 8),
        ("characters of a transport", Passkey.maximumTransportCharacters, 32),
        ("origins of passkeys", PasskeyRules.maximumOrigins, 20),
        ("kinds of authenticators", PasskeyRules.maximumAuthenticators, 100),
        ("characters of a credential's id", Passkey.maximumIdCharacters, 1364),
        ("values of a search", UserSearch.maximumValues, 5000),
        ("terms of a search", UserSearch.maximumTerms, 200),
        ("bytes of a search", UserSearch.maximumBytes, 65_536),
        ("bytes of a pattern", UserSearch.maximumPatternBytes, 512),
        ("levels of a search", UserSearch.maximumDepth, 10),
        ("orders of a search", UserSearch.maximumOrders, 8),
        ("users that a search passes over", UserSearch.maximumSkip, 1_000_000),
        ("users of a search", UserSearch.maximumLimit, 1000),
        ("users of a page", BrowseUsers.maximumPageSize, 500),
        ("users that a page of the dashboard looks through at once", BrowseUsers.stride, 500),
        ("users of a list", ListUsers.maximumPageSize, 1000),
        ("members of a role that are read at once", ListMembers.stride, 50),
        ("members of a role on a page", ListMembers.maximumPageSize, 500),
        ("idle users that are looked at in one call", RemoveIdleUsers.sweepSize, 2000),
        ("idle users of one transaction", RemoveIdleUsers.batchSize, 50),
        ("deleted users that are erased in one call", EraseDeletedUsers.callSize, 2000),
        ("deleted users of one transaction", EraseDeletedUsers.batchSize, 50),
        ("states of a regular expression", RegularExpression.maximumStates, 1000),
        ("levels of a regular expression", RegularExpression.maximumDepth, 20),
        ("repetitions in a regular expression", RegularExpression.maximumRepetitions, 100),
        ("users of one batch of an import", ImportUsers.batchSize, 200),
        ("tokens of an imported user", ImportUsers.maximumTokens, 50),
        ("audit entries of an export", ExportUser.maximumAuditEntries, 5000),
        ("audit entries of a user's page", InspectUser.maximumAuditEntries, 100),
        ("audit entries of a page", ListAudit.maximumPageSize, 1000),
        ("faults that are named of a chain", VerifyAudit.maximumFaults, 100),
        ("characters of a user agent in the audit log", RequestOrigin.maximumUserAgentCharacters, 200),
        ("days of an overview", ReadOverview.longestSpanDays, 90),
        ("views of an application", UserListView.maximum, 30),
        ("characters of a view's name", UserListView.maximumNameCharacters, 60),
        ("fields of a view", UserListView.maximumFields, 6),
        ("bytes of a one-time code's key", TOTP.keyBytes, 20),
        ("digits of a one-time code", TOTP.digits, 6),
        ("characters of an application's name", CreateApplication.maximumNameCharacters, 100),
        ("characters of an audience", CreateApplication.maximumAudienceCharacters, 255),
        ("audiences", CreateApplication.maximumAudiences, 20),
        ("characters of a transfer's link", ApplicationSettings.maximumTransferLinkCharacters, 500),
        ("bytes of a theme", ChangeTheme.maximumBytes, 163_840),
        ("bytes of a key of an old protocol", ProtocolKeyring.maximumKeyBytes, 255),
        ("texts of a rule of an old protocol", ProtocolRule.maximumTexts, 20),
        ("addresses of redirects", RedirectAddress.maximumCount, 20),
        ("characters of an address of a redirect", RedirectAddress.maximumCharacters, 500),
        ("audiences of a provider", SetProvider.maximumAudiences, 20),
        ("characters of a mail's subject", MailTemplate.maximumSubjectCharacters, 200),
        ("characters of a mail", MailTemplate.maximumTextCharacters, 20_000),
        ("characters of a text message", MailTemplate.maximumMessageCharacters, 300),
        ("characters of a mail's HTML", MailTemplate.maximumHTMLCharacters, 100_000),
        ("names in braces in a part of a mail", MailTemplate.maximumNames, 100),
        ("bytes of an application's own words of mails", MailSettings.maximumWordsBytes, 1_048_576),
        ("characters of a link in a mail", MailSettings.maximumLinkCharacters, 500),
        ("searches of an application that wait", SearchLimits.maximumWaitingPerApplication, 64),
        ("searches of an address", SearchLimits.maximumPerAddress, 8),
        ("searches that wait", SearchLimits.maximumWaiting, 1024),
        ("bytes of a search's rows", SearchLimits.maximumBytes, 8_388_608),
        ("bytes of a text that is normalised", ForeignText.maximumBytes, 2048),
        ("ids of devices of an adoption", OldDeviceId.maximumCount, 50),
        ("bytes of a token of a service that users have left", VerifyOldToken.maximumBytes, 16_384),
        ("audiences of such a service", OldService.maximumAudiences, 20),
        ("failures of a hook before it pauses", HookBreaker.failuresBeforeBrake, 5),
        ("calls of a hook at once", HookBreaker.maximumUnderWay, 64),
        ("parts of a hook's calls, of which a client has one", HookBreaker.shareOfClient, 8),
        ("characters of a hook's address", Hook.maximumURLCharacters, 1000),
        ("characters of a hook's message", AskHook.maximumMessageCharacters, 200),
        ("bytes of an owner's id that a hook says", AskHook.maximumIdBytes, 128),
        ("mails that an outbox shows", ReadOutbox.maximumMails, 100),
        ("waiting mails of a page", ListQueuedMail.maximumPageSize, 1000),
        ("mails that are sent again at once", ManageQueuedMail.maximumAtOnce, 10_000),
        ("mails that are sent at once", DeliverMail.lanes, 8),
        ("events of a user's page", InspectUser.maximumEvents, 100),
        ("events that an endpoint gets at once", DeliverEvents.batch, 8),
        ("networks of a key", AdminKey.Reach.maximumNetworks, 32),
        ("bytes of a user's claims", Access.maximumClaimsBytes, 4096),
        ("bytes of a fixed claim", ClaimRule.maximumValueBytes, 2048),
        ("certificates of an app of Google's", PasskeyRules.AndroidApp.maximumCertificates, 10),
        ("digests that a rehearsal of an import remembers", ImportRehearsal.maximumDigests, 6_000_000),
        ("verified identifiers of an export that are kept", VerifiedIdentifiers.maximum, 3_000_000),
        ("bytes of a record of a file", RecordFile.maximumRecordBytes, 1_048_576),
        ("transfers that a user keeps", Transfer.maximumPerUser, 50),
        ("identities of a user", User.maximumIdentities, 1000),
        ("schemes of passwords of an application", PasswordSchemeUse.maximumPerApplication, 64),
    ]

    @Test("of number and length hold", arguments: counts.indices)
    func number(index: Int) {
        let (name, count, promised) = Self.counts[index]
        #expect(count == promised, "\(name)")
    }

    private static let rates: [(String, RateLimit?, maximum: Int, seconds: Int)] = [
        ("new users of an address", .firstLaunches, 30, 3600),
        ("transfer codes tried from an address", .transferCodeAttempts, 20, 3600),
        ("transfer codes of a user", .transferCodesIssued, 20, 3600),
        ("exports of a user", .exports, 5, 3600),
        ("wrong passwords of an address", .passwordFailures, 120, 3600),
        ("right passwords of an address", .rightPasswords, 3000, 3600),
        ("new users of an address of old apps", OldAppLimits().firstLaunches, 3000, 3600),
        ("wrong passwords of an address of old apps", OldAppLimits().passwordFailures, 3000, 3600),
        ("right passwords of an address of old apps", OldAppLimits().rightPasswords, 30_000, 3600),
        ("mails ordered from an address of old apps", OldAppLimits().mails, 300, 3600),
        ("codes tried from an address of old apps", OldAppLimits().codeTries, 600, 3600),
        ("providers' credentials from an address of old apps", OldAppLimits().providerCredentials, 3000, 3600),
        ("tries of one code", TryCode.triesForCode, 5, 600),
        ("tries of one code of a named user from wherever they come", TryCode.allTriesForCode, 25, 600),
        ("tries of a user's codes from a client", TryCode.triesForUser, 20, 86_400),
        ("tries of all codes of a kind of a user", TryCode.allTriesForUser, 100, 86_400),
        ("mails of a kind to an address", EnqueueMessage.allOrdersForAddress, 15, 3600),
        ("orders of mails to one address", EnqueueMessage.ordersForAddress, 5, 3600),
        ("mails of all applications to an address", EnqueueMessage.allOrdersOfAllApplications, 60, 3600),
        ("orders of mails of all applications to one address", EnqueueMessage.ordersOfAllApplications, 20, 3600),
        ("notices to the owner of a taken address", RenderMessage.noticesForOwner, 2, 86_400),
        ("notices to an address that nobody verified", ReadyNotice.limitOfUnverified, 3, 86_400),
        ("users that one user looks up", LookUpUser.lookUps, 60, 3600),
        ("authorization codes without a proof", LogInWithProvider.bareCodes, 120, 3600),
        ("an admin's links tried from an address", OpenAdminLink.tries, 60, 3600),
        ("test mails of an application", SendTestMail.limit, 20, 3600),
    ]

    @Test("of how often something happens hold", arguments: rates.indices)
    func frequency(index: Int) {
        let (name, limit, maximum, seconds) = Self.rates[index]
        #expect(limit == RateLimit(maximum: maximum, window: .seconds(seconds)), "\(name)")
    }

    @Test("of searches, unless set: 0.3 s each, two readers, 6 s a minute of an address and 30 s of an application")
    func searches() {
        let limits = SearchLimits()
        #expect(limits.time == .milliseconds(300) && limits.readers == 2)
        #expect(limits.perAddress == .seconds(6) && limits.perApplication == .seconds(30))
    }

    @Test(
        "leave a reader to every other application, when there is more than one",
        arguments: [(-3, 1), (0, 1), (1, 1), (2, 1), (3, 2), (8, 7)])
    func readers(readers: Int, ofOne: Int) {
        #expect(SearchLimits(readers: readers).readersPerApplication == ofOne)
    }
}
