import { describe, expect, test } from "@jest/globals";
import { boundedQueue } from "./bounded-queue.ts";

describe("boundedQueue", () => {
  test("runs the given number at once, queues the given number, and refuses the rest with 429", async () => {
    const queue = boundedQueue(2, 3);
    let running = 0;
    let maxRunning = 0;
    const work = () =>
      queue(async () => {
        maxRunning = Math.max(maxRunning, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
      });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, work));
    expect(maxRunning).toBe(2);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    for (const refused of outcomes.slice(5)) expect(refused).toMatchObject({ reason: { status: 429, code: "rate_limited", headers: { "Retry-After": "1" } } });
  });

  test("starts the next task when one fails", async () => {
    const queue = boundedQueue(1, 1);
    const failing = queue(async () => Promise.reject(new Error("no")));
    const next = queue(async () => "done");
    await expect(failing).rejects.toThrow("no");
    await expect(next).resolves.toBe("done");
    await expect(queue(async () => "again")).resolves.toBe("again");
  });
});
