import { fairTurns } from "@freehold/kit/fair-turns";
import { clientNetwork } from "@freehold/kit/http/client-network";
import { startService, type ServiceCore } from "@freehold/kit/runtime/service";
import { accountRoutes } from "./accounts/accounts.routes.ts";
import { EXPIRE_USER_INVITES, expireUserInvites } from "./accounts/invites/expire-user-invites.ts";
import { userInviteTokens } from "./accounts/invites/invite-token.ts";
import { auditLogRoutes } from "./audit-log/audit-log.routes.ts";
import { withCurrentActor } from "./auth/actors/current-actor.ts";
import { accessTokens } from "./auth/tokens/access-token.ts";
import { authRoutes } from "./auth/auth.routes.ts";
import { createDevices } from "./auth/devices.ts";
import { withFreshSigningKeys } from "./auth/fresh-signing-keys.ts";
import { loadSigningKeys } from "./auth/tokens/signing-keys.ts";
import { signingKeyVault } from "./auth/tokens/signing-key-vault.ts";
import { throttle } from "./auth/throttle.ts";
import { createClients } from "./clients.ts";
import { config, type Config } from "./config.ts";
import type { Identity } from "./context.ts";
import { database } from "./database.ts";
import { DELETE_EXPIRED, deleteExpired } from "./delete-expired.ts";
import { identityService } from "./identity.grpc.ts";
import { meRoutes } from "./me/me.routes.ts";
import { recoveryRoutes } from "./recoveries/recoveries.routes.ts";
import { serviceKeyRoutes } from "./service-keys/service-keys.routes.ts";
import { sessionRoutes } from "./sessions/sessions.routes.ts";
import { subscriptions } from "./subscriptions.ts";
import { shortCodeDeriver } from "./short-links/short-code.ts";
import { shortLinkRoutes } from "./short-links/short-links.routes.ts";

// libuv has four threads by default; more concurrent hashes would only slow each other down.
const CONCURRENT_HASHES = 4;
const HASH_LIMITS = { total: CONCURRENT_HASHES, perGroup: CONCURRENT_HASHES, perMember: CONCURRENT_HASHES, waiting: 128, waitMs: 30_000 };

/** Creates the queue of password hashes, in which the networks of clients take turns. */
function hashingQueue(): Identity["hashingQueue"] {
  const turns = fairTurns(HASH_LIMITS);
  return (clientAddress, hash) => {
    const network = clientNetwork(clientAddress);
    return turns.run({ group: network, member: network }, hash);
  };
}

async function createIdentity(core: ServiceCore, settings: Config): Promise<Identity> {
  const signingKeys = await loadSigningKeys(core.database, signingKeyVault(settings.ASSERTION_KEY));
  return {
    database: core.database,
    log: core.log,
    signingKeys,
    clients: createClients({ ledger: settings.LEDGER_GRPC, portfolio: settings.PORTFOLIO_GRPC, communications: settings.COMMUNICATIONS_GRPC }, core.assertions),
    accessTokens: accessTokens(signingKeys, settings.PUBLIC_URL),
    inviteTokens: userInviteTokens(settings.ASSERTION_KEY),
    shortCodeOf: shortCodeDeriver(settings.ASSERTION_KEY),
    throttle: throttle(core.database, { attempts: settings.SIGN_IN_ATTEMPTS, mailsPerDay: settings.MAILS_PER_RECIPIENT }),
    devices: createDevices(settings.ASSERTION_KEY),
    hashingQueue: hashingQueue(),
    link: (path) => settings.PUBLIC_URL + path,
  };
}

/** Starts the identity service: organizations, their users, and authentication. */
export function start() {
  const settings = config();
  return startService({
    name: "identity",
    database,
    databaseUrl: settings.IDENTITY_DATABASE_URL,
    settings,
    assemble: async (core) => {
      const identity = await createIdentity(core, settings);
      return {
        routes: [
          ...[authRoutes(identity), recoveryRoutes(identity)].map(withFreshSigningKeys(identity.signingKeys)),
          meRoutes(identity),
          sessionRoutes(),
          shortLinkRoutes(identity),
          accountRoutes(identity),
          auditLogRoutes(),
          serviceKeyRoutes(),
        ].map(withCurrentActor),
        grpc: identityService(identity),
        subscriptions: subscriptions(identity.clients),
        jobs: { [DELETE_EXPIRED]: deleteExpired(settings.AUDIT_LOG_DAYS), [EXPIRE_USER_INVITES]: expireUserInvites },
      };
    },
  });
}
