package org.nyala.cli.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nyala.config.UpdateConfiguration;
import org.nyala.core.password.HashCost;
import org.nyala.core.password.HashSpeed;
import org.nyala.core.password.PasswordScheme;
import org.nyala.server.LoginRate;

/**
 * The time of a hash in a server, measured in a process of its own with the heap and the compiler
 * of a server: those of commands begin sooner, and compute half as fast.
 *
 * <p>Confined to one thread.
 */
public final class HashGauge implements LoginRate.Gauge, AutoCloseable {
  /** The time for the first measurement of a scheme, in which its code is compiled. */
  private static final int FIRST_MILLIS = 1500;

  private static final int MILLIS = 500;
  private static final List<String> LIKE_A_SERVER =
      List.of("-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders");

  private final Process process;
  private final Writer questions;
  private final BufferedReader answers;
  private final int memoryKibibytes;
  private PasswordScheme last = PasswordScheme.CLEARTEXT;

  private HashGauge(Process process) throws IOException {
    this.process = process;
    this.questions = process.outputWriter(StandardCharsets.US_ASCII);
    this.answers = process.inputReader(StandardCharsets.US_ASCII);
    this.memoryKibibytes = (int) answer();
  }

  /**
   * Starts the process.
   *
   * @throws IOException if it cannot be started
   */
  public static HashGauge start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(LIKE_A_SERVER);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), HashGauge.class.getName()));
    return new HashGauge(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
  }

  private long answer() throws IOException {
    String line = answers.readLine();
    try {
      return Long.parseLong(line == null ? "" : line);
    } catch (NumberFormatException _) {
      process.destroy();
      throw new IOException(
          "the process that measures hashes "
              + (line == null ? "has ended" : "has written: " + line));
    }
  }

  /** Returns the memory that hashes of a server take at once at most, in KiB. */
  public int memoryKibibytes() {
    return memoryKibibytes;
  }

  @Override
  public HashSpeed measure(PasswordScheme scheme, HashCost cost) {
    int millis = scheme == last ? MILLIS : FIRST_MILLIS;
    last = scheme;
    try {
      questions.write(
          String.join(
              " ",
              scheme.label(),
              String.valueOf(millis),
              String.valueOf(cost.argon2Kibibytes()),
              String.valueOf(cost.argon2Passes()),
              String.valueOf(cost.pbkdf2Iterations()),
              String.valueOf(cost.bcryptCost()),
              String.valueOf(cost.cryptRounds()),
              String.valueOf(cost.scramIterations()) + '\n'));
      questions.flush();
      return new HashSpeed(answer());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
  }

  /** Answers questions of standard input, a line each, until it ends. */
  static void main() throws IOException {
    System.out.println(HashSpeed.memoryKibibytes());
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split(" ", -1);
      int[] numbers = Arrays.stream(parts).skip(1).mapToInt(Integer::parseInt).toArray();
      HashCost cost =
          new HashCost(numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
      HashSpeed speed =
          HashSpeed.measure(
              UpdateConfiguration.scheme(parts[0]),
              cost,
              TimeUnit.MILLISECONDS.toNanos(numbers[0]));
      System.out.println(speed.nanos());
    }
  }
}
