/** Exit code 0 if the service in this container says that it can work, or what is asked instead answers. */
const [url = `http://127.0.0.1:${process.env.HOLDFAST_HTTP_PORT}/ready`] = process.argv.slice(2);
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  // Shown by the engine beside the verdict: it says what the service waits for.
  process.stdout.write(`${(await response.text()).slice(0, 2_000)}\n`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  process.stdout.write(`no answer from ${url}: ${error.cause?.message ?? error.message}\n`);
  process.exitCode = 1;
}
