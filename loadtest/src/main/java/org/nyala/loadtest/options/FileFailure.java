package org.nyala.loadtest.options;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** The sentences about files that cannot be used. Stateless. */
public final class FileFailure {
  private FileFailure() {}

  /** Returns what has failed: the message alone may be no more than the name of a file. */
  public static String sentence(IOException e) {
    return switch (e) {
      case NoSuchFileException failure -> "there is no file " + failure.getFile();
      case AccessDeniedException failure -> "no permission to use the file " + failure.getFile();
      case FileSystemException failure when failure.getReason() != null ->
          "the file " + failure.getFile() + " cannot be used: " + failure.getReason();
      case FileSystemException failure ->
          "the file "
              + failure.getFile()
              + " cannot be used: "
              + (failure instanceof FileAlreadyExistsException
                  ? "it exists already, and is no folder"
                  : "it is not of the kind that is needed");
      default -> e.getMessage() == null ? e.toString() : e.getMessage();
    };
  }
}
