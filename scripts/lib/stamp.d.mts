export function installStamp(root: string): string;
export function buildStamp(root: string): string;
export function isStamped(file: string, stamp: string): boolean;
export function writeStamp(file: string, stamp: string): void;
