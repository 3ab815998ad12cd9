package org.nyala.core.dispatch;

import java.util.List;

/** Strategies for tests, with few threads and permits. */
final class TriedStrategies {
  /** The strategies that never run a task on the dispatching thread. */
  static final List<String> OFF_LOOP =
      DispatchStrategies.OFFERED.stream()
          .filter(name -> !List.of("adaptive", "run-to-completion").contains(name))
          .toList();

  private TriedStrategies() {}

  /** Returns a strategy in which owners have shares. */
  static DispatchStrategy create(String name, int workers, int permits) {
    return create(name, workers, permits, DispatchSettings.DEFAULT_OWNER_SHARE_PERCENT);
  }

  /** Returns a strategy without shares of owners. */
  static DispatchStrategy createWithoutShares(String name, int workers, int permits) {
    return create(name, workers, permits, DispatchSettings.WHOLE_PERCENT);
  }

  private static DispatchStrategy create(String name, int workers, int permits, int sharePercent) {
    return DispatchStrategies.create(
        name,
        new DispatchSettings(
            workers,
            0,
            permits,
            4,
            1,
            sharePercent,
            Thread.ofPlatform().daemon().factory(),
            System::nanoTime));
  }
}
