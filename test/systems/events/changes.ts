/** Load that publishes events: changes of many units in parallel, in order for each unit, with charges and payments in between. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../support/client.ts";
import { aPayment } from "../../support/tenancy.ts";
import type { Organization } from "./listeners.ts";
import { sendJson } from "./http.ts";

const PAUSE_MS = 50;
/** Changes of units between two payments. */
const CHANGES_PER_PAYMENT = 50;

export interface Changes {
  readonly done: number;
  /** Last acknowledged rent of each unit. */
  readonly acknowledged: ReadonlyMap<string, number>;
  finished: Promise<void>;
}

/** Changes every unit the given number of times. Each change is sent until it is acknowledged. */
export function startChanges({ office, units, tenancies }: Organization, rounds: number, concurrency: number): Changes {
  let done = 0;
  const acknowledged = new Map<string, number>();

  async function sendUntilAcknowledged(path: string, method: string, body: object, headers: Record<string, string> = {}): Promise<void> {
    for (;;) {
      const response = await sendJson(method, `${office.baseUrl}${path}`, office.token!, body, headers);
      if (response?.status === 200) return;
      if (response && response.status < 500) throw new Error(`${method} ${path} returned ${response.status}: ${response.text}`);
      await sleep(PAUSE_MS);
    }
  }

  async function chargeAndPay(index: number): Promise<void> {
    const tenancy = tenancies[index % tenancies.length];
    if (!tenancy) return;
    const charge = { leaseId: tenancy.leaseId, amountCents: 1_000, dueDate: "2026-12-01", chargeType: "rent" };
    await sendUntilAcknowledged("/api/charges", "POST", charge, { "Idempotency-Key": `charge ${index}` });
    await sendUntilAcknowledged("/api/payments", "POST", { ...aPayment(tenancy, 1_000), autoAllocate: true });
  }

  const workers = Array.from({ length: concurrency }, async (_, worker) => {
    const assigned = units.filter((_unit, index) => index % concurrency === worker);
    for (let round = 2; round <= rounds + 1; round++) {
      for (const { id } of assigned) {
        await sendUntilAcknowledged(`/api/units/${id}`, "PATCH", { monthlyRentCents: round, unitNumber: `${id.slice(-12)}.${round}` });
        acknowledged.set(id, round);
        if (++done % CHANGES_PER_PAYMENT === 0) await chargeAndPay(done / CHANGES_PER_PAYMENT);
      }
    }
  });
  return {
    get done() {
      return done;
    },
    acknowledged,
    finished: Promise.all(workers).then(() => undefined),
  };
}

/** Reads the units of a property and returns the number of units that lack their last acknowledged change. */
export async function countStaleUnits({ office, units }: Organization, { acknowledged }: Changes, reader: Client): Promise<number> {
  const { propertyId } = units[0]!;
  const before = new Map(units.filter((unit) => unit.propertyId === propertyId).map(({ id }) => [id, acknowledged.get(id) ?? 0]));
  const client = new Client(office.baseUrl, reader.token);
  for (;;) {
    const { status, body } = await client.attempt("listUnits", { query: { propertyId, pageSize: 100 } }).catch(() => ({ status: 0, body: undefined }));
    if (status === 200) return body!.units.filter(({ id, monthlyRentCents }) => (monthlyRentCents ?? -1) < before.get(id)!).length;
    await sleep(PAUSE_MS);
  }
}
