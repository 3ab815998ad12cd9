package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log of exceptions that end a thread. */
class UncaughtExceptionsTest {
  private final Logger logger = Logger.getLogger(UncaughtExceptions.class.getName());
  private final List<LogRecord> logged = new CopyOnWriteArrayList<>();
  private final Thread.UncaughtExceptionHandler before =
      Thread.getDefaultUncaughtExceptionHandler();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord told) {
          logged.add(told);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
    UncaughtExceptions.handle();
  }

  @AfterEach
  void restore() {
    logger.removeHandler(handler);
    Thread.setDefaultUncaughtExceptionHandler(before);
  }

  @Test
  void shouldLogWhatEndsAThread() throws Exception {
    RuntimeException cause = new IllegalStateException("broken");
    Thread thread =
        Thread.ofPlatform()
            .name("nyala-some")
            .start(
                () -> {
                  throw cause;
                });
    thread.join();
    LogRecord told = logged.getFirst();
    assertThat(logged).hasSize(1);
    assertThat(told.getLevel()).isEqualTo(Level.SEVERE);
    assertThat(told.getMessage()).contains("nyala-some");
    assertThat(told.getThrown()).isSameAs(cause);
  }
}
