/** Loaded into a process whose memory is measured: SIGUSR2 has it collect its garbage, so that what is left is what it holds. */
process.on("SIGUSR2", () => {
  const { gc } = globalThis as { gc?: () => void };
  gc?.();
  gc?.();
});
