/** Lets modules outside of Jest's own loader import `@jest/globals`: it resolves to the functions that the runner has made global. */
import { registerHooks } from "node:module";

const names = ["afterAll", "afterEach", "beforeAll", "beforeEach", "describe", "expect", "test"];
const url = `data:text/javascript,${names.map((name) => `export const ${name} = globalThis.${name};`).join("")}`;

registerHooks({ resolve: (specifier, context, next) => (specifier === "@jest/globals" ? { url, shortCircuit: true } : next(specifier, context)) });
