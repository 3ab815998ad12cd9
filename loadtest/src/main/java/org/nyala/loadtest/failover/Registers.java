package org.nyala.loadtest.failover;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;

/**
 * The order of changes as reads of shared registers show it: whether the registers are
 * linearizable, and how old the values are that servers return. Confined to the thread that checks.
 */
final class Registers {
  /** Bounds of ages, in nanoseconds; the last group is of those above. */
  static final long[] AGES = {1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000L};

  private final History history;
  private final Operations operations;
  private final long[][] stale;
  private final long[] oldest;
  private final long[] reads;
  private final List<Violation> everywhere = new ArrayList<>();
  private final List<Violation> atWriters = new ArrayList<>();
  private long halfReads;
  private int undecided;

  private Registers(History history) {
    this.history = history;
    this.operations = history.operations();
    int servers = history.urls().size();
    stale = new long[servers][AGES.length + 1];
    oldest = new long[servers];
    reads = new long[servers];
  }

  /**
   * A register that is not linearizable.
   *
   * @param register its number
   * @param operation the place of the first operation whose answer no order explains
   */
  record Violation(int register, int operation) {}

  /**
   * The result of the checks.
   *
   * @param registers the number of registers
   * @param everywhere registers that are not linearizable, with the reads of all servers
   * @param atWriters the same with the reads alone of the server that took the writes at the time
   * @param undecided checks that were too large
   * @param reads the number of reads of each server
   * @param stale for each server how many returned a value that had been overwritten, by its age
   * @param oldestNanos for each server the greatest age
   * @param halfReads reads whose attributes differed
   */
  record Result(
      int registers,
      List<Violation> everywhere,
      List<Violation> atWriters,
      int undecided,
      long[] reads,
      long[][] stale,
      long[] oldestNanos,
      long halfReads) {
    long staleCount(int server) {
      return Arrays.stream(stale[server]).sum();
    }

    long staleCount() {
      return Arrays.stream(stale).flatMapToLong(Arrays::stream).sum();
    }
  }

  /** Checks a history, which is indexed. */
  static Result of(History history) {
    return new Registers(history).run();
  }

  private Result run() {
    Writing writing = new Writing(operations);
    for (int register = 0; register < history.registers(); register++) {
      int[] all = history.of(register);
      int[] good = kept(all, false, writing);
      check(register, good, everywhere);
      check(register, kept(all, true, writing), atWriters);
      age(good);
    }
    return new Result(
        history.registers(), everywhere, atWriters, undecided, reads, stale, oldest, halfReads);
  }

  /** Returns changes that were not refused, and reads that returned a number. */
  private int[] kept(int[] all, boolean isOfWriter, Writing writing) {
    int[] kept = new int[all.length];
    int count = 0;
    for (int each : all) {
      boolean isRead = operations.kind(each) == Kind.READ;
      if (isRead && operations.number(each) == Operations.HALF) {
        halfReads += isOfWriter ? 0 : 1;
        continue;
      }
      Outcome outcome = operations.outcome(each);
      boolean isIn =
          isRead
              ? outcome == Outcome.DONE && (!isOfWriter || writing.isAt(each))
              : operations.isChange(each) && outcome != Outcome.REFUSED;
      if (isIn) {
        kept[count++] = each;
      }
    }
    return Arrays.copyOf(kept, count);
  }

  private void check(int register, int[] places, List<Violation> violations) {
    RegisterHistory all = history(places);
    RegisterHistory decided = all.decided();
    Linearization.Result result = Linearization.check(decided);
    if (result.verdict() == Linearization.Verdict.UNDECIDED) {
      undecided++;
    } else if (result.verdict() == Linearization.Verdict.VIOLATED) {
      violations.add(new Violation(register, places[decided.place(result.operation())]));
    }
  }

  private RegisterHistory history(int[] places) {
    long[] starts = new long[places.length];
    long[] ends = new long[places.length];
    int[] values = new int[places.length];
    boolean[] isWrite = new boolean[places.length];
    for (int i = 0; i < places.length; i++) {
      starts[i] = operations.start(places[i]);
      ends[i] = operations.end(places[i]);
      values[i] = operations.effect(places[i]);
      isWrite[i] = operations.isChange(places[i]);
    }
    return new RegisterHistory(Operations.ABSENT, starts, ends, values, isWrite);
  }

  /** Counts reads of values that had been overwritten before the read began. */
  private void age(int[] places) {
    RegisterHistory decided = history(places).decided();
    int[] writes = writesByStart(decided);
    long[] earliest = new long[writes.length + 1];
    earliest[writes.length] = Long.MAX_VALUE;
    Map<Integer, Long> ends = new HashMap<>();
    for (int i = writes.length - 1; i >= 0; i--) {
      long end = decided.ends()[writes[i]];
      earliest[i] = Math.min(earliest[i + 1], end);
      ends.put(decided.values()[writes[i]], end);
    }
    for (int i = 0; i < decided.size(); i++) {
      if (!decided.isWrite()[i]) {
        int operation = places[decided.place(i)];
        int server = operations.server(operation);
        reads[server]++;
        long written = ends.getOrDefault(decided.values()[i], -1L);
        long overwritten = earliest[firstAfter(decided, writes, written)];
        count(server, decided.starts()[i] - overwritten);
      }
    }
  }

  private static int[] writesByStart(RegisterHistory of) {
    List<Integer> writes = new ArrayList<>();
    for (int i = 0; i < of.size(); i++) {
      if (of.isWrite()[i]) {
        writes.add(i);
      }
    }
    writes.sort(Comparator.comparingLong(i -> of.starts()[i]));
    return writes.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns the first one of the writes that began after a time. */
  private static int firstAfter(RegisterHistory of, int[] writes, long nanos) {
    int low = 0;
    int high = writes.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (of.starts()[writes[middle]] > nanos) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private void count(int server, long ageNanos) {
    if (ageNanos > 0) {
      int group = 0;
      while (group < AGES.length && ageNanos >= AGES[group]) {
        group++;
      }
      stale[server][group]++;
      oldest[server] = Math.max(oldest[server], ageNanos);
    }
  }

  /** The server that took writes, over time. Immutable. */
  static final class Writing {
    private final Operations operations;
    private final int[] byEnd;

    Writing(Operations operations) {
      this.operations = operations;
      List<Integer> acknowledged = new ArrayList<>();
      for (int i = 0; i < operations.size(); i++) {
        if (operations.isAcknowledged(i)) {
          acknowledged.add(i);
        }
      }
      acknowledged.sort(Comparator.comparingLong(operations::end));
      byEnd = acknowledged.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Returns whether the server of a read took the writes before it began and when it ended. */
    boolean isAt(int read) {
      int server = operations.server(read);
      return at(operations.start(read)) == server && at(operations.end(read)) == server;
    }

    /** Returns the server of the last acknowledged change before a time; -1 if there is none. */
    private int at(long nanos) {
      int low = 0;
      int high = byEnd.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (operations.end(byEnd[middle]) > nanos) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low == 0 ? -1 : operations.server(byEnd[low - 1]);
    }
  }
}
