/** Preload of processes whose memory is measured: forces garbage collection on SIGUSR2. */
process.on("SIGUSR2", () => {
  const { gc } = globalThis as { gc?: () => void };
  gc?.();
  gc?.();
});
