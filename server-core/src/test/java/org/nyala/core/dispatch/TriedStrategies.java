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

  static DispatchStrategy create(String name, int workers, int permits) {
    return DispatchStrategies.create(
        name,
        new DispatchSettings(
            workers, 0, permits, 4, 1, Thread.ofPlatform().daemon().factory(), System::nanoTime));
  }
}
