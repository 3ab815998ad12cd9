package org.nyala.lmdb.env;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;

/**
 * Describes failures of files to administrators: the file, a colon, and the reason in plain words.
 * The messages of Java's exceptions are often no more than the name of the file. Stateless.
 */
public final class FileFailures {
  private static final String NO_SPACE = "No space left on device";
  private static final String NO_QUOTA = "Disk quota exceeded";

  /** The system's texts for faults of disks, and what administrators read instead. */
  private static final Map<String, String> WORDS =
      Map.of(
          NO_SPACE,
          "the disk is full",
          NO_QUOTA,
          "the disk quota is used up",
          "Read-only file system",
          "the file system is read-only",
          "File too large",
          "the file may not grow further",
          "Input/output error",
          "the disk cannot be read or written to",
          "Not a directory",
          "not a directory",
          "Is a directory",
          "it is a folder, and a file is expected",
          "Operation not permitted",
          "the operation is not permitted");

  private FileFailures() {}

  /** Returns whether a file could not be written because there is no room for it. */
  public static boolean isOfSpace(IOException e) {
    String text = e instanceof FileSystemException failure ? failure.getReason() : e.getMessage();
    return NO_SPACE.equals(text) || NO_QUOTA.equals(text);
  }

  /** Returns whether LMDB has failed, for a reason that {@link #reason(Exception)} knows. */
  public static boolean isOfStore(Throwable e) {
    return e instanceof LmdbException;
  }

  /** Returns the reason of a failure of a file, or of LMDB, in one line. */
  public static String reason(Exception e) {
    return switch (e) {
      case FileSystemException failure -> reason(failure);
      case UncheckedIOException failure when failure.getCause() != null ->
          reason(failure.getCause());
      case LmdbException failure -> StoreFailures.words(failure);
      default -> words(line(e));
    };
  }

  /**
   * Returns a failure that says which operation has failed, on which file, and why.
   *
   * @param operation the operation that was not possible, such as {@code "create the folder"}
   * @param path its file or folder; the cause may be with another one, which is named as well
   */
  public static IOException during(String operation, Path path, IOException cause) {
    String reason = reason(cause);
    String own = path + ": ";
    String rest = reason.startsWith(own) ? reason.substring(own.length()) : reason;
    return new IOException("cannot " + operation + " " + path + ": " + rest, cause);
  }

  private static String reason(FileSystemException e) {
    String words =
        switch (e) {
          case NoSuchFileException _ -> "no such file";
          case AccessDeniedException _ -> "permission denied";
          case NotDirectoryException _ -> "not a directory";
          case DirectoryNotEmptyException _ -> "the folder is not empty";
          case FileAlreadyExistsException _ -> "exists already";
          default -> words(e.getReason() == null ? e.getClass().getSimpleName() : e.getReason());
        };
    @Nullable String file = e.getFile();
    return file == null ? words : file + ": " + words;
  }

  private static String words(String text) {
    return WORDS.getOrDefault(text, text);
  }

  private static String line(Exception e) {
    @Nullable String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message.replaceAll("\\s*\\R\\s*", " ");
  }
}
