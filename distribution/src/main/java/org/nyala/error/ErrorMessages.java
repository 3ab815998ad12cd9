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

/** Texts for failures; Java's file errors often contain no more than the file's name. */
public final class ErrorMessages {
  private ErrorMessages() {}

  /** Returns one line with the reason. */
  public static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException missing -> "no such file: " + missing.getFile();
      case AccessDeniedException denied -> "permission denied: " + denied.getFile();
      case NotDirectoryException file -> "not a directory: " + file.getFile();
      case FileAlreadyExistsException exists -> "already exists: " + exists.getFile();
      case FileSystemException other when other.getReason() != null ->
          other.getReason() + ": " + other.getFile();
      default -> line(e);
    };
  }

  /** Returns one line for the terminal; an unexpected failure is shown with its class. */
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

  /** Returns one line for any failure. */
  public static String line(Throwable e) {
    @Nullable String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message.replaceAll("\\s*\\R\\s*", " ");
  }
}
