import { afterAll, expect, test } from "@jest/globals";
import { createServer, type RequestListener } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { eventually } from "../../../../test/support/eventually.ts";
import { systemPrincipal } from "../auth/principal.ts";
import { sendInTurn, transferHolderOf } from "./transfers.ts";

const open: { destroy(): unknown }[] = [];
afterAll(() => open.forEach((each) => each.destroy()));

async function listen(handle: RequestListener): Promise<number> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ destroy: () => (server.closeAllConnections(), server.close()) });
  return (server.address() as AddressInfo).port;
}

/** Requests a path without reading the response. */
function requestUnread(port: number, path: string): Socket {
  const socket = connect(port, "127.0.0.1").pause();
  open.push(socket);
  socket.on("error", () => undefined).write(`GET ${path} HTTP/1.1\r\nHost: freehold.example\r\n\r\n`);
  return socket;
}

test("a client that does not read is disconnected while others wait for its turn, and only then", async () => {
  const ended = new Set<string>();
  const port = await listen((req, res) => {
    const path = req.url!;
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536);
      })(),
    );
    const send =
      path === "/pausing" ? () => new Promise<void>((resolve) => void (res.write("one row"), res.once("close", resolve))) : () => pipeline(endless, res);
    const turn = { isWanted: () => path !== "/unwanted" };
    void sendInTurn(res, turn, send, { windowMs: 50, minBytes: 1_000 })
      .catch(() => undefined)
      .finally(() => ended.add(path));
  });
  for (const path of ["/unwanted", "/pausing", "/wanted"]) requestUnread(port, path);
  await eventually("the client whose turn is wanted is disconnected", () => ended.has("/wanted"));
  expect([...ended]).toEqual(["/wanted"]);
});

test("portal users of an organization hold turns in a group of their own", () => {
  const principal = systemPrincipal("organization");
  const groups = (["staff", "tenant", "vendor"] as const).map((role) => transferHolderOf({ ...principal, role, userId: role }));
  expect(groups).toEqual([
    { group: "organization", member: "staff" },
    { group: "organization portals", member: "tenant" },
    { group: "organization portals", member: "vendor" },
  ]);
});
