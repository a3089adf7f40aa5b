import type { ServiceCore } from "@freehold/kit/runtime/service";
import type { InviteTokens } from "./accounts/invites/invite-token.ts";
import type { AccessTokens } from "./auth/tokens/access-token.ts";
import type { SigningKeys } from "./auth/tokens/signing-keys.ts";
import type { Throttle } from "./auth/throttle.ts";
import type { BoundedQueue } from "./auth/passwords/bounded-queue.ts";
import type { Clients } from "./clients.ts";

/** What the use cases share besides the organization's data. */
export interface Identity extends Pick<ServiceCore, "database" | "log"> {
  clients: Clients;
  signingKeys: SigningKeys;
  accessTokens: AccessTokens;
  inviteTokens: InviteTokens;
  /** The short code of a path. */
  shortCodes: (path: string) => string;
  throttle: Throttle;
  /** Where passwords are hashed: a few at once, some waiting, the rest refused. */
  hashingQueue: BoundedQueue;
  /** The public URL of a path. */
  link: (path: string) => string;
}
