package org.nyala.core.dispatch;

import java.util.List;

/** The strategies by name. */
public final class DispatchStrategies {
  /** The name of the strategy to use where nothing else is said. */
  public static final String DEFAULT = AdaptiveDispatch.NAME;

  /** The names that {@link #create} accepts. */
  public static final List<String> OFFERED =
      List.of(AdaptiveDispatch.NAME, RunToCompletionDispatch.NAME, StripedDispatch.NAME);

  private static final List<String> PLANNED =
      List.of(
          "single-queue",
          "lightweight",
          "load-conditioned",
          "lightweight-conditioned",
          "multi-queue",
          "virtual-threads");

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
      case StripedDispatch.NAME -> new StripedDispatch(settings);
      default -> throw new IllegalArgumentException(complaint(name));
    };
  }

  private static String complaint(String name) {
    return "dispatch strategy '%s' is %s; offered are %s"
        .formatted(
            name,
            PLANNED.contains(name) ? "not offered yet" : "unknown",
            String.join(", ", OFFERED));
  }
}
