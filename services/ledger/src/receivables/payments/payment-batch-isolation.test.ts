/** Isolation of the functions that read and record batches of payments, attacked with the role of the service. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Compiled } from "@freehold/kit/db/statement";
import { binaryArray } from "@freehold/kit/db/batches/binary-array";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { openLedger, type TestLedger } from "../../../test/payment-batch.fixtures.ts";
import { batchColumns } from "./payment-batch.queries.ts";
import type { PaymentBody } from "./prepare-payment.ts";

interface Party {
  office: Office;
  tenancy: Tenancy;
  chargeId: string;
  accountId: string;
}

let ledger: TestLedger;
let own: Party;
let foreign: Party;

async function aParty(): Promise<Party> {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  const chargeId = await aCharge(office, tenancy.leaseId, 100);
  await office.call("recordPayment", { body: aPayment(tenancy, 1) });
  const { categories } = await office.call("listCategories");
  return { office, tenancy, chargeId, accountId: categories.find(({ code }) => code === "1050")!.id };
}

beforeAll(async () => {
  ledger = await openLedger();
  [own, foreign] = await Promise.all([aParty(), aParty()]);
});
afterAll(() => ledger.close());

/** Kind of the rows of a batch. */
type RowKind = keyof typeof batchColumns;
const kinds = Object.keys(batchColumns) as RowKind[];
type Replacements = Partial<Record<RowKind, readonly (readonly [from: string, to: string])[]>>;

/** Prepares the batch of a payment of the party's own charge. Replaces ids in the given kinds of rows, and lists the given organizations. */
async function aBatch(of: Party, replacements: Replacements = {}, organizations: readonly Party[] = [of]): Promise<Compiled> {
  const allocations = [{ chargeId: of.chargeId, amountCents: 1 }] as PaymentBody["allocations"];
  const body = { ...(aPayment(of.tenancy, 1) as PaymentBody), autoAllocate: false, allocations };
  const { text, values } = await ledger.prepare({ office: of.office, body });
  const [, recordedAt, ...columns] = values as [Buffer, string, ...Buffer[]];
  const kindOfColumn = kinds.flatMap((kind) => Object.keys(batchColumns[kind]).map(() => kind));
  const replaced = columns.map((column, index) => (replacements[kindOfColumn[index]!] ?? []).reduce(replaceId, column));
  return { text, values: [binaryArray("uuid", organizations.map(orgIdOf)), recordedAt, ...replaced] };
}

/** Replaces an id, which a binary array holds as bytes and a JSON text as characters. */
function replaceId(column: Buffer, [from, to]: readonly [string, string]): Buffer {
  const bytes = (id: string) => id.replaceAll("-", "");
  const characters = (id: string) => Buffer.from(id).toString("hex");
  const replaced = [bytes, characters].reduce((hex, encode) => hex.replaceAll(encode(from), encode(to)), column.toString("hex"));
  return Buffer.from(replaced, "hex");
}

const write = ({ text, values }: Compiled) => ledger.pool.query(text, values);
const orgIdOf = ({ office }: Party) => office.organizationId;

/** Counts what a batch writes. Jobs may publish other events meanwhile. */
const countRows = ({ office }: Party) =>
  withOwnerConnection(office, async (owner) => {
    const counts = ["payment", "journal_entry", "journal_line", "payment_allocation"].map((table) => `(select count(*) from ${table})`);
    const { rows } = await owner.query<{ counts: string }>(
      `select concat_ws(' ', ${counts.join()}, (select sum(balance_cents) from charge),
        (select count(*) from outbox where organization_id = $1 and envelope->>'type' = 'payment.received')) as counts`,
      [office.organizationId],
    );
    return rows[0]!.counts;
  });

test("control: the unchanged batch is recorded", async () => {
  const before = await countRows(own);
  await write(await aBatch(own));
  expect(await countRows(own)).not.toBe(before);
});

describe("a batch is refused as a whole when", () => {
  const swapOrganization = () => [[orgIdOf(own), orgIdOf(foreign)]] as const;

  const attacks: [name: string, batch: () => Promise<Compiled>][] = [
    ...kinds.map((kind): (typeof attacks)[number] => [
      `its ${kind} name an organization that is not listed`,
      () => aBatch(own, { [kind]: swapOrganization() }),
    ]),
    ...kinds.map((kind): (typeof attacks)[number] => [
      `its ${kind} name another organization of the batch than its other rows`,
      () => aBatch(own, { [kind]: swapOrganization() }, [own, foreign]),
    ]),
    [
      "it settles a charge of another organization",
      () => aBatch(own, { charges: [[own.chargeId, foreign.chargeId]], allocations: [[own.chargeId, foreign.chargeId]] }),
    ],
    ["it allocates to a charge of another organization", () => aBatch(own, { allocations: [[own.chargeId, foreign.chargeId]] })],
    ["its payer is a tenant of another organization", () => aBatch(own, { payments: [[own.tenancy.tenantId, foreign.tenancy.tenantId]] })],
    ["its lease is one of another organization", () => aBatch(own, { payments: [[own.tenancy.leaseId, foreign.tenancy.leaseId]] })],
    ["it posts to an account of another organization", () => aBatch(own, { lines: [[own.accountId, foreign.accountId]] })],
    ["its organizations are not listed", () => aBatch(own, {}, [foreign])],
  ];

  test.each(attacks)("%s", async (_name, batch) => {
    const before = [await countRows(own), await countRows(foreign)];
    const attack = write(await batch());
    await expect(attack).rejects.toMatchObject({ code: expect.stringMatching(/^(40001|42501|23503|23514)$/) });
    expect([await countRows(own), await countRows(foreign)]).toEqual(before);
  });
});

describe("the service's role", () => {
  const rows = async (text: string, ...values: unknown[]) => (await ledger.pool.query(text, values)).rows;

  test("reads no charge of an organization that is not listed, or that the row does not name", async () => {
    const read = (organizations: string[], organization: string, chargeId: string) =>
      rows("select * from read_payment_charges($1, $2, $3)", organizations, [organization], [chargeId]);
    expect(await read([orgIdOf(foreign)], orgIdOf(foreign), foreign.chargeId)).toHaveLength(1);
    expect(await read([orgIdOf(own)], orgIdOf(foreign), foreign.chargeId)).toEqual([]);
    expect(await read([orgIdOf(own), orgIdOf(foreign)], orgIdOf(own), foreign.chargeId)).toEqual([]);
    expect(await read([], orgIdOf(foreign), foreign.chargeId)).toEqual([]);
  });

  test("reads no tenant and no lease of an organization that is not listed, or that the row does not name", async () => {
    const read = (organizations: string[], organization: string, tenantId: string, leaseId: string) =>
      rows("select lease_id from read_payment_contexts($1, $2, $3, $4, $5)", organizations, [organization], [tenantId], [leaseId], [""]);
    const { tenantId, leaseId } = foreign.tenancy;
    expect(await read([orgIdOf(foreign)], orgIdOf(foreign), tenantId, leaseId)).toEqual([{ lease_id: leaseId }]);
    expect(await read([orgIdOf(own)], orgIdOf(foreign), tenantId, leaseId)).toEqual([]);
    expect(await read([orgIdOf(own), orgIdOf(foreign)], orgIdOf(own), tenantId, leaseId)).toEqual([]);
    expect(await read([orgIdOf(own), orgIdOf(foreign)], orgIdOf(own), own.tenancy.tenantId, leaseId)).toEqual([{ lease_id: null }]);
  });

  test("sees no rows of the organizations of a batch, whether it sets app.batch_organizations itself or a function has set it", async () => {
    const client = await ledger.pool.connect();
    try {
      await client.query("begin");
      await client.query("select set_config('app.batch_organizations', $1, true)", [orgIdOf(foreign)]);
      await client.query("select * from read_payment_charges($1, $2, $3)", [[orgIdOf(foreign)], [orgIdOf(foreign)], [foreign.chargeId]]);
      for (const table of ["charge", "payment", "tenant_copy", "journal_line", "book"])
        expect([table, (await client.query(`select from ${table}`)).rowCount]).toEqual([table, 0]);
      await expect(
        client.query("insert into payment_allocation select (jsonb_populate_record(null::payment_allocation, $1)).*", [
          JSON.stringify({ organization_id: orgIdOf(foreign), id: orgIdOf(foreign) }),
        ]),
      ).rejects.toMatchObject({ code: "42501" });
    } finally {
      await client.query("rollback");
      client.release();
    }
  });

  test("and the owner are the only ones who can execute the functions", async () => {
    const functions = await rows(
      `select proname, array(select grantee::regrole::text from aclexplode(proacl) where grantee <> proowner and privilege_type = 'EXECUTE') as grantees
        from pg_proc where proname in ('read_payment_contexts', 'read_payment_charges', 'record_payments') order by 1`,
    );
    expect(functions).toEqual(
      ["read_payment_charges", "read_payment_contexts", "record_payments"].map((proname) => ({ proname, grantees: ["ledger_service"] })),
    );
  });
});
