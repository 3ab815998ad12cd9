package org.nyala.loadtest.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A file whose first line is a password. Stateless. */
public final class PasswordFile {
  private PasswordFile() {}

  /**
   * Returns the password.
   *
   * @return the first line in UTF-8, without its end; empty if the file is
   * @throws IOException if the file cannot be read
   */
  public static String read(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.findFirst().orElse("");
    }
  }
}
