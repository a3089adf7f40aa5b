import { describe, expect, test } from "@jest/globals";
import { fairQueue } from "./fair-queue.ts";

/** Creates tasks that end when they are told to, and records the order in which they start. */
function controlledTasks() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const task = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name);
      ends.push(() => resolve(name));
    });
  const endNext = async () => {
    ends.shift()!();
    await new Promise(setImmediate);
  };
  return { started, task, endNext };
}
const refused = { status: "rejected", reason: { status: 503, code: "service_unavailable", headers: { "Retry-After": "1" } } };

describe("fairQueue", () => {
  test("runs the given number at once, queues the given number, and refuses the rest with 503", async () => {
    const queue = fairQueue(2, 3);
    const { started, task, endNext } = controlledTasks();
    const outcomes = Promise.allSettled(Array.from({ length: 10 }, (_, index) => queue("client", task(String(index)))));
    expect(started).toHaveLength(2);
    for (let ended = 0; ended < 5; ended++) {
      expect(started.length - ended).toBeLessThanOrEqual(2);
      await endNext();
    }
    expect((await outcomes).map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => "fulfilled"),
      ...Array.from({ length: 5 }, () => "rejected"),
    ]);
    expect((await outcomes).slice(5)).toMatchObject(Array.from({ length: 5 }, () => refused));
  });

  test("lets clients take turns, so that one with many tasks does not delay another", async () => {
    const queue = fairQueue(1, 100);
    const { started, task, endNext } = controlledTasks();
    for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]) void queue(name[0]!, task(name));
    for (let ended = 0; ended < 7; ended++) await endNext();
    expect(started).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  test("has room for a new client while another has several tasks in a full queue", async () => {
    const queue = fairQueue(1, 3);
    const { started, task, endNext } = controlledTasks();
    const attacker = Promise.allSettled(["a1", "a2", "a3", "a4"].map((name) => queue("a", task(name))));
    const owner = queue("b", task("b1"));
    for (let ended = 0; ended < 4; ended++) await endNext();
    expect(started).toEqual(["a1", "a2", "b1", "a3"]);
    expect(await owner).toBe("b1");
    expect((await attacker)[3]).toMatchObject(refused);
  });

  test("starts the next task when one fails", async () => {
    const queue = fairQueue(1, 1);
    const failing = queue("a", async () => Promise.reject(new Error("no")));
    const next = queue("a", async () => "done");
    await expect(failing).rejects.toThrow("no");
    await expect(next).resolves.toBe("done");
    await expect(queue("b", async () => "again")).resolves.toBe("again");
  });
});
