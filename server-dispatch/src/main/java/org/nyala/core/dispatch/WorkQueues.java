package org.nyala.core.dispatch;

import java.util.Arrays;

/** The kinds of places that strategies are composed of. */
final class WorkQueues {
  private static final String SHARED = "shared queue";

  private WorkQueues() {}

  /** Threads each with a queue of its own, sharing the permits. */
  static WorkQueue[] stripes(DispatchSettings settings, WorkQueue.Route route) {
    WorkQueue[] stripes = new WorkQueue[settings.stripeCount()];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] =
          Stripe.start(
              settings.sites("stripe " + (i + 1)),
              settings.throttle(settings.permitsPerStripe()),
              route,
              settings.threads());
    }
    return stripes;
  }

  /** Creates the same, and last a pool of threads that may wait for the disk all at once. */
  static WorkQueue[] stripesAndDiskPool(DispatchSettings settings, WorkQueue.Route route) {
    WorkQueue[] stripes = stripes(settings, route);
    WorkQueue[] places = Arrays.copyOf(stripes, stripes.length + 1);
    places[stripes.length] =
        WorkerPool.start(
            settings.sites("disk pool"),
            settings.diskThreadCount(),
            settings.throttle(settings.permitsOfDiskPool()),
            route,
            settings.diskWaiters());
    return places;
  }

  /** Creates threads that share some queues, without a throttle. */
  static WorkQueue[] queues(DispatchSettings settings, WorkQueue.Route route) {
    int count = settings.queueCount();
    WorkQueue[] queues = new WorkQueue[count];
    for (int i = 0; i < count; i++) {
      int threads = (settings.workerThreads() + i) / count;
      queues[i] = pool(settings, "queue " + (i + 1), threads, Throttle.NONE, route);
    }
    return queues;
  }

  /** Creates threads that share one queue, without a throttle. */
  static WorkQueue[] oneQueue(DispatchSettings settings, WorkQueue.Route route) {
    return new WorkQueue[] {pool(settings, SHARED, settings.workerThreads(), Throttle.NONE, route)};
  }

  /** Threads that share one queue, under permits for little more than the threads can do. */
  static WorkQueue[] conditionedQueue(DispatchSettings settings, WorkQueue.Route route) {
    return new WorkQueue[] {
      pool(
          settings,
          SHARED,
          settings.workerThreads(),
          settings.throttle(settings.conditionedPermits()).withoutReserve(),
          route)
    };
  }

  /** A thread for each task. */
  static WorkQueue[] virtualThreads(DispatchSettings settings, WorkQueue.Route route) {
    return new WorkQueue[] {
      new VirtualThreads(
          settings.sites("virtual threads"), settings.throttle(settings.permitsInAll()), route)
    };
  }

  private static WorkQueue pool(
      DispatchSettings settings,
      String name,
      int threads,
      Throttle throttle,
      WorkQueue.Route route) {
    return WorkerPool.start(settings.sites(name), threads, throttle, route, settings.threads());
  }
}
