import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { Accounts } from "../migrations/202611211200-accounts.ts";
import { Sessions } from "../migrations/202611211210-sessions.ts";
import { SignInTries } from "../migrations/202611211500-sign-in-tries.ts";
import { AuditLog } from "../migrations/202611211620-audit-log.ts";
import { ConsentsAndSessions } from "../migrations/202611211625-consents-and-sessions.ts";
import { OneTimeTokens } from "../migrations/202611211630-one-time-tokens.ts";
import { ShortLinks } from "../migrations/202611211635-short-links.ts";
import { ServiceKeys } from "../migrations/202611211640-service-keys.ts";
import { AuditLogRetention } from "../migrations/202611212140-audit-log-retention.ts";
import { UserInvitesRunningOut } from "../migrations/202611220450-user-invites-running-out.ts";
import { SearchPathsOfFunctions } from "../migrations/202611230660-search-paths-of-functions.ts";
import { AccessVersions } from "../migrations/202611261300-access-versions.ts";
import { ProofsOfAddresses } from "../migrations/202611261310-proofs-of-addresses.ts";
import { InvitesBeforeConfirmation } from "../migrations/202611261320-invites-before-confirmation.ts";
import { AddressesOfUsersWithAPassword } from "../migrations/202611261330-addresses-of-users-with-a-password.ts";
import { Organization } from "./accounts/organization/organization.entity.ts";
import { SignInAddress } from "./accounts/users/sign-in-address.entity.ts";
import { UserInvite } from "./accounts/invites/user-invite.entity.ts";
import { User } from "./accounts/users/user.entity.ts";
import { emailTaken } from "./accounts/users/user.rules.ts";
import { AuditEntry } from "./audit-log/audit-entry.entity.ts";
import { alreadyAccepted } from "./auth/invites/acceptance.ts";
import { RefreshToken } from "./auth/tokens/refresh-token.entity.ts";
import { Session } from "./auth/tokens/session.entity.ts";
import { SigningKey } from "./auth/tokens/signing-key.entity.ts";
import { ConsentRecord } from "./me/consent-record.entity.ts";
import { OneTimeToken } from "./recoveries/one-time-token.entity.ts";
import { ServiceKey } from "./service-keys/service-key.entity.ts";

export const database: DatabaseDefinition = {
  service: "identity",
  entities: [Organization, User, UserInvite, SignInAddress, Session, RefreshToken, SigningKey, AuditEntry, ConsentRecord, OneTimeToken, ServiceKey],
  migrations: {
    "202611211200-accounts": Accounts,
    "202611211210-sessions": Sessions,
    "202611211500-sign-in-tries": SignInTries,
    "202611211620-audit-log": AuditLog,
    "202611211625-consents-and-sessions": ConsentsAndSessions,
    "202611211630-one-time-tokens": OneTimeTokens,
    "202611211635-short-links": ShortLinks,
    "202611211640-service-keys": ServiceKeys,
    "202611212140-audit-log-retention": AuditLogRetention,
    "202611220450-user-invites-running-out": UserInvitesRunningOut,
    "202611230660-search-paths-of-functions": SearchPathsOfFunctions,
    "202611261300-access-versions": AccessVersions,
    "202611261310-proofs-of-addresses": ProofsOfAddresses,
    "202611261320-invites-before-confirmation": InvitesBeforeConfirmation,
    "202611261330-addresses-of-users-with-a-password": AddressesOfUsersWithAPassword,
  },
  constraints: {
    app_user_email_once: emailTaken,
    // Portfolio assigns the id of a portal user to the invite, so a second acceptance violates the primary key.
    app_user_pkey: alreadyAccepted,
    app_user_subject_once: alreadyAccepted,
  },
  appendOnly: { audit_entry: [], consent_record: [] },
  secrets: { app_user: ["password_hash"], session: "all", refresh_token: "all", one_time_token: "all", short_link: "all", service_key: "all" },
};
