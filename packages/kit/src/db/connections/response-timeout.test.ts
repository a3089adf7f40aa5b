import { expect, test } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { trackResponse, closeWhenSilent } from "./response-timeout.ts";

/** Longer than the time in which a response that has arrived is read. */
const AFTER_READ_MS = 500;

/** Watches a connection whose socket the test controls. */
function watch() {
  const state = { bytesRead: 0, isClosed: false };
  let onSilent: () => void = () => undefined;
  const stream = {
    get bytesRead() {
      return state.bytesRead;
    },
    setTimeout: (_: number, callback: () => void) => (onSilent = callback),
    destroy: () => (state.isClosed = true),
  };
  const client = { connection: { stream } } as unknown as pg.ClientBase;
  closeWhenSilent(client);
  return { client, state, beSilent: () => onSilent() };
}

test("a connection is closed when the server is silent while a statement has no response", async () => {
  const { client, state, beSilent } = watch();
  void trackResponse(client, new Promise(() => undefined));
  beSilent();
  await sleep(AFTER_READ_MS);
  expect(state.isClosed).toBe(true);
});

test("a connection without a statement in progress is not closed, however long the server is silent", async () => {
  const { client, state, beSilent } = watch();
  await trackResponse(client, Promise.resolve());
  await expect(trackResponse(client, Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  beSilent();
  await sleep(AFTER_READ_MS);
  expect(state.isClosed).toBe(false);
});

test("a connection is not closed when the response arrived while the process stood still", async () => {
  const { client, state, beSilent } = watch();
  void trackResponse(client, new Promise(() => undefined));
  beSilent();
  state.bytesRead = 1;
  await sleep(AFTER_READ_MS);
  expect(state.isClosed).toBe(false);
});
