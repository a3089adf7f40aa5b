import { startService, type ServiceCore } from "@freehold/kit/runtime/service";
import { accountsDoor } from "./accounts/accounts.routes.ts";
import { EXPIRE_USER_INVITES, expireUserInvites } from "./accounts/invites/expire-user-invites.ts";
import { inviteTokens } from "./accounts/invites/invite-token.ts";
import { auditLogDoor } from "./audit-log/audit-log.routes.ts";
import { forgetAuditEntries } from "./audit-log/forget-audit-entries.ts";
import { accessTokens } from "./auth/tokens/access-token.ts";
import { authDoor } from "./auth/auth.routes.ts";
import { boundedQueue } from "./auth/passwords/bounded-queue.ts";
import { openSigningKeys } from "./auth/tokens/signing-keys.ts";
import { throttle } from "./auth/throttle.ts";
import { clients } from "./clients.ts";
import { config, type Config } from "./config.ts";
import type { Identity } from "./context.ts";
import { database } from "./database.ts";
import { questions } from "./identity.grpc.ts";
import { meDoor } from "./me/me.routes.ts";
import { recoveriesDoor } from "./recoveries/recoveries.routes.ts";
import { serviceKeysDoor } from "./service-keys/service-keys.routes.ts";
import { sessionsDoor } from "./sessions/sessions.routes.ts";
import { subscriptions } from "./subscriptions.ts";
import { shortCodes } from "./short-links/short-code.ts";
import { shortLinksDoor } from "./short-links/short-links.routes.ts";

// Four threads hash at once; more would only make everybody wait longer.
const CONCURRENT_HASHES = 4;
const MAX_PENDING_HASHES = 64;

async function open({ database, assertions, log }: ServiceCore, settings: Config): Promise<Identity> {
  const signingKeys = await openSigningKeys(database);
  return {
    database,
    log,
    signingKeys,
    clients: clients({ ledger: settings.LEDGER_GRPC, portfolio: settings.PORTFOLIO_GRPC, communications: settings.COMMUNICATIONS_GRPC }, assertions),
    accessTokens: accessTokens(signingKeys, settings.PUBLIC_URL),
    inviteTokens: inviteTokens(settings.ASSERTION_KEY),
    shortCodes: shortCodes(settings.ASSERTION_KEY),
    throttle: throttle(database, settings.SIGN_IN_ATTEMPTS),
    hashingQueue: boundedQueue(CONCURRENT_HASHES, MAX_PENDING_HASHES),
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
        routes: [
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
