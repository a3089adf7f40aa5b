export default {
  roots: ["<rootDir>/packages", "<rootDir>/gateway", "<rootDir>/services", "<rootDir>/test", "<rootDir>/deploy"],
  // Test files run in plain Node and share the modules that a worker has loaded, instead of loading them in a context of their own each.
  runner: "jest-light-runner",
  setupFiles: ["<rootDir>/test/jest-globals.ts"],
  testMatch: ["**/*.test.ts"],
  maxWorkers: 2,
};
