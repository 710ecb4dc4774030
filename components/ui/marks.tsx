import { t } from '../messages';
import classes from './atoms.module.css';
import { amountText, currencySign } from './format';

/** A money event: its currency's sign in a hairline box. No colour: it is not a status. */
export function MoneyMark({ currency }: { currency: string | null }) {
  return (
    <span className={classes.money} role="img" aria-label={t.common.money} data-tip={t.common.money}>
      {currencySign(currency)}
    </span>
  );
}

/** An amount in minor units, exact, with its currency's code. */
export function Amount(props: { minor: string; currency: string; exponent: number }) {
  return (
    <span className={classes.amount}>
      {amountText(props.minor, props.exponent)} {props.currency}
    </span>
  );
}

export function EnvironmentBadge({ environment }: { environment: 'test' | 'live' }) {
  return (
    <span className={classes.environment} data-environment={environment}>
      {t.common.environment[environment]}
    </span>
  );
}
