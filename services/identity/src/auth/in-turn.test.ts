import { describe, expect, test } from "@jest/globals";
import { inTurn } from "./in-turn.ts";

describe("inTurn", () => {
  test("runs so many at once, lets so many wait, and refuses the rest with 429", async () => {
    const turn = inTurn(2, 3);
    let running = 0;
    let most = 0;
    const work = () =>
      turn(async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
      });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, work));
    expect(most).toBe(2);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    for (const refused of outcomes.slice(5)) expect(refused).toMatchObject({ reason: { status: 429, code: "rate_limited", headers: { "Retry-After": "1" } } });
  });

  test("hands its place on when work fails", async () => {
    const turn = inTurn(1, 1);
    const failing = turn(async () => Promise.reject(new Error("no")));
    const next = turn(async () => "done");
    await expect(failing).rejects.toThrow("no");
    await expect(next).resolves.toBe("done");
    await expect(turn(async () => "again")).resolves.toBe("again");
  });
});
