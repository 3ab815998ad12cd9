package org.nyala.loadtest.failover;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;

/** The answers of servers second by second, and the times without any. Confined to one thread. */
final class Timeline {
  private static final double NANOS = 1e9;

  private final History history;
  private final Operations operations;

  Timeline(History history) {
    this.history = history;
    this.operations = history.operations();
  }

  /**
   * The answers of one server in one second.
   *
   * @param reads reads that were answered
   * @param writes changes that were acknowledged
   * @param failed refusals, lost connections, time-outs, and connections that could not be opened
   */
  record Cell(long reads, long writes, long failed) {}

  /**
   * A time without an answer.
   *
   * @param startSeconds the last answer before it, or the beginning
   * @param seconds its length
   */
  record Gap(double startSeconds, double seconds) {}

  /**
   * The first answer after a time.
   *
   * @param server the server that gave it
   * @param seconds the time from then to the answer
   */
  record First(int server, double seconds) {
    static final First NONE = new First(-1, Double.NaN);

    boolean isThere() {
      return server >= 0;
    }
  }

  /** Returns what each server answered in each second: rows of cells. */
  Cell[][] seconds() {
    int rows = rows();
    int servers = history.urls().size();
    long[][][] counts = new long[rows][servers][3];
    for (int i = 0; i < operations.size(); i++) {
      if (operations.left(i) > 0) {
        int row = Math.min(rows - 1, (int) (operations.left(i) / NANOS));
        int column = operations.outcome(i) != Outcome.DONE ? 2 : operations.isChange(i) ? 1 : 0;
        counts[row][operations.server(i)][column]++;
      }
    }
    Cell[][] cells = new Cell[rows][servers];
    for (int row = 0; row < rows; row++) {
      for (int server = 0; server < servers; server++) {
        long[] each = counts[row][server];
        cells[row][server] = new Cell(each[0], each[1], each[2]);
      }
    }
    return cells;
  }

  /** Returns the longest time without an acknowledged change of any server. */
  Gap longestWithoutWrites() {
    return longest(operations::isAcknowledged);
  }

  /** Returns the longest time in which a server answered no read. */
  Gap longestWithoutReads(int server) {
    return longest(at -> isAnsweredRead(at) && operations.server(at) == server);
  }

  private Gap longest(IntPredicate isAnswer) {
    long last = 0;
    Gap longest = new Gap(0, 0);
    for (long end : ends(isAnswer)) {
      if ((end - last) / NANOS > longest.seconds) {
        longest = new Gap(last / NANOS, (end - last) / NANOS);
      }
      last = end;
    }
    return longest;
  }

  /** Returns the times of answers in their order, then the end of the load. */
  private long[] ends(IntPredicate isAnswer) {
    long[] ends = new long[operations.size() + 1];
    int count = 0;
    for (int i = 0; i < operations.size(); i++) {
      if (isAnswer.test(i)) {
        ends[count++] = operations.end(i);
      }
    }
    Arrays.sort(ends, 0, count);
    long last = count == 0 ? 0 : ends[count - 1];
    ends[count++] = Math.max(last, (long) (history.seconds() * NANOS));
    return Arrays.copyOf(ends, count);
  }

  /**
   * Returns for each second the longest time without an acknowledged change that reaches into it,
   * in nanoseconds.
   */
  long[] pauses() {
    long[] longest = new long[rows()];
    long last = 0;
    for (long end : ends(operations::isAcknowledged)) {
      int until = Math.min(longest.length - 1, (int) (end / NANOS));
      for (int row = (int) Math.min(until, last / NANOS); row <= until; row++) {
        longest[row] = Math.max(longest[row], end - last);
      }
      last = end;
    }
    return longest;
  }

  private int rows() {
    return Math.max(1, (int) Math.ceil(history.seconds()));
  }

  /** Returns the first acknowledged change that began after a time, at any server. */
  First firstWrite(long afterNanos) {
    return first(afterNanos, operations::isAcknowledged);
  }

  /** Returns the first acknowledged change of a server that began after a time. */
  First firstWrite(long afterNanos, int server) {
    return first(
        afterNanos, at -> operations.isAcknowledged(at) && operations.server(at) == server);
  }

  /** Returns the first answered read of a server that began after a time. */
  First firstRead(long afterNanos, int server) {
    return first(afterNanos, at -> isAnsweredRead(at) && operations.server(at) == server);
  }

  private boolean isAnsweredRead(int at) {
    return operations.kind(at) == Kind.READ && operations.outcome(at) == Outcome.DONE;
  }

  private First first(long afterNanos, IntPredicate isAnswer) {
    int first = -1;
    for (int i = 0; i < operations.size(); i++) {
      if (operations.start(i) >= afterNanos
          && isAnswer.test(i)
          && (first < 0 || operations.end(i) < operations.end(first))) {
        first = i;
      }
    }
    return first < 0
        ? First.NONE
        : new First(operations.server(first), (operations.end(first) - afterNanos) / NANOS);
  }
}
