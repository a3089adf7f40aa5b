import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { Organization } from "./accounts/organization/organization.entity.ts";
import { EndedSubject } from "./accounts/users/ended-subject.entity.ts";
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

/** Database of identity: its tables and migrations. */
export const database: DatabaseDefinition = {
  service: "identity",
  entities: [
    Organization,
    User,
    EndedSubject,
    UserInvite,
    SignInAddress,
    Session,
    RefreshToken,
    SigningKey,
    AuditEntry,
    ConsentRecord,
    OneTimeToken,
    ServiceKey,
  ],
  migrations: new URL("../migrations/", import.meta.url),
  constraints: {
    app_user_email_once: emailTaken,
    // Portfolio assigns the id of a portal user to the invite, so a second acceptance violates the primary key.
    app_user_pkey: alreadyAccepted,
    app_user_subject_once: alreadyAccepted,
  },
  appendOnly: { audit_entry: [], consent_record: [] },
  secrets: { app_user: ["password_hash"], session: "all", refresh_token: "all", one_time_token: "all", short_link: "all", service_key: "all" },
};
