/** A signed-in program: when its token is refused it refreshes it, and when that fails it signs in again. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../support/client.ts";
import { password, type Colleague } from "../../support/office.ts";

const PAUSE_MS = 250;
const PATIENCE_MS = 5_000;

export interface Session {
  readonly token: string;
  /** Everybody whose token was refused waits for one and the same renewal. */
  renew(refused: string): Promise<void>;
}

export function sessionOf(user: Colleague): Session {
  const client = new Client(user.baseUrl, user.token);
  client.cookie = user.cookie;
  let renewal: Promise<void> | undefined;

  async function ask(): Promise<void> {
    const refreshed = await client.attempt("refreshToken", { body: { grantType: "refresh_token" } });
    const answer = refreshed.status === 200 ? refreshed : await client.attempt("login", { body: { email: user.email, password } });
    if (answer.status === 200) client.token = answer.body.accessToken;
  }
  return {
    get token() {
      return client.token!;
    },
    async renew(refused) {
      if (client.token !== refused) return;
      renewal ??= Promise.race([ask(), sleep(PATIENCE_MS)])
        .catch(() => undefined)
        .then(() => sleep(PAUSE_MS))
        .finally(() => (renewal = undefined));
      await renewal;
    },
  };
}
