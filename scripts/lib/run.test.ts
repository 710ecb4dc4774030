import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const runModule = pathToFileURL(fileURLToPath(new URL('./run.mjs', import.meta.url))).href;
let launcher: ChildProcess | undefined;

afterEach(() => {
  launcher?.kill('SIGKILL');
});

/** Starts a launcher around a child that runs `source`, and waits until the child says `up`. */
async function launch(source: string): Promise<{ launcher: ChildProcess; said: () => string }> {
  const script = `import { runAsUs } from ${JSON.stringify(runModule)};
    runAsUs(process.execPath, ['-e', ${JSON.stringify(source)}], { env: process.env });`;
  const started = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  launcher = started;
  let text = '';
  await new Promise<void>((resolve) => {
    started.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('up')) resolve();
    });
  });
  return { launcher: started, said: () => text };
}

const DRAINING = `
  let count = 0;
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, () => {
      count += 1;
      console.log(signal);
      if (count === 1) setTimeout(() => { console.log('drained after ' + count); process.exit(0); }, 300);
    });
  setInterval(() => {}, 1000);
  console.log('up');`;

describe('the launcher', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'OPS-7 hands %s on, waits for the drain and ends with 0',
    async (signal) => {
      const { launcher: started, said } = await launch(DRAINING);
      started.kill(signal);
      const [code] = await once(started, 'close');
      expect(code).toBe(0);
      expect(said()).toContain(`${signal}\ndrained after 1`);
    },
  );

  it('OPS-7 a signal that a terminal and npm both send is one signal', async () => {
    const { launcher: started, said } = await launch(DRAINING);
    started.kill('SIGINT');
    started.kill('SIGTERM');
    await once(started, 'close');
    expect(said()).toContain('drained after 1');
  });

  it('OPS-7 ends with the code of what it started', async () => {
    const { launcher: started } = await launch("console.log('up'); process.exitCode = 7;");
    const [code] = started.exitCode === null ? await once(started, 'close') : [started.exitCode];
    expect(code).toBe(7);
  });

  it('OPS-7 a child that was killed is no success', async () => {
    const { launcher: started } = await launch("console.log('up'); process.kill(process.pid, 'SIGKILL');");
    const [code] = started.exitCode === null ? await once(started, 'close') : [started.exitCode];
    expect(code).toBe(137);
  });
});
