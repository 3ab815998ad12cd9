package org.nyala.core.dispatch;

import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import org.nyala.core.dispatch.DispatchStrategy.DecodePlacement;

/** The strategies by name, and their composition. */
public final class DispatchStrategies {
  /** The name of the default strategy. */
  public static final String DEFAULT = AdaptiveDispatch.NAME;

  private static final String STRIPED = "striped";
  private static final String VIRTUAL_THREADS = "virtual-threads";
  private static final String MULTI_QUEUE = "multi-queue";
  private static final String SINGLE_QUEUE = "single-queue";
  private static final String LOAD_CONDITIONED = "load-conditioned";
  private static final String LIGHTWEIGHT = "lightweight";
  private static final String LIGHTWEIGHT_CONDITIONED = "lightweight-conditioned";

  /** The names that {@link #create} accepts. */
  public static final List<String> OFFERED =
      List.of(
          AdaptiveDispatch.NAME,
          RunToCompletionDispatch.NAME,
          STRIPED,
          VIRTUAL_THREADS,
          MULTI_QUEUE,
          SINGLE_QUEUE,
          LOAD_CONDITIONED,
          LIGHTWEIGHT,
          LIGHTWEIGHT_CONDITIONED);

  private DispatchStrategies() {}

  /**
   * Creates a strategy and starts its threads.
   *
   * @throws IllegalArgumentException if no strategy of this name is offered; the message lists
   *     those that are
   */
  public static DispatchStrategy create(String name, DispatchSettings settings) {
    return switch (name) {
      case AdaptiveDispatch.NAME -> new AdaptiveDispatch(settings);
      case RunToCompletionDispatch.NAME -> new RunToCompletionDispatch();
      case STRIPED -> loopDecodes(name, settings, WorkQueues::stripes, Workers::ofConnection);
      case VIRTUAL_THREADS ->
          loopDecodes(name, settings, WorkQueues::virtualThreads, Workers::ofConnection);
      case MULTI_QUEUE -> loopDecodes(name, settings, WorkQueues::queues, Workers::leastLoaded);
      case SINGLE_QUEUE -> loopDecodes(name, settings, WorkQueues::oneQueue, Workers::ofConnection);
      case LOAD_CONDITIONED ->
          loopDecodes(name, settings, WorkQueues::conditionedQueue, Workers::ofConnection);
      case LIGHTWEIGHT -> workerDecodes(name, settings, WorkQueues::oneQueue);
      case LIGHTWEIGHT_CONDITIONED -> workerDecodes(name, settings, WorkQueues::conditionedQueue);
      default ->
          throw new IllegalArgumentException(
              String.format(
                  Locale.ROOT,
                  "dispatch strategy '%s' is unknown; offered are %s",
                  name,
                  String.join(", ", OFFERED)));
    };
  }

  /**
   * Returns whether a strategy's threads are such that the JVM counts what they allocate: otherwise
   * no operation ends for what it allocates alone.
   */
  public static boolean measuresAllocation(String name) {
    return !name.equals(VIRTUAL_THREADS);
  }

  private static DispatchStrategy loopDecodes(
      String name,
      DispatchSettings settings,
      BiFunction<DispatchSettings, WorkQueue.Route, WorkQueue[]> places,
      Workers.Choice choice) {
    return new WorkerDispatch(
        name, DecodePlacement.EVENT_LOOP, new Workers(settings, places, choice));
  }

  private static DispatchStrategy workerDecodes(
      String name,
      DispatchSettings settings,
      BiFunction<DispatchSettings, WorkQueue.Route, WorkQueue[]> places) {
    return new WorkerDispatch(
        name, DecodePlacement.WORKER, new Workers(settings, places, Workers::ofConnection));
  }
}
