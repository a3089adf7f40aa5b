import { startService, type Core } from "@freehold/kit/service";
import { accountsDoor } from "./accounts/accounts.http.ts";
import { EXPIRE_USER_INVITES, expireUserInvites } from "./accounts/expire-user-invites.ts";
import { inviteTokens } from "./accounts/invite-token.ts";
import { auditLogDoor } from "./audit-log/audit-log.http.ts";
import { forgetAuditEntries } from "./audit-log/forget-audit-entries.ts";
import { accessTokens } from "./auth/access-token.ts";
import { authDoor } from "./auth/auth.http.ts";
import { inTurn } from "./auth/in-turn.ts";
import { openSigningKeys } from "./auth/signing-keys.ts";
import { throttle } from "./auth/throttle.ts";
import { clients } from "./clients.ts";
import { config, type Config } from "./config.ts";
import type { Identity } from "./context.ts";
import { database } from "./database.ts";
import { questions } from "./identity.grpc.ts";
import { meDoor } from "./me/me.http.ts";
import { recoveriesDoor } from "./recoveries/recoveries.http.ts";
import { serviceKeysDoor } from "./service-keys/service-keys.http.ts";
import { sessionsDoor } from "./sessions/sessions.http.ts";
import { subscriptions } from "./subscriptions.ts";
import { shortCodes } from "./short-links/short-code.ts";
import { shortLinksDoor } from "./short-links/short-links.http.ts";

// Four threads hash at once; more would only make everybody wait longer.
const HASHES_AT_ONCE = 4;
const HASHES_WAITING = 64;

async function open({ database, seals, log }: Core, settings: Config): Promise<Identity> {
  const signingKeys = await openSigningKeys(database);
  return {
    database,
    log,
    signingKeys,
    clients: clients({ ledger: settings.LEDGER_GRPC, portfolio: settings.PORTFOLIO_GRPC, communications: settings.COMMUNICATIONS_GRPC }, seals),
    accessTokens: accessTokens(signingKeys, settings.PUBLIC_URL),
    inviteTokens: inviteTokens(settings.ASSERTION_KEY),
    shortCodes: shortCodes(settings.ASSERTION_KEY),
    throttle: throttle(database, settings.SIGN_IN_ATTEMPTS),
    inTurn: inTurn(HASHES_AT_ONCE, HASHES_WAITING),
    link: (path) => settings.PUBLIC_URL.replace(/\/+$/, "") + path,
  };
}

export function start() {
  const settings = config();
  return startService({
    name: "identity",
    database,
    databaseUrl: settings.IDENTITY_DATABASE_URL,
    settings,
    assemble: async (core) => {
      const identity = await open(core, settings);
      return {
        doors: [
          authDoor(identity),
          meDoor(identity),
          recoveriesDoor(identity),
          sessionsDoor(),
          shortLinksDoor(identity),
          accountsDoor(identity),
          auditLogDoor(),
          serviceKeysDoor(),
        ],
        grpc: questions(identity),
        subscriptions,
        jobs: { forgetAuditEntries: forgetAuditEntries(settings.AUDIT_LOG_DAYS), [EXPIRE_USER_INVITES]: expireUserInvites },
      };
    },
  });
}
