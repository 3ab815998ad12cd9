package org.nyala.service;

import java.lang.System.Logger.Level;

/**
 * The handler of exceptions that end a thread: it logs them, so that their lines have a time as all
 * lines of the log. The JVM by itself prints them without one. Stateless; thread-safe.
 */
public final class UncaughtExceptions {
  private static final System.Logger LOG = System.getLogger(UncaughtExceptions.class.getName());

  private UncaughtExceptions() {}

  /** Handles the exceptions of all threads of the process that have no handler of their own. */
  public static void handle() {
    Thread.setDefaultUncaughtExceptionHandler(UncaughtExceptions::tell);
  }

  private static void tell(Thread thread, Throwable cause) {
    LOG.log(Level.ERROR, "the thread " + thread.getName() + " has ended by an exception", cause);
  }
}
