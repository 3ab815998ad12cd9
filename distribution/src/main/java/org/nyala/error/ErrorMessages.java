package org.nyala.error;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.StoreException;

/** Words for what went wrong; Java's file errors often say no more than the file's name. */
public final class ErrorMessages {
  private ErrorMessages() {}

  /** One line that says why. */
  public static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException missing -> "no such file: " + missing.getFile();
      case AccessDeniedException denied -> "permission denied: " + denied.getFile();
      case NotDirectoryException file -> "not a directory: " + file.getFile();
      case FileAlreadyExistsException exists -> "exists already: " + exists.getFile();
      case FileSystemException other when other.getReason() != null ->
          other.getReason() + ": " + other.getFile();
      default -> line(e);
    };
  }

  /** One line for the person at the terminal; what nobody foresaw comes with its class. */
  public static String explain(Throwable e) {
    return switch (e) {
      case CommandException failure -> line(failure);
      case ConfigurationException failure -> line(failure);
      case StoreException failure -> line(failure);
      case IOException failure -> reason(failure);
      case UncheckedIOException failure -> {
        @Nullable IOException cause = failure.getCause();
        yield cause == null ? line(failure) : reason(cause);
      }
      default -> e.getClass().getSimpleName() + ": " + line(e);
    };
  }

  /** One line for any failure. */
  public static String line(Throwable e) {
    @Nullable String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message.replaceAll("\\s*\\R\\s*", " ");
  }
}
