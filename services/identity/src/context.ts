import type { Core } from "@freehold/kit/service";
import type { InviteTokens } from "./accounts/invite-token.ts";
import type { AccessTokens } from "./auth/access-token.ts";
import type { SigningKeys } from "./auth/signing-keys.ts";
import type { Throttle } from "./auth/throttle.ts";
import type { InTurn } from "./auth/in-turn.ts";
import type { Clients } from "./clients.ts";

/** What the use cases share besides the organization's data. */
export interface Identity extends Pick<Core, "database" | "log"> {
  clients: Clients;
  signingKeys: SigningKeys;
  accessTokens: AccessTokens;
  inviteTokens: InviteTokens;
  /** The short code of a path. */
  shortCodes: (path: string) => string;
  throttle: Throttle;
  /** Where passwords are hashed: a few at once, some waiting, the rest refused. */
  inTurn: InTurn;
  /** The public URL of a path. */
  link: (path: string) => string;
}
