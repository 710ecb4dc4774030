import { t } from '../messages';
import { Plain } from './plain';

/** Signed in, and nothing to look at yet. */
export function NoApp({ email }: { email: string }) {
  return (
    <Plain title={t.shell.noApp.title}>
      <p>{t.shell.noApp.text(email)}</p>
    </Plain>
  );
}
