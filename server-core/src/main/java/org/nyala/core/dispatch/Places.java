package org.nyala.core.dispatch;

import java.util.Arrays;

/** The kinds of places that strategies are composed of. */
final class Places {
  private static final String SHARED = "shared queue";

  private Places() {}

  /** Threads each with a queue of its own, sharing the permits. */
  static Place[] stripes(DispatchSettings settings, Place.Route route) {
    Place[] stripes = new Place[settings.stripeCount()];
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

  /** The same, and last a pool of threads that may wait for the disk all at once. */
  static Place[] stripesAndDiskPool(DispatchSettings settings, Place.Route route) {
    Place[] stripes = stripes(settings, route);
    Place[] places = Arrays.copyOf(stripes, stripes.length + 1);
    places[stripes.length] =
        WorkerPool.start(
            settings.sites("disk pool"),
            settings.diskThreadCount(),
            settings.throttle(settings.permitsOfDiskPool()),
            route,
            settings.diskWaiters());
    return places;
  }

  /** Threads that share some queues, and throttle nobody. */
  static Place[] queues(DispatchSettings settings, Place.Route route) {
    int count = settings.queueCount();
    Place[] queues = new Place[count];
    for (int i = 0; i < count; i++) {
      int threads = (settings.workerThreads() + i) / count;
      queues[i] = pool(settings, "queue " + (i + 1), threads, Throttle.NONE, route);
    }
    return queues;
  }

  /** Threads that share one queue, and throttle nobody. */
  static Place[] oneQueue(DispatchSettings settings, Place.Route route) {
    return new Place[] {pool(settings, SHARED, settings.workerThreads(), Throttle.NONE, route)};
  }

  /** Threads that share one queue, under permits for little more than the threads can do. */
  static Place[] conditionedQueue(DispatchSettings settings, Place.Route route) {
    return new Place[] {
      pool(
          settings,
          SHARED,
          settings.workerThreads(),
          settings.throttle(settings.conditionedPermits()).withoutReserve(),
          route)
    };
  }

  /** A thread for each task. */
  static Place[] virtualThreads(DispatchSettings settings, Place.Route route) {
    return new Place[] {
      new VirtualThreads(
          settings.sites("virtual threads"), settings.throttle(settings.permitsInAll()), route)
    };
  }

  private static Place pool(
      DispatchSettings settings, String name, int threads, Throttle throttle, Place.Route route) {
    return WorkerPool.start(settings.sites(name), threads, throttle, route, settings.threads());
  }
}
