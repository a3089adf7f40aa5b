import { describe, expect, test } from "@jest/globals";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fairTurns, type Holder, type Turn, type TurnLimits } from "./fair-turns.ts";

const limits: TurnLimits = { total: 4, perGroup: 3, perMember: 2, waiting: 4, waitMs: 60_000 };

/** Starts actions that end on request, and lists them in the order in which they start. */
function requests(changes: Partial<TurnLimits> = {}) {
  const turns = fairTurns({ ...limits, ...changes });
  const started: string[] = [];
  const endings = new Map<string, () => void>();
  return {
    started,
    request(name: string, holder: Holder): Promise<string> {
      const response = turns.run(holder, () => {
        started.push(name);
        return new Promise<string>((resolve) => endings.set(name, () => resolve(name)));
      });
      // Requests that still wait when their test ends are refused later.
      response.catch(() => undefined);
      return response;
    },
    async end(name: string) {
      endings.get(name)!();
      await nextTurn();
    },
  };
}

const user = (group: string, member: string): Holder => ({ group, member });
const [ada, ben, cora] = [user("A", "ada"), user("A", "ben"), user("C", "cora")];

describe("fair turns", () => {
  test("leave turns for other users of an organization, and for other organizations", async () => {
    const { request, started } = requests();
    for (const name of ["ada 1", "ada 2", "ada 3"]) void request(name, ada);
    for (const name of ["ben 1", "ben 2"]) void request(name, ben);
    void request("cora 1", cora);
    await nextTurn();
    expect(started).toEqual(["ada 1", "ada 2", "ben 1", "cora 1"]);
  });

  test("go round the organizations and their users", async () => {
    const { request, started, end } = requests({ total: 1 });
    void request("ada 1", ada);
    for (const name of ["ada 2", "ada 3"]) void request(name, ada);
    void request("ben 1", ben);
    void request("cora 1", cora);
    for (const name of ["ada 1", "ada 2", "cora 1", "ben 1"]) {
      await nextTurn();
      await end(name);
    }
    expect(started).toEqual(["ada 1", "ada 2", "cora 1", "ben 1", "ada 3"]);
  });

  test("refuse the latest request of the user with the most waiting ones with 503 and Retry-After, and never run it", async () => {
    const { request, started, end } = requests({ total: 1 });
    void request("ada 1", ada);
    const waiting = ["ada 2", "ada 3", "ada 4", "ada 5"].map((name) => request(name, ada));
    const refused = expect(waiting[3]).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "1" } });
    const ofCora = request("cora 1", cora);
    await refused;
    await end("ada 1");
    await end("ada 2");
    await end("cora 1");
    expect(await ofCora).toBe("cora 1");
    expect(started).toEqual(["ada 1", "ada 2", "cora 1", "ada 3"]);
  });

  test("refuse the newcomer when nobody waits with more requests", async () => {
    const { request, started, end } = requests({ total: 1, waiting: 2 });
    void request("ada 1", ada);
    const waiting = [request("ben 1", ben), request("cora 1", cora)];
    await expect(request("dan 1", user("D", "dan"))).rejects.toMatchObject({ status: 503 });
    for (const name of ["ada 1", "ben 1", "cora 1"]) await end(name);
    expect(await Promise.all(waiting)).toEqual(["ben 1", "cora 1"]);
    expect(started).toEqual(["ada 1", "ben 1", "cora 1"]);
  });

  test("start and queue the requests of an organization while another group of many members, with one request each, fills the queue", async () => {
    const { request, started, end } = requests({ total: 4, perGroup: 2 });
    const anonymous = (index: number) => user("anonymous", `2001:db8:0:${index}::/64`);
    const crowd = Array.from({ length: 6 }, (_, index) => request(`crowd ${index}`, anonymous(index)));
    const ofAda = ["ada 1", "ada 2", "ada 3", "ada 4"].map((name) => request(name, ada));
    await nextTurn();
    expect(started).toEqual(["crowd 0", "crowd 1", "ada 1", "ada 2"]);
    const waiting = crowd.slice(2).map((each) => Promise.race([each, Promise.resolve("waits")]));
    expect((await Promise.allSettled(waiting)).filter(({ status }) => status === "rejected")).toHaveLength(2);
    for (const name of ["ada 1", "ada 2", "ada 3", "ada 4"]) await end(name);
    expect(await Promise.all(ofAda)).toEqual(["ada 1", "ada 2", "ada 3", "ada 4"]);
  });

  test("refuse a request that has waited too long, and give the turns of failed requests to others", async () => {
    const { request, started, end } = requests({ total: 1, waitMs: 10 });
    void request("ada 1", ada);
    await expect(request("ben 1", ben)).rejects.toMatchObject({ status: 503 });
    await end("ada 1");
    const turns = fairTurns({ ...limits, total: 1 });
    await expect(turns.run(ada, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await turns.run(ben, () => Promise.resolve("ran"))).toBe("ran");
    expect(started).toEqual(["ada 1"]);
  });

  test("are wanted while a request waits that could start in their place, not one that waits for its own user's turns", async () => {
    const turns = fairTurns({ ...limits, total: 3, perGroup: 2, perMember: 1 });
    const running = new Map<string, { turn: Turn; end: () => void }>();
    const run = (name: string, holder: Holder) =>
      turns.run(holder, (turn) => new Promise<void>((resolve) => running.set(name, { turn, end: resolve }))).catch(() => undefined);
    const wanted = () => [...running].filter(([, { turn }]) => turn.isWanted()).map(([name]) => name);
    void run("ada", ada);
    void run("cora", cora);
    await nextTurn();
    expect(wanted()).toEqual([]);
    void run("ada again", ada);
    await nextTurn();
    expect(wanted()).toEqual(["ada"]);
    void run("ben", ben);
    await nextTurn();
    void run("dora", user("D", "dora"));
    await nextTurn();
    expect(wanted()).toEqual(["ada", "cora", "ben"]);
    running.get("cora")!.end();
    await nextTurn();
    running.delete("cora");
    expect([...running.keys(), ...wanted()]).toEqual(["ada", "ben", "dora", "ada"]);
  });
});
