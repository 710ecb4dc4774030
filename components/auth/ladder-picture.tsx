import classes from './sign-in.module.css';

/** Attempts that failed, further and further apart, and the one that arrived. Decoration: it says nothing more. */
export function LadderPicture() {
  return (
    <svg className={classes.ladder} viewBox="0 0 400 32" aria-hidden="true" focusable="false">
      <path className={classes.past} d="M6 16 H306" fill="none" />
      <path className={classes.future} d="M306 16 H398" fill="none" />
      <circle cx="6" cy="16" r="4" fill="currentColor" />
      {[34, 70, 124, 202].map((x) => (
        <path
          key={x}
          className={classes.bad}
          d={`M${x - 4} 12 L${x + 4} 20 M${x + 4} 12 L${x - 4} 20`}
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinecap="round"
        />
      ))}
      <circle className={classes.good} cx="306" cy="16" r="5" fill="currentColor" />
    </svg>
  );
}
