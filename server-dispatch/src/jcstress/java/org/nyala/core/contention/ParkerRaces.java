package org.nyala.core.contention;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.util.Queue;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A thread that serves a queue and others that add to it or stop it. Every outcome that is not
 * declared acceptable is forbidden; a lost wake-up is a test that hangs, which fails.
 */
final class ParkerRaces {
  private ParkerRaces() {}

  /** An empty queue, served without polling first: the thread parks as soon as it can. */
  abstract static class Served {
    final Queue<Integer> queue = new MpscUnboundedAtomicArrayQueue<>(2);
    final Parker parker = new Parker(queue, 0, Contention.UNMEASURED.waits("queue"));

    final void add(int item) {
      queue.add(item);
      parker.wake();
    }

    /** Serves the queue until it has taken some items, or none will come; returns their sum. */
    final int serve(int items) {
      int sum = 0;
      int left = items;
      while (left > 0 && parker.await()) {
        Integer item = queue.poll();
        if (item != null) {
          sum += item;
          left--;
        }
      }
      return sum;
    }
  }

  /** No lost wake-up: an item that comes while the thread falls asleep is served. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "served")
  @State
  public static class AddAndSleep extends Served {
    /** Adds one item. */
    @Actor
    public void adds() {
      add(1);
    }

    /** Serves one item. */
    @Actor
    public void serves(I_Result r) {
      r.r1 = serve(1);
    }
  }

  /** The thread may sleep between two items: each sleep has a wake-up of its own. */
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "both served")
  @State
  public static class AddTwiceAndSleep extends Served {
    /** Adds two items. */
    @Actor
    public void adds() {
      add(1);
      add(2);
    }

    /** Serves two items. */
    @Actor
    public void serves(I_Result r) {
      r.r1 = serve(2);
    }
  }

  /** A stop is noticed, asleep or not, and what was added before it is served. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "served, then stopped")
  @State
  public static class AddAndStop extends Served {
    /** Adds one item, then stops. */
    @Actor
    public void addsAndStops() {
      add(1);
      parker.stop();
    }

    /** Serves until it is stopped. */
    @Actor
    public void serves(II_Result r) {
      r.r1 = serve(Integer.MAX_VALUE);
      r.r2 = queue.size();
    }
  }
}
