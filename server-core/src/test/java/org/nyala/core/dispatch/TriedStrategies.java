package org.nyala.core.dispatch;

import java.util.List;

/** Strategies as tests try them: with a few threads and permits. */
final class TriedStrategies {
  /** Those that never run a task on the thread that dispatches it. */
  static final List<String> OFF_LOOP =
      DispatchStrategies.OFFERED.stream()
          .filter(name -> !List.of("adaptive", "run-to-completion").contains(name))
          .toList();

  private TriedStrategies() {}

  /** A strategy in which owners have shares. */
  static DispatchStrategy create(String name, int workers, int permits) {
    return create(name, workers, permits, DispatchSettings.DEFAULT_OWNER_SHARE_PERCENT);
  }

  /** A strategy in which it does not matter whose tasks are at work. */
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
