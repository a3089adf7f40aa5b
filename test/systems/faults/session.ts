/** Session of the writers: refreshes a refused token, and signs in again if that fails. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../support/client.ts";
import { password, type Colleague } from "../../support/office.ts";

const PAUSE_MS = 250;
const TIMEOUT_MS = 5_000;

export interface Session {
  readonly token: string;
  /** Renews a refused token. Concurrent calls share one renewal. */
  renew(refusedToken: string): Promise<void>;
}

/** Starts a session with the user's token. */
export function sessionOf(user: Colleague): Session {
  const client = new Client(user.baseUrl, user.token);
  client.cookie = user.cookie;
  let renewal: Promise<void> | undefined;

  async function renewToken(): Promise<void> {
    const refreshed = await client.attempt("refreshToken", { body: { grantType: "refresh_token" } });
    const response = refreshed.status === 200 ? refreshed : await client.attempt("login", { body: { email: user.email, password } });
    if (response.status === 200) client.token = response.body.accessToken;
  }
  return {
    get token() {
      return client.token!;
    },
    async renew(refusedToken) {
      if (client.token !== refusedToken) return;
      renewal ??= Promise.race([renewToken(), sleep(TIMEOUT_MS)])
        .catch(() => undefined)
        .then(() => sleep(PAUSE_MS))
        .finally(() => (renewal = undefined));
      await renewal;
    },
  };
}
