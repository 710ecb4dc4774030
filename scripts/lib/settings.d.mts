export function demoSetting(env: Record<string, string | undefined>, root: string): string | undefined;
export function serverEnv(
  env: Record<string, string | undefined>,
  options: { root: string; dev: boolean },
): Record<string, string | undefined>;
