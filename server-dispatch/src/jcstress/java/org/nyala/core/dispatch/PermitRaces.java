package org.nyala.core.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.IIL_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/**
 * Two threads at the same {@link LazyPermits}. Every outcome that is not declared acceptable is
 * forbidden. One thread admits at a time, so that a plain builder can keep what was admitted.
 */
final class PermitRaces {
  private PermitRaces() {}

  /** Permits that are all taken, and the letters of the tasks that were admitted later. */
  abstract static class Taken {
    final StringBuilder admitted = new StringBuilder();
    final LazyPermits permits;

    Taken(int count, int laziness, String waiting) {
      permits = new LazyPermits(count, laziness, task -> admitted.append(((Ticket) task).letter()));
      for (int i = 0; i < count; i++) {
        permits.tryAcquire(new Ticket('-'));
      }
      for (int i = 0; i < waiting.length(); i++) {
        permits.tryAcquire(new Ticket(waiting.charAt(i)));
      }
    }
  }

  /** No lost wake-up: a task that parks while the permit is released is admitted in any case. */
  @JCStressTest
  @Outcome(id = "1, 0, ", expect = ACCEPTABLE, desc = "acquired after the release")
  @Outcome(id = "0, 0, A", expect = ACCEPTABLE, desc = "parked before the release")
  @State
  public static class ParkAndRelease extends Taken {
    /** Creates one permit, taken. */
    public ParkAndRelease() {
      super(1, 1, "");
    }

    /** Acquires or parks. */
    @Actor
    public void comes(IIL_Result r) {
      r.r1 = permits.tryAcquire(new Ticket('A')) ? 1 : 0;
    }

    /** Releases the permit. */
    @Actor
    public void goes() {
      permits.release();
    }

    /** Records the result. */
    @Arbiter
    public void looks(IIL_Result r) {
      r.r2 = permits.waiting() - permits.value();
      r.r3 = admitted.toString();
    }
  }

  /** One permit for two tasks: one takes it, one waits. */
  @JCStressTest
  @Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "the first takes it")
  @Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "the second takes it")
  @State
  public static class TwoForOne {
    private final LazyPermits permits = new LazyPermits(1, 1, _ -> {});

    /** Acquires or parks. */
    @Actor
    public void comes(ZZI_Result r) {
      r.r1 = permits.tryAcquire(new Ticket('A'));
    }

    /** Acquires or parks as well. */
    @Actor
    public void comesToo(ZZI_Result r) {
      r.r2 = permits.tryAcquire(new Ticket('B'));
    }

    /** Records the number of waiters. */
    @Arbiter
    public void looks(ZZI_Result r) {
      r.r3 = permits.waiting() - permits.value();
    }
  }

  /** First in, first out, with any order of releases. */
  @JCStressTest
  @Outcome(id = "0, 1, ABC", expect = ACCEPTABLE, desc = "in order")
  @State
  public static class TwoReleases extends Taken {
    /** Creates three permits, taken, and four waiters. */
    public TwoReleases() {
      super(3, 1, "ABCD");
    }

    /** Releases one permit. */
    @Actor
    public void goes() {
      permits.release();
    }

    /** Releases two permits. */
    @Actor
    public void twoGo() {
      permits.release();
      permits.release();
    }

    /** Records the order. */
    @Arbiter
    public void looks(IIL_Result r) {
      r.r1 = permits.value();
      r.r2 = permits.waiting();
      r.r3 = admitted.toString();
    }
  }

  /** Lazy without a stall: two free permits are enough, and then all waiters are admitted. */
  @JCStressTest
  @Outcome(id = "0, 1, AB", expect = ACCEPTABLE, desc = "the newcomer waits behind them")
  @State
  public static class LazyReleases extends Taken {
    /** Creates two permits, taken, and two waiters for both. */
    public LazyReleases() {
      super(2, 2, "AB");
    }

    /** Releases one permit. */
    @Actor
    public void goes() {
      permits.release();
    }

    /** Parks another task, then releases a permit. */
    @Actor
    public void comesAndGoes() {
      permits.tryAcquire(new Ticket('C'));
      permits.release();
    }

    /** Records the number of waiters. */
    @Arbiter
    public void looks(IIL_Result r) {
      r.r1 = permits.value();
      r.r2 = permits.waiting();
      r.r3 = admitted.toString();
    }
  }

  /** An overdraft while the permit is released: the waiter goes now or when the debt is repaid. */
  @JCStressTest
  @Outcome(id = "-1, 0, AA", expect = ACCEPTABLE, desc = "admitted before the overdraft")
  @Outcome(id = "0, 1, A", expect = ACCEPTABLE, desc = "admitted when the debt was repaid")
  @State
  public static class OverdraftAndRelease extends Taken {
    /** Creates one permit, taken, and one waiter. */
    public OverdraftAndRelease() {
      super(1, 1, "A");
    }

    /** Overdraws by one for work under way. */
    @Actor
    public void overdraws() {
      permits.acquireOverdraft();
    }

    /** Releases the permit. */
    @Actor
    public void goes() {
      permits.release();
    }

    /** Records the result, repays the debt, and records the result again. */
    @Arbiter
    public void looks(IIL_Result r) {
      r.r1 = permits.value();
      r.r2 = permits.waiting();
      permits.release();
      r.r3 = r.r2 == 0 ? admitted.toString() + admitted : admitted.toString();
    }
  }

  /** One release too many changes nothing for correct callers. */
  @JCStressTest
  @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "refused")
  @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "acquired in between: the other is rejected")
  @State
  public static class ReleaseTooMany {
    private final LazyPermits permits = new LazyPermits(1, 1, _ -> {});

    /** Releases a permit that it never had. */
    @Actor
    public void errs(III_Result r) {
      r.r1 = refused();
    }

    /** Acquires and releases. */
    @Actor
    public void comesAndGoes(III_Result r) {
      permits.acquireOverdraft();
      r.r2 = refused();
    }

    private int refused() {
      try {
        permits.release();
        return 0;
      } catch (IllegalStateException e) {
        return 1;
      }
    }

    /** Records the result. */
    @Arbiter
    public void looks(III_Result r) {
      r.r3 = permits.value();
    }
  }
}
