/** What other services have performed here: each order once, as if whoever asks had called the operation. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../test/office.ts";
import { questions } from "../test/behind.ts";
import { unknownId } from "../test/places.ts";

const office = await anOffice();
const { client, who } = questions(office);

const order = (operation: string, body: object, key: string = randomUUID(), params: Record<string, string> = {}) => ({
  operation,
  key,
  params,
  body: JSON.stringify(body),
});
const perform = async (...orders: ReturnType<typeof order>[]) => {
  const { outcomes } = await client.perform(who, { orders });
  return outcomes.map(({ status, body }) => ({
    status,
    body: JSON.parse(body) as Record<string, { id: string }> & { code?: string; errors?: { path: string }[] },
  }));
};

describe("an order", () => {
  test("takes effect once for its key, whoever asks at once and however the body is written again", async () => {
    const key = randomUUID();
    const answers = (await Promise.all([1, 2, 3].map(() => perform(order("createVendor", { name: "Once" }, key))))).flat();
    const [again] = await perform(order("createVendor", { name: "Once more" }, key));
    expect(new Set([...answers, again!].map(({ status, body }) => `${status} ${body["vendor"]!.id}`)).size).toBe(1);
    expect((await office.call("listVendors", { query: { search: "Once" } })).vendors.map(({ name }) => name)).toEqual(["Once"]);
  });

  test("that is refused leaves nothing, says why as the API does, and lets the others be", async () => {
    const answers = await perform(
      order("createVendor", { name: "" }),
      order("updateVendor", { name: "Nobody" }, randomUUID(), { id: unknownId() }),
      order("createVendor", { name: "Kept" }),
      order("dropEverything", {}),
    );
    expect(answers.map(({ status, body }) => [status, body.code ?? null])).toEqual([
      [400, "validation_failed"],
      [404, "not_found"],
      [200, null],
      [404, "not_found"],
    ]);
    expect(answers[0]!.body.errors).toMatchObject([{ path: "name" }]);
  });

  test("is for who may call the operation", async () => {
    const body = JSON.stringify({ name: "Nobody's" });
    const asStaff = { ...who, scope: { ...who.scope, role: "staff" as const } };
    const nobody = { ...who, scope: { ...who.scope, userId: null } };
    for (const asker of [asStaff, nobody]) {
      const { outcomes } = await client.perform(asker, { orders: [{ operation: "createVendor", key: randomUUID(), params: {}, body }] });
      expect(outcomes[0]!.status).toBe(403);
    }
    expect((await office.call("listVendors", { query: { search: "Nobody's" } })).total).toBe(0);
  });
});
