import { expect, test } from "@jest/globals";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemPrincipal } from "../auth/principal.ts";
import { OrgDb, readTurns, type Database } from "./org-db.ts";

const database = (connections: number) => ({ readTurns: readTurns(connections), constraints: {} }) as Database;

test("the slow reads of an organization leave half of the connections to others", async () => {
  const shared = database(8);
  const [hostile, other] = ["0197a000-0000-7000-8000-000000000001", "0197a000-0000-7000-8000-000000000002"].map((id) => new OrgDb(shared, systemPrincipal(id)));
  const endings: (() => void)[] = [];
  const slow = Array.from({ length: 32 }, () => hostile!.read(() => new Promise<void>((resolve) => endings.push(resolve))));
  await nextTurn();
  expect(endings).toHaveLength(4);
  expect(await other!.read(() => Promise.resolve("rows"))).toBe("rows");
  while (endings.length > 0) {
    endings.shift()!();
    await nextTurn();
  }
  expect(await Promise.all(slow)).toHaveLength(32);
});

test("a read whose caller leaves while it waits for its turn is not started", async () => {
  let hasLeft = false;
  const db = new OrgDb(database(2), systemPrincipal("0197a000-0000-7000-8000-000000000001"), { requestId: null, waiter: { hasLeft: () => hasLeft } });
  let end: () => void = () => undefined;
  const first = db.read(() => new Promise<void>((resolve) => (end = resolve)));
  let isStarted = false;
  const second = db.read(() => Promise.resolve((isStarted = true)));
  const abandoned = expect(second).rejects.toMatchObject({ status: 499 });
  await nextTurn();
  hasLeft = true;
  end();
  await Promise.all([first, abandoned]);
  expect(isStarted).toBe(false);
});
