/** Changes that are announced: each unit's one after the other, many units side by side, and money for the portals in between. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../support/client.ts";
import { aPayment } from "../../support/tenancy.ts";
import type { Organization } from "./listeners.ts";
import { sendJson } from "./http.ts";

const PAUSE_MS = 50;
/** After so many changes of units a tenant is charged and pays. */
const MONEY_EVERY = 50;

export interface Changes {
  readonly done: number;
  /** What a unit's rent was last said to be. */
  readonly acknowledged: ReadonlyMap<string, number>;
  finished: Promise<void>;
}

/** Changes every unit so many times, each change sent until it is acknowledged. */
export function startChanges({ office, units, tenancies }: Organization, times: number, atOnce: number): Changes {
  let done = 0;
  const acknowledged = new Map<string, number>();

  async function insist(path: string, method: string, body: object, headers: Record<string, string> = {}): Promise<void> {
    for (;;) {
      const answer = await sendJson(method, `${office.baseUrl}${path}`, office.token!, body, headers);
      if (answer?.status === 200) return;
      if (answer && answer.status < 500) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      await sleep(PAUSE_MS);
    }
  }

  async function moveMoney(index: number): Promise<void> {
    const tenancy = tenancies[index % tenancies.length];
    if (!tenancy) return;
    const charge = { leaseId: tenancy.leaseId, amountCents: 1_000, dueDate: "2026-12-01", chargeType: "rent" };
    await insist("/api/charges", "POST", charge, { "Idempotency-Key": `charge ${index}` });
    await insist("/api/payments", "POST", { ...aPayment(tenancy, 1_000), autoAllocate: true });
  }

  const lanes = Array.from({ length: atOnce }, async (_, lane) => {
    const mine = units.filter((_unit, index) => index % atOnce === lane);
    for (let time = 2; time <= times + 1; time++) {
      for (const { id } of mine) {
        await insist(`/api/units/${id}`, "PATCH", { monthlyRentCents: time, unitNumber: `${id.slice(-12)}.${time}` });
        acknowledged.set(id, time);
        if (++done % MONEY_EVERY === 0) await moveMoney(done / MONEY_EVERY);
      }
    }
  });
  return {
    get done() {
      return done;
    },
    acknowledged,
    finished: Promise.all(lanes).then(() => undefined),
  };
}

/** Reads a property's units and answers how many are older than what was acknowledged before. */
export async function staleUnits({ office, units }: Organization, { acknowledged }: Changes, reader: Client): Promise<number> {
  const { propertyId } = units[0]!;
  const before = new Map(units.filter((unit) => unit.propertyId === propertyId).map(({ id }) => [id, acknowledged.get(id) ?? 0]));
  const client = new Client(office.baseUrl, reader.token);
  for (;;) {
    const { status, body } = await client.attempt("listUnits", { query: { propertyId, pageSize: 100 } }).catch(() => ({ status: 0, body: undefined }));
    if (status === 200) return body!.units.filter(({ id, monthlyRentCents }) => (monthlyRentCents ?? -1) < before.get(id)!).length;
    await sleep(PAUSE_MS);
  }
}
