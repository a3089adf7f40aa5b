import type { OrgDb } from "./db.ts";
import type { Scope } from "./scope.ts";

interface Asked<Q, A> {
  question: Q;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

/**
 * What is asked in one moment for the same asker, asked at once: the answers come in the order of the questions. When that
 * fails each is asked by itself, so that none fails for another one's sake.
 */
export function gathered<Q, A>(ask: (db: OrgDb, questions: readonly Q[]) => Promise<readonly A[]>): (db: OrgDb, question: Q) => Promise<A> {
  const gathering = new WeakMap<Scope, Asked<Q, A>[]>();

  async function send(db: OrgDb, asked: readonly Asked<Q, A>[]): Promise<void> {
    const questions = asked.map(({ question }) => question);
    const answers = asked.length > 1 ? await ask(db, questions).catch(() => undefined) : undefined;
    if (answers) for (const [index, { resolve }] of asked.entries()) resolve(answers[index]!);
    else await Promise.all(asked.map(({ question, resolve, reject }) => ask(db, [question]).then(([answer]) => resolve(answer!), reject)));
  }

  return (db, question) =>
    new Promise((resolve, reject) => {
      const others = gathering.get(db.scope);
      const asked = others ?? [];
      asked.push({ question, resolve, reject });
      if (others) return;
      gathering.set(db.scope, asked);
      setImmediate(() => {
        gathering.delete(db.scope);
        void send(db, asked);
      });
    });
}
