import Link from 'next/link';
import { t } from '../messages';
import frames from '../ui/frames.module.css';

/** For whom this page is not, in plain words. */
export function SupportForbidden() {
  return (
    <div className={frames.notice}>
      <h1 className={frames.title}>{t.support.forbiddenTitle}</h1>
      <p>{t.support.forbidden}</p>
      <Link href="/">{t.support.toConsole}</Link>
    </div>
  );
}
