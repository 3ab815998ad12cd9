package org.nyala.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.NyalaCommand;
import org.nyala.cli.command.ProgressLine;
import org.nyala.core.quality.BreachedListBuilder;
import org.nyala.core.quality.BreachedPasswords;
import org.nyala.core.quality.DamagedListException;
import org.nyala.core.quality.PasswordLines;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala breached}. */
@Command(
    name = "breached",
    description = {
      "Makes or checks a list of breached passwords.",
      "A line of the input is the SHA-1 of a password in hexadecimal digits, then perhaps ':' and a"
          + " number. Lines come in any order, as in the lists of Have I Been Pwned.",
      "An existing list is replaced once the new one is complete. Input in no order takes as much"
          + " space again beside it meanwhile."
    })
final class BreachedCommand extends NyalaCommand {
  private static final String STANDARD_INPUT = "-";

  @Parameters(
      arity = "0..*",
      paramLabel = "INPUT",
      description = {
        "The files to read, or - for standard input.",
        "With --check: - for a password to look up, one line of standard input, or asked for on a"
            + " terminal."
      })
  private List<String> inputs = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "The list to write.")
  private @Nullable Path output;

  @Option(
      names = "--minimum-count",
      paramLabel = "N",
      description =
          "Leaves out passwords with a number below N; those without a number stay. Default: 1.")
  private @Nullable Long minimumCount;

  @Option(names = "--plain", description = "The lines of the input are passwords.")
  private boolean isPlain;

  @Option(
      names = "--check",
      paramLabel = "FILE",
      description = "Reads a whole list, and says whether it is sound.")
  private @Nullable Path checked;

  @Override
  public Integer call() throws IOException {
    Path list = checked;
    if (list != null) {
      return check(list);
    }
    Path target = output;
    if (target == null) {
      throw wrongUsage("name the list to write: -o FILE");
    }
    if (inputs.isEmpty()) {
      throw wrongUsage("name an input, or - for standard input");
    }
    if (minimumCount != null && (isPlain || minimumCount < 1)) {
      throw wrongUsage("--minimum-count: expected a number from 1 up, and no --plain");
    }
    write(target);
    return ExitCode.OK;
  }

  private void write(Path target) throws IOException {
    ProgressLine progress = progress();
    long startNanos = System.nanoTime();
    try (BreachedListBuilder list = BreachedListBuilder.open(target)) {
      PasswordLines lines =
          new PasswordLines(
              list,
              isPlain,
              minimumCount == null ? 1 : minimumCount,
              read -> show(progress, read, System.nanoTime() - startNanos));
      for (String input : inputs) {
        read(lines, input);
      }
      long written = list.finish();
      progress.finish();
      out().printf(Locale.ROOT, "%,d lines read, %,d prefixes written%n", lines.lines(), written);
    } finally {
      progress.finish();
    }
  }

  private static void show(ProgressLine progress, long lines, long elapsedNanos) {
    progress.show(() -> String.format(Locale.ROOT, "%,d lines", lines), elapsedNanos);
  }

  private static void read(PasswordLines lines, String input) throws IOException {
    if (input.equals(STANDARD_INPUT)) {
      // Not closed: standard input belongs to the process.
      lines.read(new FileInputStream(FileDescriptor.in), "standard input");
      return;
    }
    try (InputStream file = Files.newInputStream(Path.of(input))) {
      lines.read(file, input);
    }
  }

  private int check(Path list) throws IOException {
    boolean isToLookUp = inputs.equals(List.of(STANDARD_INPUT));
    if (output != null || isPlain || minimumCount != null || !(inputs.isEmpty() || isToLookUp)) {
      throw wrongUsage("--check takes no other option, and no input but -");
    }
    try {
      out().printf(Locale.ROOT, "sound: %,d prefixes%n", BreachedPasswords.verify(list));
    } catch (DamagedListException e) {
      err().println("nyala: " + ErrorMessages.line(e));
      return ExitCode.UNSOUND;
    }
    if (isToLookUp) {
      lookUp(list);
    }
    return ExitCode.OK;
  }

  private void lookUp(Path list) throws IOException {
    byte[] password = PasswordInput.readOnce();
    try (BreachedPasswords breached = BreachedPasswords.open(list)) {
      out().println(breached.contains(password) ? "listed" : "not listed");
    } finally {
      Arrays.fill(password, (byte) 0);
    }
  }
}
