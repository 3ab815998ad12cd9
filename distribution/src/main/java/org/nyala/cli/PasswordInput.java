package org.nyala.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.error.CommandException;

/**
 * The password that a command asks for: typed on a terminal, without echo, or one line of standard
 * input. It is never an argument, because other users can see arguments.
 *
 * <p>Stateless.
 */
final class PasswordInput {
  private static final int MAXIMUM_BYTES = 4096;

  /** The link by which Linux describes standard input. */
  private static final Path STANDARD_INPUT = Path.of("/proc/self/fd/0");

  private PasswordInput() {}

  /** Reads a password, on a terminal once. */
  static byte[] readOnce() throws IOException {
    return read(false);
  }

  /** Reads a password, on a terminal twice, which must be the same. */
  static byte[] readTwice() throws IOException {
    return read(true);
  }

  @SuppressWarnings(
      "SystemConsoleNull") // It is still null without a terminal, in a runtime without
  // jdk.internal.le.
  private static byte[] read(boolean isTwice) throws IOException {
    @Nullable Console console = System.console();
    if (console != null && console.isTerminal()) {
      return ask(console, isTwice);
    }
    if (isTerminal()) {
      throw CommandException.usage(
          "the password would be visible while it is typed: leave standard output on "
              + "the terminal, or pipe the password in");
    }
    return readLine();
  }

  private static byte[] ask(Console console, boolean isTwice) {
    char[] first = typed(console.readPassword("Password: "));
    char[] again = isTwice ? typed(console.readPassword("Once more: ")) : first;
    try {
      if (!Arrays.equals(first, again)) {
        throw CommandException.usage("the two passwords differ");
      }
      ByteBuffer encoded = ByteBuffer.allocate(MAXIMUM_BYTES);
      CoderResult result =
          UTF_8
              .newEncoder()
              .onMalformedInput(CodingErrorAction.REPLACE)
              .encode(CharBuffer.wrap(first), encoded, true);
      if (result.isOverflow()) {
        throw tooLong();
      }
      byte[] password = Arrays.copyOf(encoded.array(), encoded.position());
      Arrays.fill(encoded.array(), (byte) 0);
      return password;
    } finally {
      Arrays.fill(first, ' ');
      Arrays.fill(again, ' ');
    }
  }

  /** Returns the typed text; nothing if the terminal was closed. */
  private static char[] typed(char @Nullable [] line) {
    return line == null ? new char[0] : line;
  }

  private static boolean isTerminal() {
    try {
      String name = Files.readSymbolicLink(STANDARD_INPUT).toString();
      return name.startsWith("/dev/pts/") || name.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private static CommandException tooLong() {
    return CommandException.usage("expected one line of at most " + MAXIMUM_BYTES + " bytes");
  }

  private static byte[] readLine() throws IOException {
    // Not closed: standard input belongs to the process.
    byte[] input = new FileInputStream(FileDescriptor.in).readNBytes(MAXIMUM_BYTES + 1);
    try {
      int end = 0;
      while (end < input.length && input[end] != '\n') {
        end++;
      }
      if (end > MAXIMUM_BYTES || end + 1 < input.length) {
        throw tooLong();
      }
      int length = end > 0 && input[end - 1] == '\r' ? end - 1 : end;
      return Arrays.copyOf(input, length);
    } finally {
      Arrays.fill(input, (byte) 0);
    }
  }
}
