package org.nyala.core;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Keeps failures that a test causes on purpose out of the build's output, until it is closed. */
public final class SilentLog implements AutoCloseable {
  private final Logger logger;

  /** Silences what {@code source} logs. */
  public SilentLog(String source) {
    this.logger = Logger.getLogger(source);
    logger.setLevel(Level.OFF);
  }

  @Override
  public void close() {
    logger.setLevel(null);
  }
}
