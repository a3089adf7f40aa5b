import { expect, test } from "@jest/globals";
import { PassThrough } from "node:stream";
import { drained } from "./drained.ts";

test("waiting for a slow client many times leaves no listeners", async () => {
  const response = new PassThrough({ highWaterMark: 1 });
  const listeners = () => ["drain", "close", "error"].map((event) => response.listenerCount(event));
  const before = listeners();
  for (let round = 0; round < 50; round++) {
    response.write("some events");
    expect(response.writableNeedDrain).toBe(true);
    const waiting = drained(response);
    response.read();
    await waiting;
  }
  expect(listeners()).toEqual(before);
});

test("ends with the connection of a client that does not read", async () => {
  const response = new PassThrough({ highWaterMark: 1 });
  response.write("some events");
  const waiting = drained(response);
  response.destroy();
  expect(await waiting).toBeUndefined();
});
