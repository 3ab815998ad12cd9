package org.nyala.error;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Files with a password in their first line. Stateless. */
public final class PasswordFile {
  private PasswordFile() {}

  /**
   * Reads a password.
   *
   * @throws IOException with one line for administrators, if there is none
   */
  public static String read(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      String line = lines.findFirst().orElse("");
      if (line.isEmpty()) {
        throw new PasswordMissingException("expected a password in the first line of " + file);
      }
      return line;
    } catch (PasswordMissingException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException(ErrorMessages.reason(e), e);
    } catch (UncheckedIOException e) {
      throw new IOException("expected text in UTF-8 in " + file, e);
    }
  }

  /** A file without a password. */
  private static final class PasswordMissingException extends IOException {
    private static final long serialVersionUID = 1;

    PasswordMissingException(String message) {
      super(message);
    }
  }
}
