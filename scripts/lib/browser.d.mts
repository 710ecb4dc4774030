export interface Browser {
  executablePath: string;
  env: Record<string, string>;
}
export function findBrowser(root: string): Promise<Browser | undefined>;
