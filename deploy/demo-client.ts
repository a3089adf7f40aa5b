/** Client with which the demo organization is created. */
import { demoPassword } from "../gateway/src/pages/demo-logins.ts";

export interface DemoClient {
  /** Calls an operation. Throws unless it succeeds. */
  call<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  /** Returns the id of the first resource of a list; undefined when it is empty. */
  first(path: string): Promise<string | undefined>;
  /** Returns the id of the first resource of a list, by default the whole collection. Creates the resource if there is none. */
  ensure(collection: string, key: string, body: object, query?: string): Promise<string>;
}

/** Signs in as a demo user. Returns undefined if the user does not exist or has not accepted the invite. */
export async function signInToDemo(baseUrl: string, email: string): Promise<DemoClient | undefined> {
  const body = JSON.stringify({ email, password: demoPassword });
  const response = await fetch(`${baseUrl}/api/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  if (response.status === 401) return undefined;
  if (!response.ok) throw new Error(`The demo could not be seeded: the sign-in of ${email} returned ${response.status} ${await response.text()}`);
  const { accessToken } = (await response.json()) as { accessToken: string };
  return createClient(baseUrl, accessToken);
}

function createClient(baseUrl: string, token: string): DemoClient {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`The demo could not be seeded: ${method} ${path} returned ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  async function first(path: string): Promise<string | undefined> {
    const list = await call<Record<string, unknown>>("GET", path);
    const items = Object.values(list).find((value) => Array.isArray(value)) as { id: string }[];
    return items[0]?.id;
  }
  return {
    call,
    first,
    async ensure(collection, key, body, query = "") {
      const existing = await first(`${collection}${query}`);
      if (existing) return existing;
      const created = await call<Record<string, { id: string }>>("POST", collection, body);
      return created[key]!.id;
    },
  };
}
