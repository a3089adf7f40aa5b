import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

let office: Office;
let tenancy: Tenancy;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

const item = (changes: object = {}) => ({ leaseId: tenancy.leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType: "fee", ...changes });
const create = (charges: unknown[], headers: Record<string, string> = {}) => office.attempt("createCharges", { body: { charges } as never, headers });
const countCharges = async () => (await office.call("listCharges")).total;

describe("createCharges", () => {
  test("posts the valid charges and reports each invalid one with its position, path and code", async () => {
    const balancesBefore = await closingBalances(office);
    const { categories } = await office.call("listCategories");
    const bankId = categories.find(({ code }) => code === "1000")!.id;
    const { status, body } = await create([
      item({ name: "first", amountCents: 1 }),
      item({ amountCents: 0 }),
      item({ name: "second", amountCents: 2, chargeType: "deposit" }),
      item({ leaseId: randomUUID() }),
      item({ categoryId: bankId }),
      "not a charge",
      item({ dueDate: "2026-02-30", surprise: 1 }),
      item({ chargeType: "deposit", categoryId: bankId }),
      item({ name: "third", amountCents: 4 }),
    ]);
    expect(status).toBe(200);
    expect(body.charges.map(({ name, amountCents }) => [name, amountCents])).toEqual([
      ["first", 1],
      ["second", 2],
      ["third", 4],
    ]);
    expect(body.errors.map(({ index, path, code }) => [index, path, code])).toEqual([
      [1, "amountCents", "min"],
      [3, "leaseId", "not_found"],
      [4, "categoryId", "not_allowed"],
      [5, "", "type"],
      [6, "dueDate", "format"],
      [6, "surprise", "unrecognized_key"],
      [7, "categoryId", "not_allowed"],
    ]);
    const balances = await closingBalances(office);
    const changes = Object.entries(balances).map(([code, cents]) => [code, cents - balancesBefore[code]!]);
    expect(Object.fromEntries(changes.filter(([, cents]) => cents !== 0))).toEqual({ "1100": 7, "2110": -2, "4090": -5 });
  });

  test("refuses a lease of another organization as unknown", async () => {
    const foreign = await aTenancy(await anOffice());
    const { body } = await create([item({ leaseId: foreign.leaseId })]);
    expect(body).toMatchObject({ charges: [], errors: [{ index: 0, path: "leaseId", code: "not_found" }] });
  });

  test("reports the charges that are due in a closed period", async () => {
    const closedOffice = await anOffice();
    const { leaseId } = await aTenancy(closedOffice);
    await closedOffice.call("createCharge", { body: { leaseId, amountCents: 1, dueDate: "2026-01-01", chargeType: "fee" } });
    await closeMonth(closedOffice, "2026-01");
    const { body } = await closedOffice.attempt("createCharges", { body: { charges: [item({ leaseId }), item({ leaseId, dueDate: "2026-02-01" })] } });
    expect([body.charges.length, body.errors]).toMatchObject([1, [{ index: 0, path: "dueDate", code: "not_allowed" }]]);
  });

  test("posts 500 charges", async () => {
    const before = await countCharges();
    const { body } = await create(Array.from({ length: 500 }, (_, index) => item({ name: `charge ${index}` })));
    expect(body.charges.map(({ name }) => name)).toEqual(Array.from({ length: 500 }, (_, index) => `charge ${index}`));
    expect(await countCharges()).toBe(before + 500);
  });

  test.each([
    ["no charge", []],
    ["501 charges", Array.from({ length: 501 }, () => 1)],
  ])("refuses %s", async (_, charges) => {
    const { status, body } = await create(charges);
    expect([status, body.errors?.[0]?.path]).toEqual([400, "charges"]);
  });

  test("posts none of the charges when the transaction fails in the middle", async () => {
    const before = await countCharges();
    const name = `fails ${randomUUID()}`;
    await withOwnerConnection(office, async (owner) => {
      await owner.query(`create function fail_charge() returns trigger language plpgsql as $$ begin raise exception 'interrupted'; end $$;
        create trigger fail_charge before insert on charge for each row when (new.name = '${name}') execute function fail_charge()`);
      try {
        expect((await create([item(), item(), item({ name }), item()])).status).toBe(500);
      } finally {
        await owner.query("drop trigger fail_charge on charge; drop function fail_charge()");
      }
    });
    expect(await countCharges()).toBe(before);
    expect((await create([item({ name })])).body.charges).toHaveLength(1);
  });

  test("with the same Idempotency-Key posts once for five concurrent requests", async () => {
    const before = await countCharges();
    const headers = { "Idempotency-Key": randomUUID() };
    const responses = await Promise.all(Array.from({ length: 5 }, () => create([item(), item({ amountCents: 0 }), item()], headers)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await countCharges()).toBe(before + 2);
    expect(await create([item()], headers)).toMatchObject({ status: 409, body: { code: "idempotency_key_reused" } });
  });
});
