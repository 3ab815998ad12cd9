package org.nyala.core.dispatch;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

/** A thread in the role of an event loop. */
abstract class DispatchTestCase {
  final ExecutorService loop =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());

  @AfterEach
  void endLoop() {
    loop.close();
  }
}
