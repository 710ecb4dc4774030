import { t } from '../messages';
import { fromNow, type TimelineDrawing } from './model';
import classes from './timeline.module.css';

interface TwinRow {
  key: string;
  at: number;
  when: string;
  what: string;
  result: string;
  step: string;
}

function rowsOf(drawing: TimelineDrawing): TwinRow[] {
  const rows: TwinRow[] = [
    ...drawing.marks.map((mark) => ({ ...mark, at: mark.at })),
    ...drawing.silences.map((silence) => ({
      key: silence.key,
      at: silence.fromAt,
      when: silence.to ? t.timeline.range(silence.from, silence.to) : t.timeline.since(silence.from),
      what: silence.short,
      result: '',
      step: '',
    })),
    ...drawing.walls.map((wall) => ({ ...wall, what: wall.name, result: '', step: '' })),
  ];
  return rows.sort((a, b) => a.at - b.at);
}

/** The same list as rows: for screen readers, and for copying. */
export function TimelineTable({ drawing, hidden }: { drawing: TimelineDrawing; hidden?: boolean }) {
  const { columns } = t.timeline;
  return (
    <div className={hidden ? classes.unseen : classes.twin}>
      <table>
        <caption className={classes.unseen}>{t.timeline.title}</caption>
        <thead>
          <tr>
            {[columns.at, columns.relative, columns.what, columns.result, columns.ladder].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(drawing).map((row) => (
            <tr key={row.key}>
              <td>{row.when}</td>
              <td>{fromNow(row.at, drawing.now)}</td>
              <td>{row.what}</td>
              <td>{row.result || t.common.none}</td>
              <td>{row.step || t.common.none}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
