package org.nyala.lmdb.search;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Threads at the two slots of one {@link LookupCache}: no thread finds half of the result that
 * another one remembers. Outcomes that are not declared acceptable are forbidden.
 */
final class PointRaces {
  private static final long SNAPSHOT = 7;

  private PointRaces() {}

  /** A table with room for two. */
  abstract static class Table {
    final LookupCache table = new LookupCache(2);

    static LookupKey point(char key) {
      // Longer than a word, with all of the difference at the end.
      byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, (byte) key};
      LookupKey point = new LookupKey();
      point.take(bytes, bytes.length);
      return point;
    }

    void remember(char key, long snapshot, int value) {
      LookupKey point = point(key);
      point.found(value, value, value);
      table.remember(point, snapshot);
    }

    /** Returns the result, three times the same digit if it is consistent; 0 for nothing. */
    int find(char key, long snapshot) {
      LookupKey point = point(key);
      return table.find(point, snapshot)
          ? (int) (point.entryId() * 100 + point.address() * 10 + point.recordLength())
          : 0;
    }
  }

  /** One thread remembers the key that the other looks for. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not yet, or not as a whole")
  @Outcome(id = "111", expect = ACCEPTABLE, desc = "found")
  @State
  public static class RememberAndFind extends Table {
    /** Remembers. */
    @Actor
    public void remembers() {
      remember('A', SNAPSHOT, 1);
    }

    /** Looks. */
    @Actor
    public void looks(I_Result r) {
      r.r1 = find('A', SNAPSHOT);
    }
  }

  /** A result remembered of one snapshot is overwritten by the next one during a look-up. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "in the midst of it, or not as a whole")
  @Outcome(id = "111, 0", expect = ACCEPTABLE, desc = "before")
  @Outcome(id = "0, 222", expect = ACCEPTABLE, desc = "after")
  @Outcome(id = "111, 222", expect = ACCEPTABLE, desc = "first before, then after")
  @State
  public static class NextSnapshot extends Table {
    /** Begins with a result of the former snapshot. */
    public NextSnapshot() {
      remember('A', SNAPSHOT, 1);
    }

    /** Remembers. */
    @Actor
    public void remembers() {
      remember('A', SNAPSHOT + 1, 2);
    }

    /** Looks. */
    @Actor
    public void looks(II_Result r) {
      r.r1 = find('A', SNAPSHOT);
      r.r2 = find('A', SNAPSHOT + 1);
    }
  }

  /** Two threads remember the same key, and a third looks for it. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not yet, or not as a whole")
  @Outcome(id = "111", expect = ACCEPTABLE, desc = "found what the first remembers")
  @Outcome(id = "222", expect = ACCEPTABLE, desc = "found what the second remembers")
  @State
  public static class TwoRememberTheSame extends Table {
    /** Remembers. */
    @Actor
    public void remembers() {
      remember('A', SNAPSHOT, 1);
    }

    /** Remembers, too. */
    @Actor
    public void remembersToo() {
      remember('A', SNAPSHOT, 2);
    }

    /** Looks. */
    @Actor
    public void looks(I_Result r) {
      r.r1 = find('A', SNAPSHOT);
    }
  }

  /** Two threads remember different keys: at least one of them is found when both are done. */
  @JCStressTest
  @Outcome(id = "111, 222", expect = ACCEPTABLE, desc = "both")
  @Outcome(id = "111, 0", expect = ACCEPTABLE, desc = "the first")
  @Outcome(id = "0, 222", expect = ACCEPTABLE, desc = "the second")
  @State
  public static class TwoRemember extends Table {
    /** Remembers. */
    @Actor
    public void remembers() {
      remember('A', SNAPSHOT, 1);
    }

    /** Remembers another key. */
    @Actor
    public void remembersElse() {
      remember('B', SNAPSHOT, 2);
    }

    /** Looks for both keys. */
    @Arbiter
    public void looks(II_Result r) {
      r.r1 = find('A', SNAPSHOT);
      r.r2 = find('B', SNAPSHOT);
    }
  }
}
