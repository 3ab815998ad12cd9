package org.nyala.core;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Suppresses the log lines of failures that a test causes on purpose, until it is closed. */
public final class SilentLog implements AutoCloseable {
  private final Logger logger;

  /** Silences the logger {@code source}. */
  public SilentLog(String source) {
    this.logger = Logger.getLogger(source);
    logger.setLevel(Level.OFF);
  }

  @Override
  public void close() {
    logger.setLevel(null);
  }
}
