import type { ServiceCore } from "@freehold/kit/runtime/service";
import type { InviteTokens } from "./accounts/invites/invite-token.ts";
import type { AccessTokens } from "./auth/tokens/access-token.ts";
import type { SigningKeys } from "./auth/tokens/signing-keys.ts";
import type { Throttle } from "./auth/throttle.ts";
import type { Devices } from "./auth/devices.ts";
import type { Clients } from "./clients.ts";

/** Dependencies shared by the use cases of identity. */
export interface Identity extends Pick<ServiceCore, "database" | "log"> {
  clients: Clients;
  signingKeys: SigningKeys;
  accessTokens: AccessTokens;
  inviteTokens: InviteTokens;
  /** Derives the short code of a path. */
  shortCodeOf: (path: string) => string;
  throttle: Throttle;
  /** Known devices of users. */
  devices: Devices;
  /** Runs a password hash when a thread is free. The networks of clients take turns; throws 503 when too many wait. */
  hashingQueue: <T>(clientAddress: string, hash: () => Promise<T>) => Promise<T>;
  /** Returns the public URL of a path. */
  link: (path: string) => string;
}
