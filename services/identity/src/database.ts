import type { DatabaseDefinition } from "@freehold/kit/database";
import { Accounts } from "../migrations/202611211200-accounts.ts";
import { Sessions } from "../migrations/202611211210-sessions.ts";
import { SignInTries } from "../migrations/202611211500-sign-in-tries.ts";
import { Organization } from "./accounts/organization.entity.ts";
import { SignInAddress } from "./accounts/sign-in-address.entity.ts";
import { UserInvite } from "./accounts/user-invite.entity.ts";
import { User } from "./accounts/user.entity.ts";
import { emailTaken } from "./accounts/user.rules.ts";
import { alreadyAccepted } from "./auth/acceptance.ts";
import { RefreshToken } from "./auth/refresh-token.entity.ts";
import { Session } from "./auth/session.entity.ts";
import { SigningKey } from "./auth/signing-key.entity.ts";

export const database: DatabaseDefinition = {
  service: "identity",
  entities: [Organization, User, UserInvite, SignInAddress, Session, RefreshToken, SigningKey],
  migrations: { "202611211200-accounts": Accounts, "202611211210-sessions": Sessions, "202611211500-sign-in-tries": SignInTries },
  constraints: {
    app_user_email_once: emailTaken,
    // A portal user's id is given by the invite, so a second acceptance meets the first one's user.
    app_user_pkey: alreadyAccepted,
    app_user_subject_once: alreadyAccepted,
  },
  secrets: { app_user: ["password_hash"], session: "all", refresh_token: "all" },
};
