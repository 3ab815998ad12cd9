package org.nyala.core.dispatch;

/**
 * The threads off the event loops: stripes for work, a pool for slow hashes, and the way between
 * them.
 *
 * <p>Thread-safe.
 */
final class Workers {
  private final Stripe[] stripes;
  private final HashPool hashPool;
  private final RunToCompletionDispatch afterClose = new RunToCompletionDispatch();
  private volatile boolean closed;

  Workers(DispatchSettings settings) {
    int count = settings.workerThreads();
    int permits = settings.permitsPerWorker();
    int laziness = Math.min(settings.laziness(), permits);
    stripes = new Stripe[count];
    for (int i = 0; i < count; i++) {
      stripes[i] = Stripe.start(permits, laziness, this::next, settings.threads());
    }
    hashPool = new HashPool(settings.hashThreadCount(), this::next, settings.threads());
  }

  /**
   * Takes a task from an event loop: slow hashes to their pool, the rest to {@code stripe}.
   *
   * @return false when it waits for a permit
   */
  boolean enter(Task task, Stripe stripe) {
    if (closed) {
      afterClose.resume(task);
      return true;
    }
    return (task.lane() == Task.Lane.HASH ? hashPool : stripe).enter(task);
  }

  /** Takes a task that awaited its client. */
  void resume(Task task, Stripe stripe) {
    if (closed) {
      afterClose.resume(task);
    } else {
      stripe.reenter(task);
    }
  }

  private Place next(Task task, Place from) {
    if (task.lane() == Task.Lane.HASH) {
      return hashPool;
    }
    return from instanceof Stripe ? from : leastLoaded(task);
  }

  /** The stripe of the task's connection. */
  Stripe ofConnection(Task task) {
    return stripes[Integer.remainderUnsigned(task.connectionNumber(), stripes.length)];
  }

  /**
   * The stripe with the least to do; among equals the first from the connection's own on, so that
   * an idle server spreads connections.
   */
  Stripe leastLoaded(Task task) {
    int first = Integer.remainderUnsigned(task.connectionNumber(), stripes.length);
    Stripe least = stripes[first];
    int load = least.inFlight();
    for (int i = 1; i < stripes.length && load > 0; i++) {
      Stripe other = stripes[(first + i) % stripes.length];
      int otherLoad = other.inFlight();
      if (otherLoad < load) {
        least = other;
        load = otherLoad;
      }
    }
    return least;
  }

  int inFlight() {
    int sum = hashPool.inFlight() + afterClose.inFlight();
    for (Stripe stripe : stripes) {
      sum += stripe.inFlight();
    }
    return sum;
  }

  /**
   * Lets everything end, then stops the threads. A task that slips past the count while it moves
   * from one place to another still ends: stopped places run stragglers on their callers.
   */
  synchronized void close() {
    closed = true;
    Threads.awaitThat(() -> inFlight() == 0);
    for (Stripe stripe : stripes) {
      stripe.stop();
    }
    hashPool.stop();
    Threads.awaitThat(() -> inFlight() == 0);
  }
}
