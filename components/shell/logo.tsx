import classes from './header.module.css';

/** A hook whose rungs stand further apart the higher one gets: the waits of a ladder. */
export function Logo() {
  return (
    <svg className={classes.logo} viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path d="M7 21.5V8.5a5 5 0 0 1 10 0v1" stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" />
      <path
        d="M7 20.5h4.5M7 17.25h4.5M7 12.5h4.5"
        stroke="currentColor"
        strokeWidth="2.25"
        strokeLinecap="round"
      />
    </svg>
  );
}
