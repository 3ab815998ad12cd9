package org.nyala.error;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.StoreException;

/** Texts for failures; Java's file errors often contain no more than the file's name. */
public final class ErrorMessages {
  private ErrorMessages() {}

  /** Returns one line with the file and the reason. */
  public static String reason(IOException e) {
    return FileFailures.reason(e);
  }

  /** Returns one line for the terminal; an unexpected failure is shown with its class. */
  public static String explain(Throwable e) {
    return switch (e) {
      case CommandException failure -> line(failure);
      case ConfigurationException failure -> line(failure);
      case StoreException failure -> line(failure);
      case StoreUnavailableException failure -> "nothing can be stored: " + line(failure);
      case IOException failure -> reason(failure);
      case UncheckedIOException failure -> {
        @Nullable IOException cause = failure.getCause();
        yield cause == null ? line(failure) : reason(cause);
      }
      default -> e.getClass().getSimpleName() + ": " + line(e);
    };
  }

  /** Returns one line for any failure. */
  public static String line(Throwable e) {
    @Nullable String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message.replaceAll("\\s*\\R\\s*", " ");
  }
}
